import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';

/** The source of a sweep: the rail's list of its payments, or its statement. */
export type SweepSource = 'list' | 'statement';

/** Money went from the rail's account to the organisation's bank. It concerns no merchant. */
export type BankSettlementPosted = StoredEvent<
  'BankSettlementPosted',
  {
    /** The rail. */
    channel: string;
    mode: Mode;
    currency: string;
    receipt: string;
    amountMinor: Minor;
    legs: readonly Leg[];
    /** The rail's time; absent if its zone is not certain. */
    paidAt?: Instant;
    by: SweepSource;
    /** Lower-case hex, if a statement is the source. The sweep is one of its lines. */
    fileSha256?: string;
  }
>;

/** The names and versions under which history stores these events (EVT-1). */
export const settlementEventTypes = {
  BankSettlementPosted: { version: 1 },
} as const satisfies Record<BankSettlementPosted['type'], EventTypes[string]>;

const prefix = 'platform-settlement-';

/** Returns the stream of a sweep. Its name contains the receipt, so that a receipt is posted once (SWEEP-2). */
export function settlementStream({
  mode,
  channel,
  receipt,
}: Pick<BankSettlementPosted['data'], 'mode' | 'channel' | 'receipt'>): string {
  return `${prefix}${mode}:${channel}:${receipt}`;
}

export function isSettlementStream(stream: string): boolean {
  return stream.startsWith(prefix);
}
