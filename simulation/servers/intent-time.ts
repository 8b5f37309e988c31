import { type Instant, msFromInstant } from '#domain/kernel';
import { type TransactionRow } from '#views/transactions';

const known = new Map<Instant, number>();
const max = 1000;

/**
 * Returns when the row's collection began, in milliseconds. It is needed at every step, and parsing an instant takes
 * time.
 */
export function intentMs({ created_at }: TransactionRow): number {
  let ms = known.get(created_at);
  if (ms === undefined) {
    if (known.size >= max) known.clear();
    ms = msFromInstant(created_at);
    known.set(created_at, ms);
  }
  return ms;
}
