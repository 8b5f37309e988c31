import { type Instant, type Minor } from '#domain/kernel';

/** What the rail says became of a push. `unresolved` is no final code, or one that we do not know: it settles nothing. */
export type Verdict =
  | {
      readonly kind: 'paid';
      readonly resultCode: string;
      readonly receipt?: string;
      readonly amountMinor?: Minor;
      readonly paidAt?: Instant;
    }
  | { readonly kind: 'declined'; readonly failureCode: string }
  | { readonly kind: 'unresolved'; readonly unknownCode?: string };

/**
 * The rail's word and how far it is to be trusted (contract/decisions.md §3, Trust in a callback).
 * - `query`: we asked the rail about this reference ourselves. A decline counts only where it is `repeated`: the
 *   query before gave the same, since queries were seen to deny payments that had been made.
 * - `callback` with `fromRail`: it came from an address of the rail; believed where we know the reference.
 * - `callback` with `vouched`: a query about this very reference gave the same verdict.
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
