import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Minor, type Mode } from '#domain/kernel';

/** What a batch is, in each of its events that a decision is bound to. */
interface Sums {
  /** How many payouts. */
  count: number;
  /** What they come to, without fees. */
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
    /** Of its payouts, in the request's order. What each is of stands in its own first event. */
    references: readonly string[];
    /** Who asked: the person or system behind the credential, who may not approve. */
    holder: string;
    /** As of a payout: what is reserved for the batch stands after this revision of the wallet's reservations. */
    reservationsRevision?: string;
  }
>;

export type PayoutBatchApproved = StoredEvent<
  'PayoutBatchApproved',
  Sums & {
    /** Another than the one who asked. */
    holder: string;
  }
>;

/**
 * `cancelled`: one person stopped it (PAY-46). It may follow an approval; then it is about the payouts that were not given
 * to the rail. `insufficient_funds`: they went between the question and the reservation. `reference_taken`: one of its references
 * went so. `request_lost`: its process died before all payouts were recorded, and what it asked for is gone from the
 * records.
 */
export type BatchRejectionReason =
  'rejected_by_holder' | 'cancelled' | 'insufficient_funds' | 'reference_taken' | 'request_lost';

export type PayoutBatchRejected = StoredEvent<
  'PayoutBatchRejected',
  Sums & {
    reason: BatchRejectionReason;
    /** Absent where nobody decided. */
    holder?: string;
  }
>;

export type PayoutBatchEvent = PayoutBatchRequested | PayoutBatchApproved | PayoutBatchRejected;

/** The names and versions under which history keeps these events (EVT-1). */
export const payoutBatchEventTypes = {
  PayoutBatchRequested: { version: 1 },
  PayoutBatchApproved: { version: 1 },
  PayoutBatchRejected: { version: 1 },
} as const satisfies Record<PayoutBatchEvent['type'], EventTypes[string]>;

/** What names a batch: a reference is unique per merchant and mode, apart from those of payouts. */
export interface PayoutBatchKey {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly reference: string;
}

/** The stream of a batch. No payout's reference holds `~`, so it is no payout's. */
export function payoutBatchStream({ mode, merchantId, reference }: PayoutBatchKey): string {
  return `payout-${mode}:${merchantId}:batch~${reference}`;
}

const streamPattern = /^payout-(live|demo):([^:]+):batch~(.+)$/;

/** The way back from a stream's name; undefined where it names no batch. */
export function payoutBatchKeyOf(stream: string): PayoutBatchKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, reference] = match as unknown as [string, Mode, string, string];
  return { mode, merchantId, reference };
}
