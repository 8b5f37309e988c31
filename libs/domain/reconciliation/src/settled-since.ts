import { type RecordedOpen } from './reconciliation.events.js';

/** The ledger's current state of the lines and items that a reconciliation left open. */
export interface HeldSince {
  /** Receipts of posted money: an item's or a correction's. */
  readonly receipts: ReadonlySet<string>;
  /** Items by their streams. `held`: its money is in suspense. */
  readonly states: ReadonlyMap<string, 'pending' | 'held' | 'settled'>;
  /** Streams for which a correction was posted after the reconciliation. */
  readonly corrected: ReadonlySet<string>;
  /** Streams that a later reconciliation found on the statement of another day. */
  readonly shownElsewhere: ReadonlySet<string>;
}

/**
 * Returns true if an open line or item needs nothing more, except a new comparison of the day (REC-34). A
 * reconciliation stays as it was recorded, but the rail, a review or a correction may have settled an open finding
 * since.
 */
export function isSettledSince(open: RecordedOpen, held: HeldSince): boolean {
  const { finding, receipt = '', stream = '' } = open;
  switch (finding) {
    case 'missing_here':
    case 'paid_twice':
    case 'withdrawal':
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
    case 'sweep':
    case 'transfer':
    case 'outside_day':
      return false;
  }
}
