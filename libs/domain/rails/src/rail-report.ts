import { type Instant, type Minor } from '#domain/kernel';

/**
 * The rail's outcome of a push. `unresolved`: the code is not final or not known, so it settles nothing. A success
 * whose amount cannot be read is marked, with its receipt.
 */
export type Verdict =
  | {
      readonly kind: 'paid';
      readonly resultCode: string;
      readonly receipt?: string;
      readonly amountMinor?: Minor;
      readonly paidAt?: Instant;
    }
  | { readonly kind: 'declined'; readonly failureCode: string }
  | {
      readonly kind: 'unresolved';
      readonly unknownCode?: string;
      readonly isSuccess?: true;
      readonly receipt?: string;
    };

/**
 * The rail's report and its degree of trust (RAIL-2, RAIL-15).
 * - `query`: the answer to our own query about this reference. A decline counts only if it is `repeated`, that is, if
 *   the previous query gave the same: queries were seen to deny payments that had been made.
 * - `callback` with `fromRail`: it came from an address of the rail, and is believed if the reference is known.
 * - `callback` with `corroborated`: a query about the same reference gave the same verdict.
 */
export type RailReport =
  | {
      readonly by: 'query';
      readonly railReference: string;
      readonly repeated?: boolean;
      readonly verdict: Verdict;
    }
  | {
      readonly by: 'callback';
      readonly railReference: string;
      readonly merchantRequestId?: string;
      readonly fromRail: boolean;
      readonly corroborated: boolean;
      readonly verdict: Verdict;
    };
