import { type Instant, type Minor } from '#domain/kernel';

/**
 * What the rail says became of a push. `unresolved` is no final code, or one that we do not know: it settles nothing.
 * Where it is a success whose amount cannot be read, it says so, and names the receipt.
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
 * The rail's report and how far it is trusted (RAIL-2, RAIL-15).
 * - `query`: we asked the rail about this reference ourselves. A decline counts only where it is `repeated`: the
 *   query before gave the same, since queries were seen to deny payments that had been made.
 * - `callback` with `fromRail`: it came from an address of the rail; believed where we know the reference.
 * - `callback` with `corroborated`: a query about this very reference gave the same verdict.
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
