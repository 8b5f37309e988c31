import { type Instant, type Minor, msFromInstant, assertNever } from '#domain/kernel';
import { type PaymentAttempt, mayFollow } from './payment-attempt.js';

/** The state of a link as the customer sees it. One text per state, so that a page can detect any change. */
export type PaymentState =
  | { readonly kind: 'open'; readonly next: 1 }
  | {
      readonly kind: 'waiting';
      readonly startedAt: Instant;
      readonly phoneMasked: string;
      /** False if it is unknown whether the prompt was shown. */
      readonly prompted: boolean;
      readonly isLong: boolean;
    }
  | { readonly kind: 'retry'; readonly failureCode: string; readonly next: number }
  | { readonly kind: 'failed'; readonly failureCode: string }
  | { readonly kind: 'checked' }
  | { readonly kind: 'refunded' }
  | {
      readonly kind: 'paid';
      readonly amountMinor: Minor;
      readonly receipt?: string;
      /** The rail's own time or, if it is not known, that of the posting. */
      readonly at?: Instant;
      /** True if it was paid just now: the customer has waited for it on this page, and did not return to it later. */
      readonly isNew: boolean;
    };

/** The prompt lasts about a minute. After twice that time, only the rail knows its outcome. */
const longWaitMs = 120_000;

/** How long after the posting the page still leads back to the shop by itself. */
const newMs = 60_000;

/** @param last the newest attempt; undefined if there is none yet */
export function paymentState(last: PaymentAttempt | undefined, nowMs: number): PaymentState {
  if (!last) return { kind: 'open', next: 1 };
  const { collection } = last;
  const { status } = collection;
  switch (status) {
    case 'pending': {
      const { phoneMasked } = collection.intent;
      // An expected payment without a push has the link's reference: there is no phone to look at.
      if (phoneMasked === undefined) return { kind: 'checked' };
      return {
        kind: 'waiting',
        startedAt: last.startedAt,
        phoneMasked,
        prompted: collection.push.kind === 'accepted',
        isLong: nowMs - msFromInstant(last.startedAt) > longWaitMs,
      };
    }
    case 'in_suspense':
      return { kind: 'checked' };
    case 'refunded':
      return { kind: 'refunded' };
    case 'failed':
      return mayFollow(last)
        ? { kind: 'retry', failureCode: collection.failureCode, next: last.number + 1 }
        : { kind: 'failed', failureCode: collection.failureCode };
    case 'completed': {
      const { receipt, paidAt = last.postedAt } = collection.payment;
      return {
        kind: 'paid',
        amountMinor: collection.postedMinor,
        ...(receipt === undefined ? {} : { receipt }),
        ...(paidAt === undefined ? {} : { at: paidAt }),
        isNew: last.postedAt !== undefined && nowMs - msFromInstant(last.postedAt) < newMs,
      };
    }
    default:
      return assertNever(status);
  }
}

/** Returns a name for the state. Two states with the same name look the same. */
export function stateWord(state: PaymentState): string {
  switch (state.kind) {
    case 'waiting':
      return [
        'waiting',
        state.prompted ? 'prompted' : 'unsure',
        ...(state.isLong ? ['long'] : []),
      ].join('-');
    case 'retry':
      return `retry-${state.next}`;
    case 'open':
    case 'failed':
    case 'checked':
    case 'refunded':
    case 'paid':
      return state.kind;
    default:
      return assertNever(state);
  }
}
