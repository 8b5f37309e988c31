import { refundedCode, type TransactionRow } from '#views/transactions';

/** Whether only the rail can tell what becomes of the collection. */
export function awaitsRail({ status, under_review }: TransactionRow): boolean {
  return status === 'pending' && !under_review;
}

/**
 * Whether the rail may still tell that it was paid, though nobody waits for that alone: it declined it, or a person is
 * to look. An untrusted callback may have put it under review, and must not keep the rail from being asked. Money that
 * went back, or lies in suspense, is closed to the rail.
 */
export function mayStillBePaid(row: TransactionRow): boolean {
  const { status, under_review, rail_reference, receipt, failure_code } = row;
  if (rail_reference === null) return false;
  return status === 'failed'
    ? failure_code !== refundedCode
    : status === 'pending' && under_review && receipt === null;
}

/** Whether the rail is asked about the collection at all. */
export function isAskedAbout(row: TransactionRow): boolean {
  return awaitsRail(row) || mayStillBePaid(row);
}
