import { type Instant, type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { type ReviewDecision } from '#domain/reviews';

/** An item of a merchant that an action is about. A correction's reference is its id. */
export interface NamedItem {
  readonly type: 'collection' | 'payout' | 'correction';
  readonly reference: string;
  readonly merchantId: string;
  readonly mode: Mode;
}

/** The movement of a proposed correction. */
export interface Movement {
  /** With the same id it is the same correction, however often it is proposed. */
  readonly id?: string;
  readonly legs: readonly Leg[];
  /** The stream that it corrects. */
  readonly corrects?: string;
  readonly receipt?: string;
  readonly mayOverdraw?: true;
}

/** A correction to propose, and the reason that its event will name. */
export interface CorrectionToPropose {
  readonly do: 'propose_correction';
  /** Undefined if a person must find out whose money it is. */
  readonly merchantId: string | undefined;
  readonly mode: Mode;
  readonly currency: string;
  readonly movement: Movement;
  readonly reason: string;
}

/** A payment as the rail reports it. The amount is in minor units. */
export interface RailPayment {
  readonly receipt: string;
  readonly amountMinor: bigint;
  readonly paidAt?: Instant;
}

/** An action for a person, with everything that its command needs. Only the last four change anything. */
export type DeskAction =
  | { readonly do: 'read_history' | 'read_review'; readonly item: NamedItem }
  | { readonly do: 'find'; readonly word: string }
  | { readonly do: 'read_status' }
  | {
      readonly do: 'resolve_review';
      readonly item: NamedItem;
      readonly decision: ReviewDecision;
      /** Undefined if the person writes it. */
      readonly reason?: string;
      /** The payment that the decision must name: from the statement, or of a known amount. */
      readonly payment?: 'any_amount' | { readonly amountMinor: bigint };
    }
  | {
      readonly do: 'open_review';
      readonly item: NamedItem;
      readonly payment: RailPayment;
      readonly reason: string;
    }
  | CorrectionToPropose
  | { readonly do: 'confirm_correction'; readonly id: string; readonly mode: Mode };
