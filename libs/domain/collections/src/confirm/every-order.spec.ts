import { type Instant } from '#domain/kernel';
import { isBalanced } from '#domain/ledger';
import { describe, expect, it } from '@jest/globals';
import { collectionIntent, stateOf } from '#testing';
import { type Collection, collectionDecider } from '../collection.js';
import { type Verdict } from '#domain/rails';
import { type CollectionEvent } from '../collection.events.js';
import { decideFlagCollection } from '../query-rail/flag-collection.decide.js';
import { decideRecordPushOutcome } from '../initiate/initiate-collection.decide.js';
import { decideConfirmCollection } from './confirm-collection.decide.js';

/**
 * All reports that one push may get, in every order of every choice of them. A callback is not believed while the
 * push's own answer is unknown. It then comes again at the end, corroborated, as from the inbox.
 */
const amountMinor = 10_000n;
const railReference = 'ws_CO_1';
const intent = collectionIntent();
const receipt = 'NLJ7RT61SV';
const paidAt = '2026-11-21T08:00:00.000Z' as Instant;
const paid: Verdict = { kind: 'paid', resultCode: '0', receipt, amountMinor, paidAt };
const declined: Verdict = { kind: 'declined', failureCode: 'no_answer' };

type Heard = (state: Collection) => readonly CollectionEvent[] | 'again';
const accept: Heard = (state) =>
  decideRecordPushOutcome({ kind: 'accepted', railReference }, state);
const byQuery =
  (verdict: Verdict): Heard =>
  (state) => {
    const report = { by: 'query', railReference, repeated: true, verdict } as const;
    const decided = decideConfirmCollection(report, state, 'c');
    return decided.ok ? decided.value : 'again';
  };
const callBack =
  (verdict: Verdict, corroborated = false): Heard =>
  (state) => {
    const report = {
      by: 'callback',
      railReference,
      fromRail: true,
      corroborated,
      verdict,
    } as const;
    const decided = decideConfirmCollection(report, state, 'c');
    return decided.ok ? decided.value : 'again';
  };
const timeouts: Heard = (state) => {
  const decided = decideFlagCollection('no_word_from_rail', state);
  return decided.ok ? decided.value : 'again';
};

interface Signal {
  readonly name: string;
  readonly heard: Heard;
  /** The report as the inbox repeats it, if it was not believed. */
  readonly later?: Heard;
}
const otherAmount: Verdict = { ...paid, amountMinor: 10_001n };
const callbackOf = (name: string, verdict: Verdict): Signal => ({
  name,
  heard: callBack(verdict),
  later: callBack(verdict, true),
});
const signals: readonly Signal[] = [
  { name: 'push answer', heard: accept },
  callbackOf('declined callback', declined),
  callbackOf('paid callback', paid),
  callbackOf('the same callback', paid),
  callbackOf('paid other amount', otherAmount),
  { name: 'query paid', heard: byQuery({ kind: 'paid', resultCode: '0' }) },
  { name: 'query declined', heard: byQuery(declined) },
  { name: '48 hours', heard: timeouts },
];

function* orders<T>(left: readonly T[], so: readonly T[] = []): Generator<readonly T[]> {
  yield so;
  for (const [index, next] of left.entries())
    yield* orders([...left.slice(0, index), ...left.slice(index + 1)], [...so, next]);
}

function historyOf(order: readonly Signal[]): { state: Collection; events: CollectionEvent[] } {
  const events: CollectionEvent[] = [intent];
  let state = stateOf(collectionDecider, [intent]);
  const hear = (heard: Heard): boolean => {
    const more = heard(state);
    if (more === 'again') return false;
    events.push(...more);
    state = stateOf(collectionDecider, more, { from: state });
    return true;
  };
  const waiting = order.filter(({ heard }) => !hear(heard));
  for (const { later } of waiting) if (later) hear(later);
  return { state, events };
}

/** Returns the fault at the end of an order, or undefined. */
function wrong(order: readonly Signal[]): string | undefined {
  const { state, events } = historyOf(order);
  const names = new Set(order.map(({ name }) => name));
  const money = events.filter(({ type }) => type === 'WalletPosted' || type === 'SuspensePosted');
  const isPaid = ['paid callback', 'the same callback', 'query paid'].some((n) => names.has(n));
  const isOther = names.has('paid other amount');
  if (money.length > 1) return 'money was posted twice';
  if (money.length === 0 && (isPaid || isOther)) return 'money is missing';
  if (money.length === 1 && !isPaid && !isOther) return 'money was made up';
  for (const event of money)
    if ('legs' in event.data && !isBalanced(event.data.legs)) return 'the legs do not balance';
  const lastMoney = events.findLastIndex((event) => money.includes(event));
  const afterMoney = money.length > 0 ? events.slice(lastMoney + 1) : [];
  if (afterMoney.some(({ type }) => type === 'RailDeclined')) return 'a success became a failure';
  const isDeclined = names.has('declined callback') || names.has('query declined');
  const expected = money[0]
    ? { WalletPosted: 'completed', SuspensePosted: 'in_suspense' }[money[0].type as 'WalletPosted']
    : isDeclined
      ? 'failed'
      : 'pending';
  if (state.status !== expected) return `it is ${state.status}, not ${expected}`;
  if (isPaid && isOther && !(state.status !== 'none' && state.underReview))
    return 'nobody is told that two amounts were heard of';
  return undefined;
}

describe('all reports about a push, in any order', () => {
  it('end in one truth: money at most once, no failure after it, and two amounts go to review', () => {
    let count = 0;
    for (const order of orders(signals)) {
      count += 1;
      const problem = wrong(order);
      if (problem !== undefined)
        throw new Error(`${problem}: ${order.map(({ name }) => name).join(', ')}`);
    }
    expect(count).toBe(109_601);
  });
});
