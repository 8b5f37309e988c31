import { beforeEach, expect, it } from '@jest/globals';
import { Clock } from '#domain/kernel';
import { Metrics, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { alertsFiredBy } from '../../../../../test/servers/alerts.js';
import { AccountReports } from '../balances/account-reports.js';
import { CallbackKeys, sealFloatToken } from '../callback/callback-keys.js';
import { CallbackReceiver } from '../callback/callback-receiver.js';
import { type RailCallbacks, RailTable } from '../rail-adapter.js';
import { FloatStep } from './float-step.js';
import { type PayoutRails } from './payout-rails.js';
import { RailFloats } from './rail-floats.js';

const account = { channel: 'mpesa', mode: 'demo' } as const;
const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
/** A rail whose answers are amounts in digits. */
const rail = {
  channel: 'mpesa',
  payoutReports: { readFloat: (bytes: Uint8Array) => BigInt(Buffer.from(bytes).toString()) },
} as unknown as RailCallbacks;

class Now extends Clock {
  ms = 10_000_000;
  override nowMs = () => this.ms;
}

let now: Now;
let floats: RailFloats;
let receiver: CallbackReceiver;

/** Makes the rail answer the question that was asked at that time. */
async function answer(askedAtMs: number, minor: string): Promise<void> {
  const token = sealFloatToken(keyring, { ...account, askedAtMs }, 'id-1');
  const bytes = Buffer.from(minor);
  await receiver.receive({ token, bytes, correlationId: 'c-1', sourceAddress: undefined });
}

beforeEach(() => {
  now = new Now();
  const kept = new Map<string, string>();
  const redis = {
    get: (key: string) => Promise.resolve(kept.get(key) ?? null),
    set: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
  };
  floats = new RailFloats(redis as never, now);
  const keys = new CallbackKeys(keyring, new UuidIds(), new RailTable([rail]));
  const accounts = new AccountReports(floats, undefined as never);
  receiver = new CallbackReceiver(undefined as never, keys, undefined as never, accounts);
});

it('a float is as of its question: an older question’s answer is no news, nor is one that comes late', async () => {
  const askedAtMs = now.ms;
  now.ms += 3000;
  await answer(askedAtMs, '500');
  expect(await floats.of(account)).toEqual({ minor: 500n, asOfMs: askedAtMs });
  await answer(askedAtMs - 60_000, '900');
  expect(await floats.of(account)).toMatchObject({ minor: 500n });
  await answer(askedAtMs + 1000, '400');
  expect(await floats.of(account)).toMatchObject({ minor: 400n });
  now.ms += 3_600_000;
  await answer(askedAtMs + 2000, '0');
  expect(await floats.of(account)).toMatchObject({ minor: 400n });
});

it('a float that was asked for by a clock ahead of this one gives way to the next', async () => {
  await answer(now.ms, '500');
  now.ms -= 3_600_000;
  await answer(now.ms, '400');
  expect(await floats.of(account)).toEqual({ minor: 400n, asOfMs: now.ms });
});

it('a float that is low or that the rail does not tell raises an alert', async () => {
  now.ms = Date.now();
  const rails = {
    payoutLimits: (_channel: string, mode: string) => (mode === 'demo' ? {} : undefined),
    askForFloat: () => Promise.resolve('taken'),
  } as unknown as PayoutRails;
  const metrics = new Metrics();
  const step = new FloatStep(rails, new RailTable([rail]), floats, metrics);
  const fired = async () => {
    await step.step();
    return alertsFiredBy(await metrics.registry.metrics());
  };
  expect(await fired()).toEqual(['RailFloatUnknown']);
  await answer(now.ms, '2000000');
  expect(await fired()).not.toContain('RailFloatLow');
  await answer(now.ms + 1, '1999999');
  // An answer that stays the last one for hours is old.
  expect(await fired()).toEqual(['RailFloatLow', 'RailFloatUnknown']);
});
