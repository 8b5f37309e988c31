import { purposeOf } from '../callback/callback-keys.js';
import { type RailCallbacks, type PayoutCallback } from '../rail-adapter.js';

/** A report about a payout, by the purpose of its address. */
export type PayoutReading =
  | { readonly kind: 'result'; readonly callback: PayoutCallback }
  | { readonly kind: 'answer'; readonly attempt: number; readonly callback: PayoutCallback }
  /** The rail's queue took too long. This says nothing about the payment, and the body is not read. */
  | { readonly kind: 'timeout' };

/** @returns undefined if the bytes are no such report */
export function readPayoutReport(
  { payoutReports }: RailCallbacks,
  purposeName: string,
  bytes: Uint8Array,
): PayoutReading | undefined {
  const purpose = purposeOf(purposeName);
  if (!payoutReports || !purpose) return undefined;
  if (purpose.kind === 'answer') {
    const callback = payoutReports.readAnswer(bytes);
    return callback && { kind: 'answer', attempt: purpose.attempt, callback };
  }
  if (purpose.kind === 'timeout') return { kind: 'timeout' };
  const callback = payoutReports.readResult(bytes);
  return callback && { kind: 'result', callback };
}

/** True if the bytes are a report about payouts, whatever the purpose of their address. */
export function isPayoutReport({ payoutReports }: RailCallbacks, bytes: Uint8Array): boolean {
  return (payoutReports?.readResult(bytes) ?? payoutReports?.readAnswer(bytes)) !== undefined;
}
