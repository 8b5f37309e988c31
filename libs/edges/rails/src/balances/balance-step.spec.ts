import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CompareRailBalance } from '#domain/settlements';
import { DependencyUnavailable, instantFromMs } from '#domain/kernel';
import { Metrics, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type CallbackKeys } from '../callback/callback-keys.js';
import { type RailAccount } from '../payouts/rail-floats.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { type Asked } from '../rail-adapter.js';
import { type BalanceRails } from './balance-rails.js';
import { type BalanceRound, BalanceRounds, type ToldBalance } from './balance-rounds.js';
import { BalanceSides, BalanceStep } from './balance-step.js';
import { type RailLedger } from './clearing-figures.js';

const minuteMs = 60_000;
const account: RailAccount = { channel: 'mpesa', mode: 'demo' };

/** The records of one account. `waits`: the pauses, the last one first. */
class Rounds extends BalanceRounds {
  round: BalanceRound = { askedAtMs: undefined, attempts: 0, told: [] };
  readonly waits: (readonly [what: string, ms: number])[] = [];
  override due = () => Promise.resolve(this.round);
  override asked(_account: RailAccount, askedAtMs: number, nextInMs: number): Promise<void> {
    this.round = { askedAtMs, attempts: this.round.attempts + 1, told: [] };
    this.waits.unshift(['asked', nextInMs]);
    return Promise.resolve();
  }
  override putOff(_account: RailAccount, pauseMs: number): Promise<void> {
    this.waits.unshift(['put off', pauseMs]);
    return Promise.resolve();
  }
  override ended(_account: RailAccount, nextInMs: number): Promise<void> {
    this.round = { askedAtMs: undefined, attempts: 0, told: [] };
    this.waits.unshift(['ended', nextInMs]);
    return Promise.resolve();
  }
  override tell(_account: RailAccount, told: ToldBalance): Promise<void> {
    this.round = { ...this.round, told: [...this.round.told, told] };
    return Promise.resolve();
  }
}

let nowMs: number;
let rounds: Rounds;
let metrics: Metrics;
/** Short codes that were asked about. */
let questions: string[];
let compared: CompareRailBalance[];
let outcome: string;
let asks: Asked;
let isLedgerBehind: boolean;
let step: BalanceStep;

beforeAll(() => {
  Logger.overrideLogger(false);
});
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20, 21);
  rounds = new Rounds();
  metrics = new Metrics();
  [questions, compared, outcome, asks, isLedgerBehind] = [[], [], 'agrees', 'taken', false];
  const rails = {
    accounts: () => [account],
    shortCodes: () => ['600100', '600200'],
    ask: (_account: RailAccount, shortCode: string) => {
      questions.push(shortCode);
      return Promise.resolve(asks);
    },
    nowMs: () => nowMs,
  } as unknown as BalanceRails;
  const ledger = {
    asOf: () =>
      isLedgerBehind
        ? Promise.reject(new DependencyUnavailable('read model', 'it is behind'))
        : Promise.resolve({ ledgerMinor: 5n, inFlightMinor: 0n, unpostedMinor: 0n, position: '9' }),
  } as RailLedger;
  const options = new RailWorkOptions({
    queryDelaysMs: [],
    pushTimeoutMs: 1000,
    reviewAfterMs: 1000,
  });
  const bus = {
    execute: (command: CompareRailBalance) => {
      compared.push(command);
      return Promise.resolve({ ...command.figures, outcome });
    },
  } as unknown as CommandBus;
  const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
  const keys = { keyring, ids: new UuidIds() } as unknown as CallbackKeys;
  const sides = new BalanceSides(rails, rounds, ledger, options);
  step = new BalanceStep(sides, bus, keys, metrics);
});

const tell = (shortCode: string, amountMinor = 4n, asOfMs = nowMs): Promise<void> =>
  rounds.tell(account, {
    shortCode,
    asOf: instantFromMs(asOfMs),
    accounts: [{ name: 'Working Account', currency: 'KES', amountMinor, isHeld: true }],
    digest: 'd',
  });

describe('the balance of a rail', () => {
  it('is compared once both short codes answered and late reports had their time (BAL-3)', async () => {
    await step.step('demo');
    expect(questions).toEqual(['600100', '600200']);
    await tell('600100');
    await step.step('demo');
    expect(rounds.waits[0]).toEqual(['put off', 2000]);
    nowMs += 1000;
    const asOfMs = nowMs;
    await tell('600200', 1n);
    await step.step('demo');
    expect(rounds.waits[0]).toEqual(['put off', 15 * minuteMs]);
    nowMs += 15 * minuteMs;
    await step.step('demo');
    expect(questions).toHaveLength(2);
    expect(compared.map(({ figures }) => figures)).toMatchObject([
      {
        ...account,
        currency: 'KES',
        asOf: instantFromMs(asOfMs),
        accounts: [
          { shortCode: '600100', amountMinor: 4n },
          { shortCode: '600200', amountMinor: 1n },
        ],
        ledgerMinor: 5n,
      },
    ]);
    expect(compared[0]?.metadata).toMatchObject({ actor: { kind: 'rail', id: 'mpesa' } });
    expect(compared[0]?.metadata).toHaveProperty('commitment');
    expect(rounds.waits[0]).toEqual(['ended', 24 * 60 * minuteMs]);
  });

  it.each(['differs', 'in_flight'])(
    'is asked for again in an hour if it %s (BAL-2)',
    async (of) => {
      outcome = of;
      await step.step('demo');
      for (const code of ['600100', '600200']) await tell(code);
      nowMs += 15 * minuteMs;
      await step.step('demo');
      expect(rounds.waits[0]).toEqual(['ended', 60 * minuteMs]);
    },
  );

  it('is asked for again after half a minute, and then after longer (BAL-2)', async () => {
    await step.step('demo');
    nowMs += 29_999;
    await step.step('demo');
    expect(questions).toHaveLength(2);
    nowMs += 1;
    await step.step('demo');
    expect(questions).toHaveLength(4);
    nowMs += 59_999;
    await step.step('demo');
    expect(questions).toHaveLength(4);
  });

  it('is asked for five times while the rail does not answer, then left for an hour', async () => {
    asks = 'not_asked';
    for (let look = 0; look < 5; look += 1) {
      await step.step('demo');
      nowMs += 3 * minuteMs;
    }
    expect(questions).toHaveLength(10);
    await step.step('demo');
    expect(questions).toHaveLength(10);
    expect(rounds.waits[0]).toEqual(['ended', 60 * minuteMs]);
    expect(await metrics.registry.metrics()).toMatch(/questions_total\{.*"unanswered"\} 5/);
  });

  it('is compared soon after the views were behind', async () => {
    await step.step('demo');
    for (const code of ['600100', '600200']) await tell(code);
    nowMs += 15 * minuteMs;
    isLedgerBehind = true;
    await expect(step.step('demo')).rejects.toThrow(DependencyUnavailable);
    expect(rounds.waits[0]).toEqual(['put off', 5000]);
    isLedgerBehind = false;
    await step.step('demo');
    expect(compared).toHaveLength(1);
  });
});
