import { type TransactionRow } from '../transactions/item.js';

/** Whether only the rail can tell what becomes of the collection. */
export function awaitsRail({ status, under_review }: TransactionRow): boolean {
  return status === 'pending' && !under_review;
}
