import { type Verdict } from '#domain/collections';

/** What a callback says, not yet believed. */
export interface Callback {
  readonly railReference: string;
  /** Absent where the rail gave none. */
  readonly merchantRequestId?: string;
  readonly verdict: Verdict;
  /** It tells of success and names no amount that can be read: nothing may be posted on its own strength. */
  readonly isAmountUnreadable?: true;
}
