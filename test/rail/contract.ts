import { describe, expect, it } from '@jest/globals';
import { type PushOutcome } from '#domain/rails';
import {
  type Callback,
  lateAnswerMs,
  type PayoutReports,
  type Prompt,
  type RailAdapter,
} from '#edges/rails';
import { randomUUID } from 'node:crypto';

/** The outcome that the rail, or its simulator, gives a push of the suite. */
export type PushCase = 'accepted' | 'refused' | 'unknown';
/** The rail's answer to a query about a push. */
export type QueryCase = 'paid' | 'declined' | 'unresolved';
export type CallbackCase = 'paid' | 'declined' | 'unreadable amount' | 'unreadable date' | 'none';

/** A rail's adapter, and how to make its rail produce each case. Its demo mode is configured, but its live mode is not. */
export interface RailUnderTest {
  readonly adapter: () => RailAdapter;
  /** The phone of a customer with which a push has that outcome. */
  readonly phones: Readonly<Record<PushCase, string>>;
  /** The number of prompts that a customer saw for the callback URL, once all are delivered. */
  readonly promptsFor: (callbackUrl: string) => Promise<number>;
  /** A callback URL that the rail can reach, another one each time. */
  readonly callbackUrl: () => string;
  /** The rail reference of a push about which the rail gives this answer, once it does. */
  readonly referenceOf: (query: QueryCase) => Promise<string>;
  /** An adapter whose rail cannot be reached. */
  readonly unreachable: () => RailAdapter;
  readonly callbacks: Readonly<Record<CallbackCase, string>>;
  /** True if the rail’s callbacks name no amount and no time, so that a query decides. */
  readonly callbacksAreHints?: true;
  /** Absent for a rail without payouts. */
  readonly payouts?: PayoutsUnderTest;
  /** The adapter's RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
}

export type ResultCase = 'paid' | 'declined' | 'unreadable amount' | 'none';

/** A rail's payouts, and how to make its rail produce each case. */
export interface PayoutsUnderTest {
  readonly phones: Readonly<Record<PushCase, string>>;
  /** Results of a payment of KES 250, by their name. */
  readonly results: Readonly<Record<ResultCase, string>>;
}

/** Time that a busy machine may take on top of a deadline. */
const roomMs = 60_000;

/** The contract that every rail's adapter keeps. */
export function describeRail(name: string, rail: RailUnderTest): void {
  const promptTo = (phone: string): Prompt => ({
    mode: 'demo',
    phone,
    amountMinor: 25_000n,
    // A rail may know the push by it, and take each one once.
    accountReference: randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase(),
    callbackUrl: rail.callbackUrl(),
  });

  describe(`${name}: a push`, () => {
    it('returns the rail’s reference if it is accepted, and shows one prompt', async () => {
      const prompt = promptTo(rail.phones.accepted);
      const outcome = await rail.adapter().push(prompt);
      expect(outcome.kind === 'accepted' && outcome.railReference.length).toBeGreaterThan(0);
      expect(await rail.promptsFor(prompt.callbackUrl)).toBe(1);
    });

    it('gives the reason if it is refused, and shows no prompt', async () => {
      const prompt = promptTo(rail.phones.refused);
      const outcome = await rail.adapter().push(prompt);
      expect(outcome).toMatchObject({
        kind: 'refused',
        failureCode: expect.any(String) as unknown,
      });
      expect(await rail.promptsFor(prompt.callbackUrl)).toBe(0);
    });

    it('is reported as of unknown outcome within its deadlines, and is not sent again', async () => {
      const prompt = promptTo(rail.phones.unknown);
      const startedAtMs = performance.now();
      const outcome: PushOutcome = await rail.adapter().push(prompt);
      expect(performance.now() - startedAtMs).toBeLessThan(rail.pushTimeoutMs + roomMs);
      expect(outcome.kind).toBe('unknown');
      if (outcome.kind === 'unknown') await outcome.late;
      const deadlineMs = rail.pushTimeoutMs + lateAnswerMs + roomMs;
      expect(performance.now() - startedAtMs).toBeLessThan(deadlineMs);
      expect(await rail.promptsFor(prompt.callbackUrl)).toBeLessThanOrEqual(1);
    });

    it('is refused if the rail cannot be reached', async () => {
      const outcome = await rail.unreachable().push(promptTo(rail.phones.accepted));
      expect(outcome.kind).toBe('refused');
    });
  });

  describe(`${name}: a query`, () => {
    it.each<QueryCase>(['paid', 'declined', 'unresolved'])('says %s', async (kind) => {
      const railReference = await rail.referenceOf(kind);
      const outcome = await rail.adapter().query({ mode: 'demo', railReference });
      expect(outcome.kind).toBe(kind);
      // An outcome that settles something carries the bytes that prove it.
      if (outcome.kind === 'paid' || outcome.kind === 'declined')
        expect(outcome.raw?.length).toBeGreaterThan(0);
    });

    it('is reported as not asked if the rail cannot be reached', async () => {
      const payment = { mode: 'demo', railReference: 'unheard-of' } as const;
      expect((await rail.unreachable().query(payment)).kind).toBe('not_asked');
    });
  });

  describe(`${name}: a callback`, () => {
    const read = (which: CallbackCase) =>
      rail.adapter().readCallback(Buffer.from(rail.callbacks[which]));

    if (rail.callbacksAreHints)
      it('settles nothing by itself if it reports a payment', () => {
        expect(read('paid')).toMatchObject({ isAmountUnreadable: true });
        expect(read('paid')?.verdict).not.toHaveProperty('amountMinor');
      });
    else tellsOfPayment(read);

    it('is marked if it has no readable amount, and gives none', () => {
      const callback = read('unreadable amount');
      expect(callback).toMatchObject({ verdict: { kind: 'paid' }, isAmountUnreadable: true });
      expect(callback?.verdict).not.toHaveProperty('amountMinor');
    });

    it('gives the reason if it reports a decline', () => {
      const failureCode = expect.any(String) as unknown;
      expect(read('declined')).toMatchObject({ verdict: { kind: 'declined', failureCode } });
    });

    it('is not read from anything else, and reading never throws', () => {
      expect(read('none')).toBeUndefined();
      for (const bytes of [[], [0xff, 0x00], [0x7b]])
        expect(rail.adapter().readCallback(Buffer.from(bytes))).toBeUndefined();
    });

    it('counts as the rail’s own only by its address', () => {
      expect(rail.adapter().isOwnAddress('demo', undefined)).toBe(false);
      expect(rail.adapter().isOwnAddress('demo', '203.0.113.7')).toBe(false);
    });
  });

  describe(`${name}: a mode that is not configured`, () => {
    it('has no limits, and accepts no pushes and no queries', async () => {
      const adapter = rail.adapter();
      expect(adapter.limits('live')).toBeUndefined();
      expect(adapter.limits('demo')?.maxMinor).toBeGreaterThan(0n);
      const push = await adapter.push({ ...promptTo(rail.phones.accepted), mode: 'live' });
      expect(push.kind).toBe('refused');
      const query = await adapter.query({ mode: 'live', railReference: 'unheard-of' });
      expect(query.kind).toBe('not_asked');
    });
  });

  if (rail.payouts) describePayouts(name, rail, rail.payouts);
}

function tellsOfPayment(read: (which: CallbackCase) => Callback | undefined): void {
  it('gives the amount of a payment, and the time if it can be read', () => {
    expect(read('paid')).toMatchObject({
      railReference: expect.any(String) as unknown,
      verdict: { kind: 'paid', amountMinor: 25_000n, paidAt: expect.any(String) as unknown },
    });
    expect(read('paid')?.isAmountUnreadable).toBeUndefined();
    const undated = read('unreadable date')?.verdict;
    expect(undated).toMatchObject({ kind: 'paid', amountMinor: 25_000n });
    expect(undated).not.toHaveProperty('paidAt');
  });
}

function describePayouts(name: string, rail: RailUnderTest, cases: PayoutsUnderTest): void {
  const addresses = () => ({ resultUrl: rail.callbackUrl(), timeoutUrl: rail.callbackUrl() });
  const orderTo = (phone: string) => ({
    ...({ mode: 'demo', phone, amountMinor: 25_000n, ...addresses() } as const),
    originatorConversationId: `pp-${Math.random().toString(36).slice(2)}`,
  });
  const payouts = (adapter: RailAdapter) => {
    if (!adapter.payouts) throw new Error('the rail pays nothing out');
    return adapter.payouts;
  };
  const read = (which: ResultCase): ReturnType<PayoutReports['readResult']> =>
    rail.adapter().payoutReports?.readResult(Buffer.from(cases.results[which]));

  describe(`${name}: a payment out`, () => {
    it('returns the rail’s id for it if it is accepted', async () => {
      const outcome = await payouts(rail.adapter()).pay(orderTo(cases.phones.accepted));
      expect(outcome).toMatchObject({
        kind: 'accepted',
        conversationId: expect.any(String) as unknown,
      });
    });

    it('gives the reason if it is refused', async () => {
      const outcome = await payouts(rail.adapter()).pay(orderTo(cases.phones.refused));
      expect(outcome).toMatchObject({
        kind: 'refused',
        failureCode: expect.any(String) as unknown,
      });
    });

    it('is reported as of unknown outcome', async () => {
      const outcome = await payouts(rail.adapter()).pay(orderTo(cases.phones.unknown));
      expect(outcome).toEqual({ kind: 'unknown' });
    });

    it('is neither accepted again nor refused if its id was used before', async () => {
      const order = orderTo(cases.phones.accepted);
      await payouts(rail.adapter()).pay(order);
      expect(await payouts(rail.adapter()).pay(order)).toEqual({ kind: 'unknown' });
    });

    it('is refused, and not asked about, if the rail cannot be reached or the mode is not configured', async () => {
      const order = orderTo(cases.phones.accepted);
      for (const [adapter, mode] of [
        [rail.unreachable(), 'demo'],
        [rail.adapter(), 'live'],
      ] as const) {
        const outcome = await payouts(adapter).pay({ ...order, mode });
        expect(outcome.kind).toBe('refused');
        const { phone: _phone, ...reversal } = { ...order, mode, reverses: 'NLJ7RT61SV' };
        expect((await payouts(adapter).pay(reversal)).kind).toBe('refused');
        expect(await payouts(adapter).askAboutPayout({ ...order, mode })).toBe('not_asked');
        expect(await payouts(adapter).askForFloat(mode, addresses())).toBe('not_asked');
      }
      expect(payouts(rail.adapter()).payoutLimits('live')).toBeUndefined();
      expect(payouts(rail.adapter()).reverses('live')).toBe(false);
    });

    it('can be asked about, and so can the float', async () => {
      const order = orderTo(cases.phones.accepted);
      await payouts(rail.adapter()).pay(order);
      expect(await payouts(rail.adapter()).askAboutPayout(order)).toBe('taken');
      expect(await payouts(rail.adapter()).askForFloat('demo', addresses())).toBe('taken');
    });
  });

  describe(`${name}: the result of a payment out`, () => {
    it('gives the amount; without an amount it settles nothing', () => {
      expect(read('paid')?.verdict).toMatchObject({ kind: 'paid', amountMinor: 25_000n });
      expect(read('unreadable amount')?.verdict).toMatchObject({ kind: 'unresolved' });
    });

    it('gives the reason if it reports a decline', () => {
      const failureCode = expect.any(String) as unknown;
      expect(read('declined')?.verdict).toEqual({ kind: 'declined', failureCode });
    });

    it('is not read from anything else, and reading never throws', () => {
      const reports = rail.adapter().payoutReports;
      expect(read('none')).toBeUndefined();
      for (const bytes of [[], [0xff, 0x00], [0x7b]].map((each) => Buffer.from(each))) {
        expect(reports?.readResult(bytes)).toBeUndefined();
        expect(reports?.readAnswer(bytes)).toBeUndefined();
        expect(reports?.readFloat(bytes)).toBeUndefined();
      }
    });
  });
}
