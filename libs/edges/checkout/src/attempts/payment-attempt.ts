import { type Instant } from '#domain/kernel';
import { type RecordedCollection } from '#domain/collections';

/** A collection of a link: the first bears the link's reference, each later one says which it is. */
export interface PaymentAttempt {
  /** 1 to 4. */
  readonly number: number;
  readonly collection: RecordedCollection;
  /** When its intent was recorded. */
  readonly startedAt: Instant;
  /** When its money was last posted; absent where none was. */
  readonly postedAt?: Instant;
}

export const maxAttempts = 4;

/** After these the customer may try again on the page (PAGE-12): the rail said that no money moved. */
const retryable: ReadonlySet<string> = new Set(['cancelled', 'insufficient_funds', 'wrong_pin']);

/** `~` stands in no merchant's reference, so nobody else's collection has this one. */
export function attemptReference(reference: string, number: number): string {
  return number === 1 ? reference : `${reference}~${number}`;
}

/** Whether another attempt may follow this one. */
export function mayFollow({ number, collection }: PaymentAttempt): boolean {
  return (
    number < maxAttempts && collection.status === 'failed' && retryable.has(collection.failureCode)
  );
}
