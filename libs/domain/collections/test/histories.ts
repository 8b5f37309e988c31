import { type Instant } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { collectionIntent, stateOf } from '#testing';
import { type Collection, collectionDecider } from '../src/collection.js';
import { type RailReport, type Verdict } from '#domain/rails';
import { type CollectionEvent } from '../src/collection.events.js';
import { decideConfirmCollection } from '../src/confirm/confirm-collection.decide.js';

export const amountMinor = 10_000n;
export const receipt = 'NLJ7RT61SV';
export const paidAt = '2026-11-19T06:15:31.000Z' as Instant;
const metadata = {
  v: 1,
  correlationId: 'r-1',
  actor: { kind: 'operator', id: 'joseph' },
  causationId: 'proposal-1',
  commitment: 'c0ffee',
} as const;

export const intent = collectionIntent({ amountMinor });
export const accepted: CollectionEvent = {
  type: 'RailPushAccepted',
  data: { railReference: 'ws_1' },
};
export const silent: CollectionEvent = {
  type: 'ReviewFlagged',
  data: { why: 'no_word_from_rail' },
};

/** The state after these events. */
export const given = (...events: readonly CollectionEvent[]): Collection =>
  stateOf(collectionDecider, events, { metadata });

export const says = (verdict: Verdict): RailReport => ({
  by: 'query',
  railReference: 'ws_1',
  repeated: true,
  verdict,
});
export const paidReport = (over: Partial<Extract<Verdict, { kind: 'paid' }>> = {}): RailReport =>
  says({ kind: 'paid', resultCode: '0', receipt, amountMinor, paidAt, ...over });
export const declinedReport = says({ kind: 'declined', failureCode: 'cancelled' });

/** The history after these reports of the rail, each decided as the pipeline would. */
export function reported(
  history: readonly CollectionEvent[],
  ...reports: RailReport[]
): CollectionEvent[] {
  const all = [...history];
  for (const report of reports) {
    const decision = decideConfirmCollection(report, given(...all), undefined);
    if (decision.ok) all.push(...decision.value);
  }
  return all;
}

/** No report came, and it is under review. */
export const timeouts = [intent, accepted, silent];
/** A cent too much is in suspense. */
export const otherAmount = reported([intent, accepted], paidReport({ amountMinor: 10_001n }));
/** Posted, and then the rail named a second receipt. */
export const twice = reported(
  [intent, accepted],
  paidReport(),
  paidReport({ receipt: 'SECOND0001' }),
);

export const legsOf = (event: CollectionEvent | undefined): readonly Leg[] =>
  event && 'legs' in event.data ? event.data.legs : [];
