import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { hashSecret } from '#shared/signing';
import {
  type Child,
  eventually,
  patientPool,
  pesapost,
  type Service,
  startChild,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  askToken,
  type Caller,
  collectionOf,
  type Draft,
  issueCaller,
  type RawAnswer,
  readOf,
  send,
} from './v4-request.js';

let service: Service;
let replica: Child;
let urls: readonly [string, string];
const url = (child: Child) => `http://127.0.0.1:${String(child.ports.port)}`;
const ips = '127.0.0.1,198.51.100.0/24,2001:db8::/32';
const list = '/api/v4/transactions';

beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,fd00::/8' });
  replica = await startChild('api', { ...service.env, PORT: '0' });
  urls = [service.baseUrl, url(replica)];
});
afterAll(async () => {
  replica.signal('SIGTERM');
  await replica.ended;
  await service.stop();
});

/** The code of an answer, or its status if it is no error. */
const outcome = ({ status, body }: RawAnswer): string =>
  status < 400 ? String(status) : String(body['error']);
const onBoth = <T>(make: (baseUrl: string) => Promise<T>): Promise<T[]> =>
  Promise.all(urls.map(make));

/** The same request, sent to both replicas in turn, all at once. */
const raced = (draft: Draft, times: number): Promise<RawAnswer[]> =>
  Promise.all(Array.from({ length: times }, (_, n) => send(urls[n % 2] ?? '', draft)));

describe('two replicas over one set of servers', () => {
  it('accept a nonce once, separately for each credential', async () => {
    const [one, other] = [await issueCaller(service, { ips }), await issueCaller(service, { ips })];
    const draft = readOf(one, list);
    const outcomes = (await raced(draft, 30)).map(outcome);
    expect(outcomes.filter((found) => found === '200')).toHaveLength(1);
    expect(outcomes.filter((found) => found === 'nonce_reused')).toHaveLength(29);
    expect((await send(urls[1], { ...readOf(other, list), nonce: draft.nonce })).status).toBe(200);
  });

  it('share a credential’s rate: no more than the burst passes, and every answer has the limits', async () => {
    const caller = await issueCaller(service, { ips, rate: '6/m' });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => send(urls[n % 2] ?? '', readOf(caller, list))),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([6, 18]);
    for (const { headers } of answers)
      expect(headers['ratelimit-policy']).toBe('"credential";q=6;w=60');
    expect(passed.map(({ headers }) => headers['ratelimit'] as string).sort()[0]).toMatch(
      /^"credential";r=0;t=(59|60)$/,
    );
    for (const { headers, body } of refused) {
      expect(body).toEqual({ error: 'rate_limited' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(10);
      expect(headers['ratelimit']).toMatch(/^"credential";r=0;t=\d+$/);
    }
  });

  it('forget a revoked credential within a second', async () => {
    const caller = await issueCaller(service, { ips });
    const statuses = (): Promise<number[]> =>
      onBoth(async (to) => (await send(to, readOf(caller, list))).status);
    expect(await statuses()).toEqual([200, 200]);
    // Both replicas keep serving, so that both have the credential cached when it is revoked.
    const over = new AbortController();
    const busy = (async () => {
      while (!isAborted(over.signal)) await statuses();
    })();
    const { merchantId } = service.merchant.credentials;
    await pesapost(
      service.env,
      ...['credential', 'revoke', caller.credentialId, '--merchant', merchantId],
      ...['--reason', 'laptop lost', '--as', 'spec'],
    );
    await eventually(statuses, (all) => all.every((status) => status === 401), {
      withinMs: 30_000,
      everyMs: 20,
    });
    over.abort();
    await busy;
    const from = '198.51.100.1';
    expect(await onBoth((to) => askToken(to, { ...caller, from }))).toEqual(['', '']);
  });

  it('apply a changed list of addresses within a second', async () => {
    const caller = await issueCaller(service, { ips });
    const statuses = (): Promise<number[]> =>
      onBoth(async (to) => (await send(to, readOf(caller, list))).status);
    expect(await statuses()).toEqual([200, 200]);
    const { merchantId } = service.merchant.credentials;
    await pesapost(
      service.env,
      ...['ip-list', 'set', '--credential', caller.credentialId, '--merchant', merchantId],
      ...['--ips', '192.0.2.1', '--reason', 'address lost', '--as', 'spec'],
    );
    await eventually(statuses, (all) => all.every((status) => status === 403), {
      withinMs: 30_000,
      everyMs: 20,
    });
  });

  it('forget an expired token within a second', async () => {
    const caller = await issueCaller(service, { ips });
    const statuses = (): Promise<number[]> =>
      onBoth(async (to) => (await send(to, readOf(caller, list))).status);
    expect(await statuses()).toEqual([200, 200]);
    const logger = createLogger({ app: 'tests', level: 'fatal' });
    const database = new Database({
      ...patientPool,
      url: service.env['DATABASE_URL'] ?? '',
      app: 'tests',
      logger,
    });
    await database.query(
      `update records.access_tokens set expires_at = records.now_() where token_hash = $1`,
      [hashSecret(caller.accessToken)],
    );
    await database.close();
    await eventually(statuses, (all) => all.every((status) => status === 401), {
      withinMs: 30_000,
      everyMs: 20,
    });
    const refused = await send(urls[0], readOf(caller, list));
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('count a source’s failures together, without effect on other sources or authenticated callers', async () => {
    const caller = await issueCaller(service, { ips });
    const shared = '198.51.100.251';
    const failing = (): Draft => {
      const draft = readOf(caller, list);
      return { ...draft, accessToken: 'x'.repeat(43), headers: { 'x-forwarded-for': shared } };
    };
    const outcomes: string[] = [];
    const begunAt = performance.now();
    const isOver = (round: number) =>
      round >= 400 || (round >= 40 && outcomes.includes('rate_limited'));
    for (let round = 0; !isOver(round); round += 1)
      outcomes.push(...(await raced(failing(), 20)).map(outcome));
    const told = outcomes.filter((found) => found === 'invalid_token').length;
    expect(told).toBeGreaterThanOrEqual(600);
    // Ten more get an answer each second.
    expect(told).toBeLessThanOrEqual(602 + (10 * (performance.now() - begunAt)) / 1000);
    expect(new Set(outcomes)).toEqual(new Set(['invalid_token', 'rate_limited']));

    const good = readOf(caller, list);
    good.headers['x-forwarded-for'] = shared;
    await onBoth((to) => send(to, readOf(caller, list)));
    expect((await send(urls[0], good)).status).toBe(200);
    const elsewhere = failing();
    elsewhere.headers['x-forwarded-for'] = '198.51.100.252';
    expect(outcome(await send(urls[0], elsewhere))).toBe('invalid_token');
  });
});

describe('a timestamp', () => {
  // Times are whole seconds, and the request takes time to arrive. Both shift the result to the same side, which has
  // room.
  it.each([
    [290, '200'],
    [-299, '200'],
    [302, 'timestamp_expired'],
    [-310, 'timestamp_expired'],
  ])('%d s behind our clock gets %s', async (seconds, expected) => {
    const caller = await windows();
    const draft = readOf(caller, list);
    draft.timestamp = String(Math.floor(Date.now() / 1000) - seconds);
    expect(outcome(await send(urls[0], draft))).toBe(expected);
  });
  let cached: Promise<Caller> | undefined;
  const windows = (): Promise<Caller> => (cached ??= issueCaller(service, { ips }));
});

describe('the address of a caller', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await issueCaller(service, { ips: '198.51.100.0/24,2001:db8:1::/48' });
  });
  const from = (forwarded: string | undefined): Draft => {
    const draft = readOf(caller, list);
    draft.headers['x-forwarded-for'] = forwarded;
    return draft;
  };

  it.each([
    ['198.51.100.7', '200'],
    ['203.0.113.1, 198.51.100.7', '200'],
    ['198.51.100.7, 203.0.113.1', 'ip_not_allowed'],
    ['198.51.100.7, 10.0.0.1', '200'],
    ['198.51.100.7, 10.0.0.1, fd00::1', '200'],
    ['203.0.113.1, 10.0.0.1', 'ip_not_allowed'],
    ['::ffff:198.51.100.7', '200'],
    ['::FFFF:C633:6407', '200'],
    ['0:0:0:0:0:ffff:198.51.100.7', '200'],
    ['2001:DB8:1::5', '200'],
    ['2001:db8:1:0:0:0:0:5', '200'],
    ['2001:db8:2::5', 'ip_not_allowed'],
    ['198.51.100.7:443', 'ip_not_allowed'],
    ['[2001:db8:1::5]', 'ip_not_allowed'],
    ['198.51.100.007', 'ip_not_allowed'],
    ['unknown', 'ip_not_allowed'],
    ['198.51.100.7,', '200'],
    [undefined, 'ip_not_allowed'],
  ])('forwarded by a trusted proxy as %s gets %s', async (forwarded, expected) => {
    expect(outcome(await send(urls[0], from(forwarded)))).toBe(expected);
  });

  it('is the peer’s own if the peer is not a trusted proxy, even if an address was forwarded', async () => {
    const open = await startChild('api', {
      ...service.env,
      PORT: '0',
      TRUSTED_PROXIES: '192.0.2.1',
    });
    try {
      expect(outcome(await send(url(open), from('198.51.100.7')))).toBe('ip_not_allowed');
      const local = await issueCaller(service, { ips: '127.0.0.1,198.51.100.1' });
      expect(outcome(await send(url(open), readOf(local, list)))).toBe('200');
    } finally {
      open.signal('SIGTERM');
      await open.ended;
    }
  });
});

describe('one reference and key raced on both replicas', () => {
  it('is pushed once, and every answer is 202 or 409', async () => {
    const caller = await issueCaller(service, { ips });
    const before = await pushes();
    const first = collectionOf(caller, service.merchant.credentials.accountNo);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const { headers, fields } = first;
        const again = collectionOf(caller, service.merchant.credentials.accountNo);
        return send(urls[n % 2] ?? '', { ...again, fields, headers });
      }),
    );
    const found = new Set(answers.map(outcome));
    found.delete('idempotency_in_progress');
    expect([...found]).toEqual(['202']);
    expect(await pushes()).toBe(before + 1);
  });
});

async function pushes(): Promise<number> {
  const response = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await response.json()) as { pushes: number }).pushes;
}

/** A function, because the compiler takes a signal's state for constant within a loop. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
