import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Minor, type Mode } from '#domain/kernel';

/** The totals of a batch, in each of its events that a decision is bound to. */
interface Sums {
  /** The number of payouts. */
  count: number;
  /** The sum of their amounts, without fees. */
  amountMinor: Minor;
}

export type PayoutBatchRequested = StoredEvent<
  'PayoutBatchRequested',
  Sums & {
    merchantId: string;
    mode: Mode;
    accountNo: string;
    currency: string;
    /** The rail. */
    channel: string;
    reference: string;
    /** The references of its payouts, in the request's order. Each payout's own first event has its content. */
    references: readonly string[];
    /** The requester: the person or system behind the credential, who may not approve. */
    holder: string;
    /** As for a payout: the batch's reservations come after this revision of the wallet's reservations. */
    reservationsRevision?: string;
  }
>;

export type PayoutBatchApproved = StoredEvent<
  'PayoutBatchApproved',
  Sums & {
    /** Another holder than the requester. */
    holder: string;
  }
>;

/**
 * The reasons of a rejection.
 * - `cancelled`: one person stopped it (PAY-46). It may follow an approval; then it applies to the payouts that were
 *   not given to the rail.
 * - `insufficient_funds`: the funds went away between the check and the reservation.
 * - `reference_taken`: another payout took one of its references between the check and the recording.
 * - `request_lost`: its process died before all payouts were recorded, and the records no longer have its items.
 */
export type BatchRejectionReason =
  'rejected_by_holder' | 'cancelled' | 'insufficient_funds' | 'reference_taken' | 'request_lost';

export type PayoutBatchRejected = StoredEvent<
  'PayoutBatchRejected',
  Sums & {
    reason: BatchRejectionReason;
    /** Absent if no person decided. */
    holder?: string;
  }
>;

export type PayoutBatchEvent = PayoutBatchRequested | PayoutBatchApproved | PayoutBatchRejected;

/** The names and versions under which history stores these events (EVT-1). */
export const payoutBatchEventTypes = {
  PayoutBatchRequested: { version: 1 },
  PayoutBatchApproved: { version: 1 },
  PayoutBatchRejected: { version: 1 },
} as const satisfies Record<PayoutBatchEvent['type'], EventTypes[string]>;

/** The key of a batch. A reference is unique per merchant and mode, separately from those of payouts. */
export interface PayoutBatchKey {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly reference: string;
}

/** Returns the stream of a batch. No payout's reference contains `~`, so it is no payout's stream. */
export function payoutBatchStream({ mode, merchantId, reference }: PayoutBatchKey): string {
  return `payout-${mode}:${merchantId}:batch~${reference}`;
}

const streamPattern = /^payout-(live|demo):([^:]+):batch~(.+)$/;

/** Returns the key from a stream's name; undefined if it names no batch. */
export function payoutBatchKeyOf(stream: string): PayoutBatchKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, reference] = match as unknown as [string, Mode, string, string];
  return { mode, merchantId, reference };
}
