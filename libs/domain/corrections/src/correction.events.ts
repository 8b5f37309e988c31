import { type Mode } from '#domain/kernel';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Leg } from '#domain/ledger';

/** The terms that two operators agree on. */
export interface CorrectionTerms {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly legs: readonly Leg[];
  readonly why: string;
  /** The stream that is corrected: a collection, a payout or an earlier correction. */
  readonly corrects?: string;
  /** The rail's own receipt of the recorded movement, for example of a reversal that the rail made. */
  readonly receipt?: string;
  /** The rail took the money already. It is reserved whatever is available, so the wallet may go negative. */
  readonly mayOverdraw?: true;
}

export type CorrectionProposed = StoredEvent<
  'CorrectionProposed',
  CorrectionTerms & {
    /**
     * The revision of the debited wallet's reservations before the proposal, in digits. The correction's reservation
     * comes after it. Absent if no wallet is debited, or nothing was ever reserved.
     */
    reservationsRevision?: string;
    proposedBy: string;
  }
>;

export type CorrectionPosted = StoredEvent<
  'CorrectionPosted',
  CorrectionTerms & { proposedBy: string; confirmedBy: string }
>;

/** `expired`: not confirmed in time. `withdrawn`: the proposer withdrew it. */
export type CorrectionEnd = 'expired' | 'withdrawn';

/** Nothing was posted, and nothing will be. Its reservation is released, and its receipt is free again (COR-9). */
export type CorrectionEnded = StoredEvent<
  'CorrectionEnded',
  { merchantId: string; mode: Mode; outcome: CorrectionEnd }
>;

export type CorrectionEvent = CorrectionProposed | CorrectionPosted | CorrectionEnded;

/** The names and versions under which history stores these events. */
export const correctionEventTypes = {
  CorrectionProposed: { version: 1 },
  CorrectionPosted: { version: 1 },
  CorrectionEnded: { version: 1 },
} as const satisfies Record<CorrectionEvent['type'], EventTypes[string]>;

/** The key of a correction. */
export interface CorrectionKey {
  readonly mode: Mode;
  /** A UUID. */
  readonly id: string;
}

export function correctionStream({ mode, id }: CorrectionKey): string {
  return `correction-${mode}:${id}`;
}

const streamPattern = /^correction-(live|demo):([^:]+)$/;

/** Returns the key from a stream's name; undefined if it names no correction. */
export function correctionKeyOf(stream: string): CorrectionKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, id] = match as unknown as [string, Mode, string];
  return { mode, id };
}
