import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { alertsFiredBy } from '../../../../../test/servers/alerts.js';
import { type CollectionsClient } from '../collections-client.js';
import { type QueriedAnswers } from '../query/queried-answers.js';
import { type RailQuestions } from '../query/rail-questions.js';
import { type CollectionKey, collectionStream, type ListedPayment } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable, type Instant, type Mode } from '#domain/kernel';
import { Metrics, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type Bearer } from '#views/reconciliations';
import { CallbackKeys } from '../callback/callback-keys.js';
import {
  type RailCallbacks,
  RailTable,
  type TakenAnswer,
  type TakenPayment,
  type TakenSweep,
} from '../rail-adapter.js';
import { type DueDay, type EndedDay, TakenDays } from './taken-days.js';
import { PaymentListRails } from './payment-list-rails.js';
import { PaymentListStep } from './payment-list-step.js';
import { Bearers, FoundCollections, TakenPayments, TakenRecorders } from './taken-payments.js';
import { type TakenSweeps } from './taken-sweeps.js';
import { type Receiving, type UnaskedPayments } from '../notices/unasked-payments.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});

const due: DueDay = {
  channel: 'mpesa',
  mode: 'demo',
  day: '2026-11-20',
  fromMs: 0,
  untilMs: 86_400_000,
  isForgottenSoon: false,
  offset: 0,
  attempt: 3,
};
const payment = (receipt: string): TakenPayment => ({
  receipt,
  amountMinor: 100n,
  paidAt: '2026-11-20T10:00:00.000Z' as Instant,
  code: 'CODE00000001',
});
const key: CollectionKey = { mode: 'demo', merchantId: 'm-1', reference: 'R1' };
const stream = collectionStream(key);

const callbackKeys = new CallbackKeys(
  Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]),
  new UuidIds(),
  new RailTable([{ channel: 'mpesa' } as RailCallbacks]),
);

/** Keeps the notes of one step. */
class Days extends TakenDays {
  readonly told: unknown[] = [];
  constructor(
    private day: DueDay | 'none' = due,
    private readonly ended: readonly EndedDay[] = [],
    private readonly held: boolean | 'unknown' = false,
  ) {
    super();
  }
  override due = () =>
    Promise.resolve({ day: this.day === 'none' ? undefined : this.day, ended: this.ended });
  override holdsMoney = () => Promise.resolve(this.held === 'unknown' ? undefined : this.held);
  override untold = () => {
    this.told.push('untold');
    return Promise.resolve();
  };
  override keep = () => Promise.resolve();
  override asked = (day: DueDay, found: Parameters<TakenDays['asked']>[1]) => {
    this.told.push(found);
    if (found.next !== undefined) this.day = { ...day, offset: found.next };
    return Promise.resolve();
  };
  override putOff = (_day: DueDay, pauseMs: number, isNothingTold?: boolean) => {
    this.told.push({ pauseMs, ...(isNothingTold && { isNothingTold }) });
    return Promise.resolve();
  };
}

function stepOf(
  days: Days,
  answer: TakenAnswer,
  known: {
    readonly bearers?: Readonly<Record<string, readonly Bearer[]>>;
    readonly settles?: 'known' | 'settled' | 'not_settled' | 'paid_twice' | Error;
    /** The outcome of a payment without a push. */
    readonly receives?: Receiving;
    /** The outcome if it is recorded only for an account that it names. */
    readonly receivesNamed?: Receiving;
    /** False if an event is quarantined that may be a bearer. */
    readonly isWhole?: boolean;
  } = {},
) {
  const asked: CollectionKey[] = [];
  const posted: string[] = [];
  const paymentLists = {
    timezone: 'Africa/Nairobi',
    lookBackMs: (mode: Mode) => (mode === 'demo' ? 1 : undefined),
    ask: () => Promise.resolve(answer),
  };
  const metrics = new Metrics();
  const bearers = new (class extends Bearers {
    override of = () => {
      const byReceipt = new Map(Object.entries(known.bearers ?? {}));
      return Promise.resolve({ byReceipt, isWhole: known.isWhole ?? true });
    };
  })();
  const found = {
    settle: (_channel: string, of: CollectionKey) => {
      asked.push(of);
      if (known.settles instanceof Error) return Promise.reject(known.settles);
      return Promise.resolve(known.settles ?? 'not_settled');
    },
  } as unknown as FoundCollections;
  const unasked = {
    listed: ({ channel, mode }: DueDay, of: TakenPayment) => ({ channel, mode, payment: of }),
    receive: () => Promise.resolve(known.receives ?? 'no_account'),
    receiveNamed: () => Promise.resolve(known.receivesNamed ?? 'no_account'),
  } as unknown as UnaskedPayments;
  const sweeps = {
    post: (_day: DueDay, { receipt }: TakenSweep) => {
      posted.push(receipt);
      return Promise.resolve('swept' as const);
    },
  } as unknown as TakenSweeps;
  const recorders = new TakenRecorders(found, unasked, sweeps);
  const payments = new TakenPayments(bearers, recorders, metrics);
  const rails = new PaymentListRails([{ channel: 'mpesa', paymentLists }, { channel: 'pigeon' }]);
  return {
    step: new PaymentListStep(rails, days, payments, metrics),
    asked,
    posted,
    metrics,
    rails,
  };
}

const page = (...receipts: readonly string[]): TakenAnswer => ({
  kind: 'page',
  payments: receipts.map(payment),
  unreadable: 0,
  next: receipts.length,
});
const bearer = (of: Partial<Bearer>): Bearer => ({
  stream,
  isHere: true,
  isCertain: true,
  receipts: [],
  ...of,
});

describe('the rail’s list of payments', () => {
  it('a payment is known if its receipt is, or if its code’s collection was settled without one', async () => {
    const days = new Days();
    const { step, asked } = stepOf(days, page('A', 'B'), {
      bearers: { A: [bearer({ receipts: ['A'] })], B: [bearer({ stream: `${stream}2` })] },
      settles: 'known',
    });
    expect(await step.step()).toBe('busy');
    expect(days.told).toEqual([{ payments: 2, unmatched: [], next: 2 }]);
    expect(asked).toEqual([{ ...key, reference: 'R12' }]);
  });

  it('a payment for an unsettled collection leads to a query about its push, and to review if that fails', async () => {
    for (const settles of ['settled', 'not_settled'] as const) {
      const days = new Days();
      const bearers = { A: [bearer({ isHere: false })] };
      const { step, asked } = stepOf(days, page('A'), { bearers, settles });
      await step.step();
      expect(asked).toEqual([key]);
      const unmatched = settles === 'settled' ? [] : [{ ...payment('A'), stream, why: settles }];
      expect(days.told).toEqual([{ payments: 1, unmatched, next: 1 }]);
    }
  });

  it.each([true, false])(
    'a payment is reported if it is other money than the collection’s (settled in the views: %s)',
    async (isHere) => {
      const days = new Days();
      const bearers = { A: [bearer({ isHere })] };
      const { step } = stepOf(days, page('A'), { bearers, settles: 'paid_twice' });
      await step.step();
      const unmatched = [{ ...payment('A'), why: 'paid_twice', stream }];
      expect(days.told).toEqual([{ payments: 1, unmatched, next: 1 }]);
    },
  );

  it('a payment is kept but not recorded if it may belong to one of several collections', async () => {
    const days = new Days();
    const bearers = {
      A: [bearer({ isHere: false, isCertain: false }), bearer({ isCertain: false })],
    };
    const { step, asked } = stepOf(days, page('A'), { bearers });
    await step.step();
    expect(asked).toEqual([]);
    expect(days.told).toEqual([
      { payments: 1, unmatched: [{ ...payment('A'), why: 'nobody_asked' }], next: 1 },
    ]);
  });

  it('a payment is reported if no one asked for it, or if it was paid a second time', async () => {
    const days = new Days();
    const { step } = stepOf(days, page('A', 'B'), {
      bearers: { B: [bearer({ receipts: ['X'] })] },
    });
    await step.step();
    expect(days.told).toEqual([
      {
        payments: 2,
        unmatched: [
          { ...payment('A'), why: 'nobody_asked' },
          { ...payment('B'), why: 'paid_twice', stream },
        ],
        next: 2,
      },
    ]);
  });

  it('a payment without a push is recorded, and asked about again while another worker records it', async () => {
    const days = new Days();
    await stepOf(days, page('A'), { receives: 'received' }).step.step();
    expect(days.told).toEqual([{ payments: 1, unmatched: [], next: 1 }]);
    const { step } = stepOf(days, page('A'), { receives: 'held' });
    await expect(step.step()).rejects.toThrow(DependencyUnavailable);
  });

  it('a payment of unknown type is left to a person, whatever it names (REC-41)', async () => {
    const days = new Days();
    const payments = ['A', 'B', 'C'].map((receipt) => ({
      ...payment(receipt),
      isKindUnknown: true as const,
    }));
    const { step, asked } = stepOf(
      days,
      { kind: 'page', payments, unreadable: 0, next: 3 },
      {
        receives: 'received',
        bearers: { B: [bearer({ isHere: false })], C: [bearer({ receipts: ['C'] })] },
      },
    );
    await step.step();
    expect(asked).toEqual([]);
    const unmatched = payments.slice(0, 2).map((each) => ({ ...each, why: 'nobody_asked' }));
    expect(days.told).toEqual([{ payments: 3, unmatched, next: 3 }]);
  });

  it('a payment goes to a person if its collection cannot be read, and later ones are judged (REC-40)', async () => {
    const days = new Days();
    const bearers = { A: [bearer({ isHere: false })], B: [bearer({ receipts: ['B'] })] };
    const unreadable = new TypeError('an event of that collection cannot be folded');
    await stepOf(days, page('A', 'B'), { bearers, settles: unreadable }).step.step();
    const unmatched = [{ ...payment('A'), stream, why: 'not_settled' }];
    expect(days.told).toEqual([{ payments: 2, unmatched, next: 2 }]);
    const away = new DependencyUnavailable('event store', 'gone');
    const { step } = stepOf(days, page('A'), { bearers, settles: away });
    await expect(step.step()).rejects.toBe(away);
  });

  it('a payment goes to a person if its push may be held back, unless it names an account (REC-20)', async () => {
    const days = new Days();
    const held = { receives: 'received', isWhole: false } as const;
    await stepOf(days, page('A'), held).step.step();
    await stepOf(days, page('A'), { ...held, receivesNamed: 'received' }).step.step();
    expect(days.told).toEqual([
      { payments: 1, unmatched: [{ ...payment('A'), why: 'nobody_asked' }], next: 1 },
      { payments: 1, unmatched: [], next: 1 },
    ]);
  });

  it('the sweeps of a day without payments are posted, and none as a payment (SWEEP-1)', async () => {
    const days = new Days();
    const { paidAt, amountMinor } = payment('S1');
    const sweeps = ['S1', 'S2'].map((receipt) => ({
      receipt,
      paidAt,
      amountMinor,
      currency: 'KES',
    }));
    const answer = { kind: 'page', payments: [], sweeps, unreadable: 0, next: 2 } as const;
    const { step, posted, metrics } = stepOf(days, answer);
    expect(await step.step()).toBe('busy');
    expect(posted).toEqual(['S1', 'S2']);
    expect(days.told).toEqual([{ payments: 0, unmatched: [], next: 2 }]);
    expect(await metrics.registry.metrics()).toMatch(/taken_payments_total\{.*"swept"\} 2/);
    // The same page from another offset ends the day.
    await step.step();
    expect(days.told.at(-1)).toEqual({ payments: 0, unmatched: [], next: undefined });
  });

  it('a day ends with an alert if the rail returns the same page at every offset', async () => {
    const days = new Days();
    const known = { A: [bearer({ receipts: ['A'] })], B: [bearer({ receipts: ['B'] })] };
    const { step, metrics } = stepOf(days, page('A', 'B'), { bearers: known });
    await step.step();
    await step.step();
    const told = { payments: 2, unmatched: [] };
    expect(days.told).toEqual([
      { ...told, next: 2 },
      { ...told, next: undefined },
    ]);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/taken_failures_total\{[^}]*why="repeated_page"\} 1/);
    expect(await alertsFiredBy(text)).toEqual(['RailListUnread']);
  });

  it.each([
    [1, ['RailListUnread']],
    [0, []],
  ])('an alert is raised for entries that cannot be read: %i', async (unreadable, alerts) => {
    const { step, metrics } = stepOf(
      new Days(),
      { kind: 'page', payments: [payment('A')], unreadable, next: 1 + unreadable },
      { bearers: { A: [bearer({ receipts: ['A'] })] } },
    );
    await step.step();
    expect(await alertsFiredBy(await metrics.registry.metrics())).toEqual(alerts);
  });

  it('the list continues after a page that was asked for twice because it could not be recorded', async () => {
    const days = new Days({ ...due, offset: 2 });
    const { asked } = days;
    days.asked = () => Promise.reject(new DependencyUnavailable('postgres', 'gone'));
    const { step } = stepOf(days, page('A', 'B', 'C'), {
      bearers: { A: [], B: [], C: [] },
    });
    await expect(step.step()).rejects.toBeInstanceOf(DependencyUnavailable);
    days.asked = asked;
    await step.step();
    expect(days.told).toMatchObject([{ payments: 3, next: 3 }]);
  });

  it('a day ends with the empty page', async () => {
    const days = new Days();
    const { step, metrics } = stepOf(days, { kind: 'page', payments: [], unreadable: 0 });
    expect(await step.step()).toBe('busy');
    expect(days.told).toEqual([{ payments: 0, unmatched: [], next: undefined }]);
    expect(await metrics.registry.metrics()).toMatch(/taken_days_total\{[^}]*outcome="asked"\} 1/);
  });

  it('a page is asked for again after a pause if the rail does not answer', async () => {
    for (const kind of ['not_asked', 'unanswered'] as const) {
      const days = new Days();
      const { step } = stepOf(days, { kind });
      expect(await step.step()).toBe('idle');
      expect(days.told).toEqual([{ pauseMs: expect.any(Number) as unknown }]);
    }
  });

  const empty: TakenAnswer = { kind: 'page', payments: [], unreadable: 0 };
  const soon = { ...due, isForgottenSoon: true };
  const nothing: TakenAnswer = { kind: 'nothing_told' };
  interface Empty {
    readonly answer?: TakenAnswer;
    readonly day: DueDay;
    readonly held: boolean | 'unknown';
    readonly why: string;
  }
  it.each<[string, Empty]>([
    ['asked again', { day: due, held: false, why: 'nothing_told' }],
    ['wrong, where money is here', { answer: empty, day: due, held: true, why: 'money_not_told' }],
    ['wrong to the end, where money is here', { day: soon, held: true, why: 'money_not_told' }],
    [
      'asked again, while the views cannot tell',
      { answer: empty, day: soon, held: 'unknown', why: 'nothing_told' },
    ],
    [
      'asked again, behind a page',
      { day: { ...soon, offset: 2 }, held: false, why: 'nothing_told' },
    ],
  ])('a day without a payment is %s', async (_what, { answer = nothing, day, held, why }) => {
    const days = new Days(day, [], held);
    const { step, metrics } = stepOf(days, answer);
    expect(await step.step()).toBe('idle');
    expect(days.told).toEqual([{ pauseMs: expect.any(Number) as unknown, isNothingTold: true }]);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(new RegExp(`taken_failures_total\\{[^}]*why="${why}"\\} 1`));
    const alerts = why === 'money_not_told' ? ['RailListUnread'] : [];
    expect(await alertsFiredBy(text)).toEqual(alerts);
    expect(text).not.toMatch(/taken_days_total\{/);
  });

  it('a day without a payment ends as untold if the ledger contains none either', async () => {
    const days = new Days(soon);
    const { step, metrics } = stepOf(days, nothing);
    expect(await step.step()).toBe('busy');
    expect(days.told).toEqual(['untold']);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/taken_days_total\{[^}]*outcome="untold"\} 1/);
    expect(text).not.toMatch(/outcome="asked"/);
  });

  it('a day is counted as missed if no worker asked in time', async () => {
    const { step, metrics } = stepOf(new Days('none', [{ ...due, outcome: 'missed' }]), page());
    expect(await step.step()).toBe('idle');
    expect(await metrics.registry.metrics()).toMatch(/taken_days_total\{[^}]*outcome="missed"\}/);
  });

  it('only modes that can list payments are asked', () => {
    const { rails } = stepOf(new Days(), page());
    expect(rails.all()).toEqual([
      { channel: 'mpesa', mode: 'demo', lookBackMs: 1, timezone: 'Africa/Nairobi' },
    ]);
  });
});

describe('a collection that the rail’s list reports as paid', () => {
  /** Makes a collection of 100 that the rail calls paid when it is asked. */
  function found() {
    const flagged: string[] = [];
    const evidence: unknown[] = [];
    let [hasMoney, own]: [boolean, string | undefined] = [false, undefined];
    const collections = {
      hasMoney: () => Promise.resolve(hasMoney),
      stateOf: () =>
        Promise.resolve({
          status: 'pending',
          intent: { amountMinor: 100n },
          push: { kind: 'accepted', railReference: 'ws_CO_1' },
          payment: {},
        }),
      flag: (_key: CollectionKey, why: string) => Promise.resolve(flagged.push(why)),
      recordListed: (
        _key: CollectionKey,
        { receipt, amountMinor }: ListedPayment,
        metadata: CommandMetadata,
      ) => {
        evidence.push(metadata.evidence);
        if (amountMinor === 100n) own ??= receipt;
        return Promise.resolve(own === receipt ? 'own' : 'other');
      },
    } as unknown as CollectionsClient;
    const questions = {
      mayAsk: () => true,
      ask: () => Promise.resolve({ kind: 'paid', resultCode: '0' }),
    } as unknown as RailQuestions;
    const answers = {
      report: () => Promise.resolve((hasMoney = true)),
    } as unknown as QueriedAnswers;
    const of = new FoundCollections(collections, questions, answers, callbackKeys);
    return { flagged, evidence, of };
  }
  const listed = (receipt: string, amountMinor = 100n) => ({ receipt, amountMinor });

  it('is posted on the answer about its push, and its receipt is known from then on', async () => {
    const { flagged, evidence, of } = found();
    expect(await of.settle('mpesa', key, listed('A'))).toBe('settled');
    expect(await of.settle('mpesa', key, listed('A'))).toBe('known');
    expect(flagged).toEqual([]);
    expect(evidence).toEqual([expect.anything(), expect.anything()]);
  });

  it('is reported as paid twice if another payment has its code, on any page', async () => {
    const { of } = found();
    expect(await of.settle('mpesa', key, listed('A'))).toBe('settled');
    expect(await of.settle('mpesa', key, listed('B'))).toBe('paid_twice');
    expect(await of.settle('mpesa', key, listed('C', 99n))).toBe('paid_twice');
  });

  it('is flagged for review if the listed payment has another amount', async () => {
    const { flagged, of } = found();
    expect(await of.settle('mpesa', key, listed('A', 101n))).toBe('not_settled');
    expect(flagged).toEqual(['found_at_rail']);
  });
});
