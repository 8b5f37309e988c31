import { createPrivateKey, randomUUID } from 'node:crypto';
import { assertConforms } from './conformance.js';
import { type Signer, signedHeaders } from '../signed-request.js';

/** The merchant's values from `npx pesapost credential issue` and `account open`. */
export interface MerchantCredentials {
  readonly merchantId: string;
  readonly accountNo: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly privateKeyPem: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Longer than the service's slowest answer (COL-24), so that a hanging service fails a test by name. */
const requestDeadlineMs = 60_000;

/** A merchant's system, as its developers would write it: token, signature, idempotency key. */
export class MerchantClient {
  private signer: Signer | undefined;

  constructor(
    readonly baseUrl: string,
    readonly credentials: MerchantCredentials,
  ) {}

  /** Gets a token if there is none yet. */
  async signIn(): Promise<Signer> {
    if (this.signer) return this.signer;
    const { clientId, clientSecret, privateKeyPem } = this.credentials;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const response = await fetch(`${this.baseUrl}/api/v4/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      signal: AbortSignal.timeout(requestDeadlineMs),
    });
    const { access_token } = (await read('POST', '/api/v4/oauth/token', response)).body;
    if (typeof access_token !== 'string') throw new Error(`no token: ${response.status}`);
    this.signer = { accessToken: access_token, privateKey: createPrivateKey(privateKeyPem) };
    return this.signer;
  }

  /** Returns the same merchant with the same token, for another replica. */
  at(baseUrl: string): MerchantClient {
    const other = new MerchantClient(baseUrl, this.credentials);
    other.signer = this.signer;
    return other;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  /** Creates a collection for the merchant's account; `fields` replace or extend the body's. */
  collect(
    fields: Readonly<Record<string, unknown>>,
    idempotencyKey: string = randomUUID(),
  ): Promise<Answer> {
    const body = {
      account_no: this.credentials.accountNo,
      phone: '254712345678',
      amount_minor: 10_000,
      currency: 'KES',
      channel: 'mpesa',
      ...fields,
    };
    return this.send('POST', '/api/v4/collections', {
      body: JSON.stringify(body),
      headers: { 'idempotency-key': idempotencyKey },
    });
  }

  async send(
    method: string,
    path: string,
    {
      body,
      headers = {},
    }: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const signed = signedHeaders(await this.signIn(), {
      method,
      url: path,
      ...(body === undefined ? {} : { body }),
    });
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...signed, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(requestDeadlineMs),
    });
    return read(method, path, response);
  }
}

/** Reads the answers of all suites, so that each is compared with openapi.json. */
async function read(method: string, url: string, response: Response): Promise<Answer> {
  const { status, headers } = response;
  const body = (await response.json()) as Record<string, unknown>;
  assertConforms({ method, url, status, headers: new Map(headers), body });
  return { status, headers, body };
}
