/**
 * The prefixes of all streams that any view is built from, including those of later subjects: an old projector would
 * skip a prefix that a rolling release adds later.
 */
export const projectedPrefixes = [
  'collection-',
  'payout-',
  'reservations-',
  'correction-',
  'merchant-',
  'platform-',
] as const;
