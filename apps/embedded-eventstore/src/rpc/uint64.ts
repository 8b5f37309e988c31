/**
 * A uint64 as the generated messages give it, in decimal digits. What exceeds 2^53 − 1 is taken for that
 * number: the store has no revision or position so high.
 */
export function parseUint64(digits: string): number {
  const value = BigInt(digits);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
