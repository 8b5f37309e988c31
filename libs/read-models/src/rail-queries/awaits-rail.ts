import { refundedCode, type TransactionRow } from '../transactions/item.js';

/** Whether only the rail can tell what becomes of the collection. */
export function awaitsRail({ status, under_review }: TransactionRow): boolean {
  return status === 'pending' && !under_review;
}

/** Whether the rail declined it and may still tell that it was paid. Money that went back is closed to the rail. */
export function mayStillBePaid({ status, rail_reference, failure_code }: TransactionRow): boolean {
  return status === 'failed' && rail_reference !== null && failure_code !== refundedCode;
}

/** Whether the rail is asked about the collection at all. */
export function isAskedAbout(row: TransactionRow): boolean {
  return awaitsRail(row) || mayStillBePaid(row);
}
