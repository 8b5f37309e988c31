import { type Proof } from '#domain/event-sourcing';
import { type Minor, type Mode, ok, refuse, type Result } from '#domain/kernel';

/** What a rail can carry: amounts in minor units, ISO 4217 currencies. */
export interface RailLimits {
  readonly maxMinor: Minor;
  /** Amounts are multiples of it (Daraja: 100, whole shillings; the simulator: 1). */
  readonly stepMinor: Minor;
  readonly currencies: readonly string[];
}

/** A payment as its rail knows it. A rail's references are its own: another rail, or mode, may give the same one. */
export interface RailPayment {
  /** The rail, such as `mpesa`. */
  readonly channel: string;
  readonly mode: Mode;
  readonly railReference: string;
}

export interface PushRequest {
  readonly channel: string;
  readonly mode: Mode;
  /** The collection's stream; the callback's address carries it, encrypted. */
  readonly stream: string;
  /** International digits-only form; lives as long as the push needs it. */
  readonly phone: string;
  readonly amountMinor: Minor;
  readonly accountReference: string;
}

/**
 * The rail answered: it took the push, or refused it at once so that no prompt was shown. `proof`: of its own bytes, where
 * there are any.
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
 * `unknown`: nobody can say whether a prompt was shown, so the push is never sent again. `late` resolves
 * to the answer where one still arrives within a minute more, else to undefined; it never rejects.
 */
export type PushOutcome =
  PushAnswer | { readonly kind: 'unknown'; readonly late: Promise<PushAnswer | undefined> };

/**
 * What a status query says. `unresolved`: being processed, or a code that we do not know. `unanswered`: it was sent,
 * and no answer came that can be read. `not_asked`: it was not sent, or the rail had no time to look at it, for the
 * reason given; so it says nothing of the payment. `raw`: the answer's own bytes, where it settles something;
 * evidence, never part of a verdict.
 */
export type QueryOutcome =
  | { readonly kind: 'paid'; readonly resultCode: string; readonly raw?: Uint8Array }
  | { readonly kind: 'declined'; readonly failureCode: string; readonly raw?: Uint8Array }
  | { readonly kind: 'unresolved'; readonly unknownCode?: string }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'not_asked'; readonly why?: NotAsked };

/** `paused`: others were not taken, so this one was not even tried. */
export type NotAsked =
  'unreachable' | 'no_token' | 'spike_arrest' | 'quota' | 'too_many_requests' | 'paused';

/** The mobile-money rails. Each implementation owns addresses, tokens, deadlines and retries. */
export abstract class Rail {
  /** Undefined where this mode has no such rail configured. */
  abstract limits(channel: string, mode: Mode): RailLimits | undefined;
  /** Resolves within the push deadline, whatever the rail does; never rejects for the rail's sake. */
  abstract push(request: PushRequest): Promise<PushOutcome>;
  abstract query(payment: RailPayment): Promise<QueryOutcome>;
}

declare const carried: unique symbol;

/** An amount that the rail carries, in a currency that it carries. Only `railAmount` makes one. */
export type RailAmount = Minor & { readonly [carried]: true };

/**
 * The one judgement by the rail's limits: the amount first, from 1 to the maximum in whole steps, then the currency.
 * Nothing is rounded.
 * @param amountMinor undefined where it is no amount
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
