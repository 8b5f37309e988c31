/**
 * The prefixes of all streams that any view is built from, those of later subjects included: a prefix
 * added later would be skipped by an old projector in a rolling release.
 */
export const projectedPrefixes = [
  'collection-',
  'payout-',
  'reservations-',
  'correction-',
  'merchant-',
  'platform-',
] as const;
