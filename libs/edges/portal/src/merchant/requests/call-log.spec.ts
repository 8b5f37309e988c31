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
  override add(calls: NotedCalls): Promise<void> {
    this.added.push(calls);
    return Promise.resolve();
  }
}

const call = (more: Partial<AnsweredRequest>): AnsweredRequest => ({
  requestId: 'r',
  method: 'GET',
  route: '/api/v4/transactions',
  status: 200,
  code: undefined,
  credentialId: 'c-1',
  ...more,
});

async function written(calls: readonly AnsweredRequest[]): Promise<NotedCalls> {
  const records = new CallsInMemory({} as Queryable);
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  const log = new CallLog(
    records,
    new HeldClock(),
    new Metrics(),
    new MerchantPagesOptions(0, logger, '2026-01-01'),
  );
  for (const one of calls) log.answered(one);
  log.onApplicationBootstrap();
  await eventually(
    () => Promise.resolve(records.added.length),
    (count) => count > 0,
  );
  await log.onApplicationShutdown();
  return records.added[0] ?? { uses: [], refused: [] };
}

describe('the log of calls', () => {
  it('notes a credential’s use, but not where it did not prove itself', async () => {
    const refused = call({ credentialId: 'c-2', status: 401, code: 'invalid_signature' });
    const { uses } = await written([call({}), call({}), refused]);
    expect(uses.map(({ credentialId }) => credentialId)).toEqual(['c-1']);
  });

  it('lists refusals by route, code and request, of calls alone', async () => {
    const { refused } = await written([
      call({ status: 422, code: 'insufficient_funds', requestId: 'r-1' }),
      call({ route: '/portal/merchants/:merchantId/:mode/keys', status: 403, code: 'forbidden' }),
      call({ credentialId: undefined, status: 401, code: 'invalid_token' }),
    ]);
    expect(refused.map(({ requestId, code }) => [requestId, code])).toEqual([
      ['r-1', 'insufficient_funds'],
    ]);
  });

  it('holds thirty of a credential in a minute, however many there are', async () => {
    const many = Array.from({ length: 100 }, () => call({ status: 429, code: 'rate_limited' }));
    const { refused } = await written(many);
    expect(refused).toHaveLength(30);
  });
});
