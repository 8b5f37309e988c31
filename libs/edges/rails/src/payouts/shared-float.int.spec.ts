import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Minor } from '#domain/kernel';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { redisNamespace } from '#testing';
import { type AnsweredOrder, type RailAdapter } from '../rail-adapter.js';
import { type RailAnswers } from '../rail-answers.js';
import { PayoutRails } from './payout-rails.js';
import { RailFloats } from './rail-floats.js';

class Now extends SystemClock {
  ms = 10_000_000;
  override nowMs = () => this.ms;
}

const redis = new RedisStore({
  ...redisNamespace(),
  logger: createLogger({ app: 'spec', level: 'silent' }),
});
const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
let channel: string;
let now: Now;
let outcome: AnsweredOrder;

/** Makes a worker of its own, for payouts only. */
function worker(clock: Now = now): PayoutRails {
  const payouts = { payoutLimits: () => ({}), pay: () => Promise.resolve(outcome) };
  return new PayoutRails([{ channel, payouts } as unknown as RailAdapter], {
    baseUrl: 'https://pay.example',
    keyring,
    ids: new UuidIds(),
    clock,
    floats: new RailFloats(redis, clock),
    metrics: new Metrics(),
    answers: {} as unknown as RailAnswers,
  });
}
const pay = (from: PayoutRails, amountMinor: Minor) =>
  from.pay({
    channel,
    mode: 'demo',
    stream: 'payout-demo:m1:p-1',
    originatorConversationId: 'pp-1',
    phone: '254712345678',
    amountMinor,
  });
const left = (of: PayoutRails) => of.floatOf(channel, 'demo');
/** Records the float that the rail reports now. */
const tell = (minor: Minor) => new RailFloats(redis, now).tell({ channel, mode: 'demo' }, minor);

beforeAll(() => redis.start());
afterAll(() => redis.close());
beforeEach(() => {
  channel = `rail-${randomUUID().slice(0, 8)}`;
  now = new Now();
  outcome = { kind: 'accepted', conversationId: 'AG_1' };
});

it('float that one worker sends is unavailable to the others until the rail reports it again', async () => {
  const [one, other] = [worker(), worker()];
  await tell(100_000n);
  now.ms += 5000;
  await pay(one, 60_000n);
  await pay(other, 10_000n);
  expect([await left(one), await left(other)]).toEqual([30_000n, 30_000n]);
  // A worker that is started meanwhile knows it too.
  expect(await left(worker())).toBe(30_000n);
  now.ms += 5000;
  await tell(35_000n);
  expect(await left(other)).toBe(35_000n);
});

it('float for a refused payout is available again, but float for one of unknown outcome is not', async () => {
  const [one, other] = [worker(), worker()];
  await tell(100_000n);
  outcome = { kind: 'refused', failureCode: 'invalid_request' };
  await pay(one, 60_000n);
  expect(await left(other)).toBe(100_000n);
  outcome = { kind: 'unknown' };
  await pay(one, 60_000n);
  expect(await left(other)).toBe(40_000n);
});

it('a clock a moment ahead hides no spending, and one an hour ahead holds up no other worker', async () => {
  const ahead = new Now();
  ahead.ms += 1500;
  const [one, other] = [worker(ahead), worker()];
  await tell(100_000n);
  await pay(one, 60_000n);
  expect(await left(other)).toBe(40_000n);
  ahead.ms += 3_600_000;
  await pay(one, 40_000n);
  expect(await left(other)).toBe(40_000n);
});
