import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { signV4, stringToSign } from '#shared/signing';
import { assertConforms, MemoryLog } from '#testing';
import { askToken, issueCredential, privateKey, useEdge } from '../test/edge.js';
import {
  headerNames,
  hostileBody,
  hostileHeader,
  hostileQuery,
  hostileSegment,
  hostileText,
} from '../test/hostile.js';
import { account } from '../test/ports.js';
import { errors } from './errors.js';

const log = new MemoryLog();
let app: NestFastifyApplication;
let accessToken: string;
useEdge(async (started, { database }) => {
  app = started;
  await database.query(
    `update checkpoint set position = 1000000, fresh_at = now() + interval '1 hour'`,
  );
  const answer = await askToken(app, await issueCredential(database));
  accessToken = answer.json<{ access_token: string }>().access_token;
}, log);

interface Hostile {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  /** With valid authentication, which `headers` replace. */
  readonly signed: boolean;
}

/** Fixed, so that a failure can be reproduced. Change it to test other requests. */
const seed = 20_261_121;
const atOnce = 16;
/** Far more than any request takes, and far less than a backtracking regular expression takes. */
const maxMs = 60_000;
/** Thousands of requests take a busy machine this long. */
const manyMs = 1_200_000;
const statusOf = new Map<string, number>(Object.values(errors).map((e) => [e.code, e.status]));
const right = {
  account_no: account.accountNo,
  phone: '254712345678',
  amount_minor: 10_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1',
};

let sent = 0;
const acceptedReferences = new Set<string>();
const tally = new Map<string, number>();

/** Sends the request, and compares the answer with the error table (ERR-1). */
async function send({ method, url, headers, body, signed }: Hostile): Promise<void> {
  sent += 1;
  // Each request has another source, so that their failures do not add up to 429.
  const remoteAddress = `198.51.100.${sent % 256}`;
  const target = new URL(`http://localhost${url}`);
  const asSent = target.pathname + target.search;
  const proof = signed ? proofOf(method, asSent, body) : {};
  const started = performance.now();
  const answer = await app.inject({
    method: method as 'GET',
    url: target.href,
    remoteAddress,
    headers: { ...proof, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  const ms = performance.now() - started;
  const found = { method, url, status: answer.statusCode, payload: answer.payload.slice(0, 300) };
  tally.set(String(found.status), (tally.get(String(found.status)) ?? 0) + 1);
  expect({ ...found, slow: ms > maxMs }).toEqual({ ...found, slow: false });
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  if (method === 'HEAD') return;
  const parsed = answer.json<Record<string, unknown>>();
  assertConforms({
    method,
    url: asSent,
    status: answer.statusCode,
    headers: new Map(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    body: parsed,
  });
  if (answer.statusCode < 300) {
    if (answer.statusCode === 202) acceptedReferences.add(String(parsed['reference']));
    return;
  }
  expect({ ...found, named: statusOf.get(String(parsed['error'])) }).toEqual({
    ...found,
    named: answer.statusCode,
  });
  expect(answer.statusCode).toBeLessThan(500);
  const keys = Object.keys(parsed).filter((key) => key !== 'error' && key !== 'detail');
  expect({ ...found, keys }).toEqual({ ...found, keys: [] });
}

/** Returns the headers that prove the request. A query that cannot be read cannot be signed either. */
function proofOf(
  method: string,
  url: string,
  bodyBytes: Buffer = Buffer.alloc(0),
): Record<string, string> {
  const [rawPath = '', rawQuery = ''] = url.split(/\?(.*)/s);
  const [nonce, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))];
  const text = stringToSign({ method, rawPath, rawQuery, bodyBytes, nonce, timestamp });
  return {
    authorization: `Bearer ${accessToken}`,
    'x-pp-nonce': nonce,
    'x-pp-timestamp': timestamp,
    'x-pp-signature': text.ok ? signV4(privateKey, text.value) : 'none',
  };
}

async function sendAll(arbitrary: fc.Arbitrary<Hostile>, times: number): Promise<void> {
  const requests = fc.sample(arbitrary, { numRuns: times, seed });
  for (let at = 0; at < requests.length; at += atOnce)
    await Promise.all(requests.slice(at, at + atOnce).map(send));
}

const hostileHeaders = fc.dictionary(
  fc.constantFrom(...headerNames),
  fc.oneof(hostileHeader, fc.array(hostileHeader, { minLength: 2, maxLength: 3 })),
  { maxKeys: 5 },
);
const routes = ['/api/v4/collections', '/api/v4/transactions', '/api/v4/oauth/token', '/api/v4'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];

describe('20,000 hostile requests get no answer that the contract does not name:', () => {
  it(
    'untrusted senders’, of any method, path, headers and bytes',
    async () => {
      const untrusted = fc
        .record({
          method: fc.constantFrom(...methods),
          route: fc.constantFrom(...routes, '', '//', '/rails', '/API/V4/collections'),
          rest: fc.array(hostileSegment, { maxLength: 3 }),
          query: fc.oneof(fc.constant(''), hostileQuery),
          headers: hostileHeaders,
          body: fc.option(hostileBody(right), { nil: undefined }),
        })
        .map(({ method, route, rest, query, headers, body }) => ({
          method,
          url: `${[route, ...rest].join('/') || '/'}?${query}`,
          headers,
          ...(body !== undefined && method !== 'HEAD' && { body }),
          signed: false,
        }));
      await sendAll(untrusted, 8000);
    },
    manyMs,
  );

  it(
    'merchants’, with bodies that are nearly right',
    async () => {
      const bodies = hostileBody(right).map((body) => ({
        method: 'POST',
        url: '/api/v4/collections',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body,
        signed: true,
      }));
      await sendAll(bodies, 5000);
    },
    manyMs,
  );

  it(
    'merchants’, with queries of all kinds',
    async () => {
      const queries = hostileQuery.map((query) => ({
        method: 'GET',
        url: `/api/v4/transactions?${query}`,
        headers: {},
        signed: true,
      }));
      await sendAll(queries, 3000);
    },
    manyMs,
  );

  it(
    'merchants’, with references, account numbers and positions of all kinds',
    async () => {
      const paths = fc
        .record({
          segment: hostileSegment,
          collection: fc.boolean(),
          position: fc.option(hostileHeader, { nil: undefined }),
        })
        .map(({ segment, collection, position }) => ({
          method: 'GET',
          url: collection
            ? `/api/v4/collections/${segment}`
            : `/api/v4/accounts/${segment}/balance`,
          headers: position === undefined ? {} : { 'x-pp-min-position': position },
          signed: true,
        }));
      await sendAll(paths, 1500);
    },
    manyMs,
  );

  it(
    'merchants’, with any header spoilt, doubled or made up',
    async () => {
      const spoilt = hostileHeaders.map((headers) => ({
        method: 'POST',
        url: '/api/v4/collections',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          ...headers,
        },
        body: Buffer.from(JSON.stringify({ ...right, reference: `H-${randomUUID()}` })),
        signed: true,
      }));
      await sendAll(spoilt, 1500);
    },
    manyMs,
  );

  it(
    'requests for tokens',
    async () => {
      const token = fc
        .record({
          user: hostileText,
          password: hostileText,
          form: hostileQuery,
          raw: hostileHeader,
        })
        .chain(({ user, password, form, raw }) =>
          fc
            .constantFrom(
              `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
              `Basic ${raw}`,
              raw,
            )
            .map((authorization) => ({
              method: 'POST',
              url: '/api/v4/oauth/token',
              headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
              body: Buffer.from(form),
              signed: false,
            })),
        );
      await sendAll(token, 1500);
    },
    manyMs,
  );

  it('and none that was refused wrote an event', () => {
    expect(sent).toBeGreaterThanOrEqual(20_000);
    const written = [...log.streams.keys()].map((stream) => stream.split(':').slice(2).join(':'));
    expect(written.filter((reference) => !acceptedReferences.has(reference))).toEqual([]);
    expect(acceptedReferences.size).toBeGreaterThan(0);
    // The requests must get past authentication, so each of these statuses must occur often enough.
    for (const status of ['200', '202', '400', '401', '404', '405', '415'])
      expect({ status, often: (tally.get(status) ?? 0) > 20 }).toEqual({ status, often: true });
  });
});

describe('no header, body or query of any length makes a regular expression slow:', () => {
  const heads = ['', 'Bearer ', 'Basic ', '"', 'application/', '1'];
  const parts = ['a', ' ', '=', ',', '/', '+', '"', '\t', '0', '-', ':', 'a=', 'a/', ' ;', '::'];

  it(
    '15,000 characters in a header',
    async () => {
      for (const name of headerNames)
        for (const head of heads)
          for (const part of parts) {
            const value = head + part.repeat(15_000 / part.length) + '\x80';
            const headers = { [name]: value };
            await send({ method: 'GET', url: '/api/v4/transactions', headers, signed: false });
          }
    },
    manyMs,
  );

  it(
    '60,000 characters in a field',
    async () => {
      for (const name of Object.keys(right))
        for (const part of parts) {
          const text = '254' + part.repeat(60_000 / part.length) + '!';
          const body = Buffer.from(JSON.stringify({ ...right, [name]: text }));
          const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
          await send({ method: 'POST', url: '/api/v4/collections', headers, body, signed: true });
        }
    },
    manyMs,
  );
});
