import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  assertConforms,
  eventually,
  pesapost,
  type Service,
  signedHeaders,
  withKeyFile,
} from '#testing';

/** A credential of the service's merchant, signed in. */
export interface Caller {
  readonly credentialId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accessToken: string;
  readonly privateKey: KeyObject;
}

/** Issues a credential on the command line and signs in. */
export async function issueCaller(
  service: Service,
  {
    ips,
    rate = '10000/s',
    from = '198.51.100.1',
  }: { readonly ips: string; readonly rate?: string; readonly from?: string },
): Promise<Caller> {
  const { merchantId } = service.merchant.credentials;
  return withKeyFile(async (file, privateKeyPem) => {
    const issued = await pesapost(
      service.env,
      ...['credential', 'issue', '--kind', 'v4', '--merchant', merchantId, '--mode', 'demo'],
      ...['--holder', 'till', '--public-key', file, '--ips', ips, '--rate', rate],
      ...['--reason', 'test', '--as', 'spec'],
    );
    const [clientId, clientSecret] = [issued['client_id'] ?? '', issued['client_secret'] ?? ''];
    const accessToken = await eventually(
      () => askToken(service.baseUrl, { clientId, clientSecret, from }),
      (token) => token !== '',
    );
    return {
      credentialId: issued['credential_id'] ?? '',
      clientId,
      clientSecret,
      accessToken,
      privateKey: createPrivateKey(privateKeyPem),
    };
  });
}

/** @returns the token; empty if none is issued, for example because a view lags behind the command line */
export async function askToken(
  baseUrl: string,
  client: { readonly clientId: string; readonly clientSecret: string; readonly from: string },
): Promise<string> {
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const response = await fetch(`${baseUrl}/api/v4/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': client.from,
    },
    body: 'grant_type=client_credentials',
  });
  const body = (await response.json()) as { access_token?: string };
  const { status, headers } = response;
  const url = '/api/v4/oauth/token';
  assertConforms({ method: 'POST', url, status, headers: new Map(headers), body });
  const { access_token: token = '' } = body;
  return token;
}

/** A collection that is valid in every respect, as a list of the parts that a test can spoil. */
export interface Draft {
  caller: Caller;
  method: string;
  path: string;
  /** Sent after the path, but not signed. */
  unsigned: string;
  /** Fields of the body, unless `text` replaces it. */
  fields: Record<string, unknown>;
  text: string | undefined;
  accessToken: string;
  privateKey: KeyObject;
  nonce: string;
  timestamp: string;
  /** Replace a header or, if undefined, remove it. */
  headers: Record<string, string | undefined>;
}

let sent = 0;

/** It comes through a trusted proxy from another address each time, so that no source's failures add up. */
export function collectionOf(caller: Caller, accountNo: string): Draft {
  sent += 1;
  return {
    caller,
    method: 'POST',
    path: '/api/v4/collections',
    unsigned: '',
    fields: {
      account_no: accountNo,
      phone: '254712345678',
      amount_minor: 10_000,
      currency: 'KES',
      channel: 'mpesa',
      reference: `V4-${sent}`,
    },
    text: undefined,
    accessToken: caller.accessToken,
    privateKey: caller.privateKey,
    nonce: randomUUID(),
    timestamp: String(Math.floor(Date.now() / 1000)),
    headers: {
      'x-forwarded-for': `198.51.100.${sent % 250}`,
      'idempotency-key': randomUUID(),
    },
  };
}

export function readOf(caller: Caller, path: string): Draft {
  const draft = collectionOf(caller, '');
  delete draft.headers['idempotency-key'];
  return { ...draft, method: 'GET', path, text: '' };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

/** The authority of a server with TLS, and the name that its certificate must have. */
interface Tls {
  readonly ca?: string;
  readonly servername?: string;
}

/** Signs the request and sends it over its own connection. */
export function send(
  baseUrl: string,
  draft: Draft,
  { localAddress, tls = {} }: { readonly localAddress?: string; readonly tls?: Tls } = {},
): Promise<RawAnswer> {
  const { method, path, accessToken, privateKey, nonce, timestamp } = draft;
  const body = draft.text ?? JSON.stringify(draft.fields);
  const signed = signedHeaders(
    { accessToken, privateKey },
    { method, url: path, nonce, timestamp, ...(body === '' ? {} : { body }) },
  );
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...signed, ...draft.headers }))
    if (value !== undefined) headers[name] = value;
  if (body !== '') headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port } = new URL(baseUrl);
    const request = protocol === 'https:' ? httpsRequest : httpRequest;
    const target = { hostname, port, method, path: path + draft.unsigned, headers };
    const options = { ...target, ...(localAddress !== undefined && { localAddress }) };
    const outgoing = request({ ...options, ...tls, timeout: 60_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        try {
          const text = Buffer.concat(chunks).toString();
          const { statusCode: status = 0, headers: got } = answer;
          const read = { status, headers: got, body: JSON.parse(text) as Record<string, unknown> };
          const names = new Map(Object.entries(got).map(([name, value]) => [name, String(value)]));
          assertConforms({ ...read, method, url: options.path, headers: names });
          resolve(read);
        } catch (error) {
          reject(error instanceof Error ? error : new Error('not JSON'));
        }
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
