import { type Proof } from '#domain/event-sourcing';
import { type Minor, type Mode, ok, refuse, type Result } from '#domain/kernel';

/** The amounts (in minor units) and ISO 4217 currencies that a rail accepts. */
export interface RailLimits {
  readonly maxMinor: Minor;
  /** Amounts are multiples of it (Daraja: 100, whole shillings; the simulator: 1). */
  readonly stepMinor: Minor;
  readonly currencies: readonly string[];
  /** The number that a customer pays without a push, with an account; absent if the rail takes no account. */
  readonly payBill?: string;
}

/** A payment as its rail identifies it. References are unique only within one rail and mode. */
export interface RailPayment {
  /** The rail, such as `mpesa`. */
  readonly channel: string;
  readonly mode: Mode;
  readonly railReference: string;
}

export interface PushRequest {
  readonly channel: string;
  readonly mode: Mode;
  /** The collection's stream. The callback's address contains it, encrypted. */
  readonly stream: string;
  /** In international form, digits only; not stored beyond the push. */
  readonly phone: string;
  readonly amountMinor: Minor;
  readonly accountReference: string;
  /** The trace that the push belongs to, if it is recorded. The rail does not get it. */
  readonly traceparent?: string;
}

/**
 * The rail's answer: it accepted the push, or refused it at once, so that no prompt was shown. `proof`: the evidence of
 * the answer's bytes, if there are any.
 */
export type PushAnswer =
  | {
      readonly kind: 'accepted';
      readonly railReference: string;
      readonly merchantRequestId?: string;
      readonly proof?: Proof;
    }
  | { readonly kind: 'refused'; readonly failureCode: string; readonly proof?: Proof };

/**
 * `unknown`: a prompt may have been shown, so the push is never repeated. `late` resolves to the answer if one arrives
 * within a further minute, else to undefined. It never rejects.
 */
export type PushOutcome =
  PushAnswer | { readonly kind: 'unknown'; readonly late: Promise<PushAnswer | undefined> };

/**
 * The outcome of a status query.
 * - `unresolved`: still being processed, or an unknown code.
 * - `unanswered`: it was sent, and no readable answer came.
 * - `not_asked`: it was not sent, or the rail did not process it, for the given reason; it shows nothing about the
 *   payment.
 *
 * `raw`: the bytes of an answer that settles the payment. They are evidence, never part of a verdict.
 */
export type QueryOutcome =
  | {
      readonly kind: 'paid';
      readonly resultCode: string;
      /** The rail's own id of the payment, if its answer names it. */
      readonly receipt?: string;
      readonly raw?: Uint8Array;
    }
  | { readonly kind: 'declined'; readonly failureCode: string; readonly raw?: Uint8Array }
  | { readonly kind: 'unresolved'; readonly unknownCode?: string }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'not_asked'; readonly why?: NotAsked };

/** `paused`: the rail has not accepted queries recently, so this one was not sent. */
export type NotAsked =
  'unreachable' | 'no_token' | 'spike_arrest' | 'quota' | 'too_many_requests' | 'paused';

/** The mobile-money rails. Each implementation owns addresses, tokens, deadlines and retries. */
export abstract class Rail {
  /** Returns the rails that the mode has, `mpesa` first. */
  abstract channels(mode: Mode): readonly string[];
  /** Undefined if this mode has no such rail configured. */
  abstract limits(channel: string, mode: Mode): RailLimits | undefined;
  /** Resolves within the push deadline. A failure of the rail is an outcome, not a rejection. */
  abstract push(request: PushRequest): Promise<PushOutcome>;
  abstract query(payment: RailPayment): Promise<QueryOutcome>;
}

declare const carried: unique symbol;

/** An amount and currency that the rail accepts. Only `railAmount` makes one. */
export type RailAmount = Minor & { readonly [carried]: true };

/**
 * Checks an amount against the rail's limits: first the amount, from 1 to the maximum in whole steps, then the
 * currency. It rounds nothing.
 * @param amountMinor undefined if the text was no amount
 */
export function railAmount(
  { maxMinor, stepMinor, currencies }: RailLimits,
  amountMinor: Minor | undefined,
  currency: unknown,
): Result<RailAmount, 'invalid_amount' | 'invalid_currency'> {
  if (amountMinor === undefined || amountMinor < 1n) return refuse('invalid_amount');
  if (amountMinor > maxMinor || amountMinor % stepMinor !== 0n) return refuse('invalid_amount');
  if (typeof currency !== 'string' || !currencies.includes(currency))
    return refuse('invalid_currency');
  return ok(amountMinor as RailAmount);
}
