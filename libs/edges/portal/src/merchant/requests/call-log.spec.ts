import { type Queryable } from '#infra/postgres';
import { describe, expect, it } from '@jest/globals';
import { Clock, type Instant, instantFromMs } from '#domain/kernel';
import { createLogger, Metrics } from '#infra/runtime';
import { type AnsweredRequest } from '#shared/http';
import { eventually } from '#testing';
import { MerchantPagesOptions } from '../options.js';
import { CallRecords, type NotedCalls } from '#records/credentials';
import { CallLog } from './call-log.js';

class HeldClock extends Clock {
  ms = Date.UTC(2026, 10, 21, 9);
  nowMs(): number {
    return this.ms;
  }
  override now(): Instant {
    return instantFromMs(this.ms);
  }
}

class CallsInMemory extends CallRecords {
  readonly added: NotedCalls[] = [];
  readonly trimmed: string[] = [];
  isAway = false;
  override add(calls: NotedCalls): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.added.push(calls);
    return Promise.resolve();
  }
  override trim(merchantId: string, mode: string): Promise<void> {
    this.trimmed.push(`${merchantId} ${mode}`);
    return Promise.resolve();
  }
}

const call = (more: Partial<AnsweredRequest>): AnsweredRequest => ({
  requestId: 'r',
  method: 'GET',
  route: '/api/v4/transactions',
  target: '/api/v4/transactions?limit=5',
  status: 200,
  code: undefined,
  durationMs: 3,
  credentialId: 'c-1',
  merchantId: 'm-1',
  mode: 'live',
  ...more,
});

const refusal = (more: Partial<AnsweredRequest>): AnsweredRequest =>
  call({ status: 422, code: 'insufficient_funds', ...more });

function setUp() {
  const records = new CallsInMemory({} as Queryable);
  const clock = new HeldClock();
  const metrics = new Metrics();
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ app: 'spec', level: 'warn', destination });
  const log = new CallLog(
    records,
    clock,
    metrics,
    new MerchantPagesOptions(0, logger, '2026-01-01'),
  );
  return { records, clock, metrics, lines, log };
}

/** The calls that are written, if these were answered at once. */
async function written(calls: readonly AnsweredRequest[]): Promise<NotedCalls> {
  const { records, log } = setUp();
  for (const one of calls) log.answered(one);
  log.onApplicationBootstrap();
  await eventually(
    () => Promise.resolve(records.added.length),
    (count) => count > 0,
  );
  await log.onApplicationShutdown();
  return records.added[0] ?? { uses: [], calls: [] };
}

/** A credential that names itself, so that something is written. */
const mark = refusal({ credentialId: 'mark', requestId: 'mark' });

describe('the log of calls', () => {
  it('records the use of a credential only if the credential proved itself', async () => {
    const refused = call({ credentialId: 'c-2', status: 401, code: 'invalid_signature' });
    const { uses } = await written([call({}), call({}), refused]);
    expect(uses.map(({ credentialId }) => credentialId)).toEqual(['c-1']);
  });

  it('lists accepted and refused calls of credentials, and nothing else', async () => {
    const { calls } = await written([
      refusal({ requestId: 'r-1' }),
      call({ requestId: 'r-2' }),
      refusal({ route: '/portal/merchants/:merchantId/:mode/keys', requestId: 'r-3' }),
      refusal({ credentialId: undefined, requestId: 'r-4' }),
      refusal({ route: '/v3/collect', merchantId: undefined, requestId: 'r-5' }),
      call({ route: '/v3/collect', requestId: 'r-6' }),
      call({ merchantId: undefined, mode: undefined, requestId: 'r-7' }),
    ]);
    expect(calls.map(({ requestId, code }) => [requestId, code])).toEqual([
      ['r-1', 'insufficient_funds'],
      ['r-2', undefined],
      ['r-5', 'insufficient_funds'],
    ]);
  });

  it('keeps path and query of V4 calls that proved their credential, without phone numbers', async () => {
    const target = '/api/v4/collections/0712345678?x=1';
    const { calls } = await written([
      refusal({ target, durationMs: 17 }),
      refusal({ target, merchantId: undefined, mode: undefined }),
      refusal({ target: '/v3/collect?phone=0712345678', route: '/v3/collect' }),
    ]);
    expect(calls.map((one) => [one.target, one.durationMs])).toEqual([
      ['/api/v4/collections/0******678?x=1', 17],
      [undefined, 3],
      [undefined, 3],
    ]);
    expect(JSON.stringify(calls)).not.toContain('712345678');
  });

  it('keeps thirty refused calls of a credential in a minute, however many there are', async () => {
    const many = Array.from({ length: 100 }, () => refusal({ status: 429, code: 'rate_limited' }));
    const { calls } = await written(many);
    expect(calls).toHaveLength(30);
  });

  it('keeps five accepted calls a second of a merchant and mode, and each refused one', async () => {
    const many = Array.from({ length: 100 }, () => call({}));
    const other = call({ mode: 'demo', credentialId: 'c-2' });
    const { calls } = await written([...many, other, refusal({}), mark]);
    const kept = calls.filter(({ code }) => code === undefined);
    expect(kept.map(({ mode }) => mode)).toEqual([...Array<string>(5).fill('live'), 'demo']);
    expect(calls.filter(({ code }) => code !== undefined)).toHaveLength(2);
  });

  it('keeps five more in the next second, and counts the others', async () => {
    const { log, clock, records, metrics } = setUp();
    for (let at = 0; at < 3; at += 1) {
      for (let one = 0; one < 7; one += 1) log.answered(call({}));
      clock.ms += 1000;
    }
    log.onApplicationBootstrap();
    await eventually(
      () => Promise.resolve(records.added[0]?.calls.length),
      (count) => count === 15,
    );
    await log.onApplicationShutdown();
    expect(await metrics.registry.metrics()).toContain(
      'api_calls_not_logged_total{reason="sampled"} 6',
    );
  });

  it('drops and counts calls, with one line of the log, while Postgres is away', async () => {
    const { log, clock, records, metrics, lines } = setUp();
    records.isAway = true;
    for (let at = 0; at < 10; at += 1) {
      for (let one = 0; one < 300; one += 1) log.answered(call({ merchantId: `m-${one}` }));
      clock.ms += 1000;
    }
    // 200 a second are kept, until a thousand wait.
    expect(await metrics.registry.metrics()).toContain(
      'api_calls_not_logged_total{reason="full"} 1000',
    );
    expect(lines.filter((line) => line.includes('drops calls'))).toHaveLength(1);
    records.isAway = false;
    log.onApplicationBootstrap();
    await eventually(
      () => Promise.resolve(records.added[0]?.calls.length),
      (count) => count === 1000,
    );
    await log.onApplicationShutdown();
  });

  it('deletes the oldest of a merchant and mode after it wrote a thousand', async () => {
    const { log, clock, records } = setUp();
    for (let at = 0; at < 200; at += 1) {
      for (let one = 0; one < 5; one += 1) log.answered(call({}));
      clock.ms += 1000;
    }
    log.onApplicationBootstrap();
    await eventually(
      () => Promise.resolve(records.trimmed.length),
      (count) => count > 0,
    );
    await log.onApplicationShutdown();
    expect(records.trimmed).toEqual(['m-1 live']);
  });
});

it('the uses of credentials are written although the clock was set back', async () => {
  const { records, clock, log } = setUp();
  const usesWritten = (times: number) =>
    eventually(
      () => Promise.resolve(records.added.filter(({ uses }) => uses.length > 0).length),
      (count) => count === times,
    );
  log.answered(call({}));
  log.onApplicationBootstrap();
  await usesWritten(1);
  clock.ms -= 600_000;
  log.answered(call({}));
  await usesWritten(2);
  await log.onApplicationShutdown();
});
