import { type Instant } from '#domain/kernel';
import { type RecordedCollection } from '#domain/collections';

/** A collection of a link. The first has the link's reference, and each later one has its number in its own. */
export interface PaymentAttempt {
  /** 1 to 4. */
  readonly number: number;
  readonly collection: RecordedCollection;
  /** The time at which its intent was recorded. */
  readonly startedAt: Instant;
  /** The time at which its money was last posted; absent if none was. */
  readonly postedAt?: Instant;
}

export const maxAttempts = 4;

/** Failures after which the customer may try again on the page (PAGE-12): the rail said that no money moved. */
const retryable: ReadonlySet<string> = new Set(['cancelled', 'insufficient_funds', 'wrong_pin']);

/** Returns the attempt's reference. No merchant's reference contains `~`, so no other collection has this one. */
export function attemptReference(reference: string, number: number): string {
  return number === 1 ? reference : `${reference}~${number}`;
}

/** True if another attempt may follow this one. */
export function mayFollow({ number, collection }: PaymentAttempt): boolean {
  return (
    number < maxAttempts && collection.status === 'failed' && retryable.has(collection.failureCode)
  );
}
