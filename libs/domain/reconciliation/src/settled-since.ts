import { type RecordedOpen } from './reconciliation.events.js';

/** What the ledger holds by now of what a reconciliation left open. */
export interface HeldSince {
  /** Receipts that bear posted money: an item's, or a correction's. */
  readonly receipts: ReadonlySet<string>;
  /** Items by their streams. `held`: its money lies in suspense. */
  readonly states: ReadonlyMap<string, 'pending' | 'held' | 'settled'>;
  /** Streams that a correction was posted for after the reconciliation. */
  readonly corrected: ReadonlySet<string>;
  /** Streams that a later reconciliation found on the statement of another day. */
  readonly shownElsewhere: ReadonlySet<string>;
}

/**
 * Returns true if nothing is left to do about an open line or item but to compare the day again (REC-34). A reconciliation
 * stays as it was recorded; what it left open may have been settled by the rail, by a review or by a correction.
 */
export function isSettledSince(open: RecordedOpen, held: HeldSince): boolean {
  const { finding, receipt = '', stream = '' } = open;
  switch (finding) {
    case 'missing_here':
    case 'paid_twice':
      return held.receipts.has(receipt);
    case 'in_suspense':
      return held.states.get(stream) === 'settled';
    case 'amount_differs':
    case 'duplicate_here':
      return held.corrected.has(stream);
    case 'missing_there':
      return held.corrected.has(stream) || held.shownElsewhere.has(stream);
    case 'not_sent_back':
      return held.shownElsewhere.has(stream);
    case 'duplicate_there':
    case 'matched':
    case 'other_day':
    case 'refunded':
    case 'other_account':
    case 'other_merchant':
    case 'not_completed':
    case 'charge':
    case 'transfer':
    case 'outside_day':
      return false;
  }
}
