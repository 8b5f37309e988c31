import { type Minor } from '#domain/kernel';
import { type TransactionItem } from '#views/transactions';

/** The fee, or undefined for an item that failed or was rejected: it is not charged. */
export function chargedFee({
  status,
  fee_minor,
}: Pick<TransactionItem, 'status' | 'fee_minor'>): Minor | undefined {
  return status === 'failed' || status === 'rejected' ? undefined : fee_minor;
}
