import { type Mode } from '#domain/kernel';

/** A status query about a stream. */
export interface MadeRailQuery {
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** A short code; `asking` while the query is under way. */
  readonly outcome: string;
}

/** The questions about a payout so far, as one row. */
export interface MadePayoutQueries {
  readonly asked: number;
  readonly askedAt: Date | null;
  /** The time of the next question. */
  readonly dueAt: Date;
  /** The newest answer; null if there is none yet. */
  readonly answer: string | null;
}

/** A callback of a stream that was not applied at once, without its contents. */
export interface InboxRow {
  readonly id: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** True if it came from the rail's own addresses. */
  readonly trusted: boolean;
  readonly receivedAt: Date;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly appliedAt: Date | null;
  readonly outcome: string | null;
  /** True if it reports a payment out that nothing in the service accounts for (PAY-62). */
  readonly told: boolean;
  readonly toldReceipt: string | null;
  readonly toldMinor: bigint | null;
  readonly toldPaidAt: Date | null;
}

/** The place where the rail's own bytes are stored, without the bytes. */
export interface RetainedMessage {
  readonly id: string;
  readonly receivedAt: Date;
}

/** The records about one stream, for a person who looks into it; oldest first. */
export interface CaseFile {
  readonly queries: readonly MadeRailQuery[];
  readonly inbox: readonly InboxRow[];
  readonly messages: readonly RetainedMessage[];
}

/** One operator's ruling on a collection or payout under review. */
export interface StoredReviewProposal {
  readonly id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly decision: string;
  readonly receipt: string | null;
  readonly amountMinor: bigint | null;
  readonly paidAt: Date | null;
  readonly reason: string;
  readonly revision: bigint | null;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  /** Null while the proposal is open. */
  readonly endedAt: Date | null;
  readonly outcome: string | null;
}

/** A webhook that was owed for an event. */
export interface OwedDelivery {
  readonly eventId: string;
  readonly kind: string;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null while the delivery is not over. */
  readonly outcome: string | null;
  readonly endedAt: Date | null;
  /** Null if the delivery is over. */
  readonly nextAttemptAt: Date | null;
}

/** The number of callbacks that wait in the inbox, and the age of the oldest. */
export interface WaitingInbox {
  readonly entries: number;
  readonly oldestSeconds: number;
}

/** The result of the last `audit check`. */
export interface LastAuditCheck {
  readonly at: Date;
  /** 0 if it passed. */
  readonly faults: number;
  /** The first fault, which may have caused the others; empty if the check passed. */
  readonly cause: string;
}

/** The records about items, which are not views. Each method throws DependencyUnavailable. */
export abstract class CaseRecords {
  abstract file(stream: string): Promise<CaseFile>;
  /** All proposals of a stream, oldest first. */
  abstract proposals(stream: string): Promise<readonly StoredReviewProposal[]>;
  /** Undefined if the rail was not asked about the payout yet, or is no longer asked. */
  abstract payoutQueries(stream: string): Promise<MadePayoutQueries | undefined>;
  /**
   * Callbacks that settled nothing for so long that the inbox leaves them to people: the newest ones, in order of
   * arrival.
   * @param streamPrefixes only those of streams with these prefixes; if absent, all
   */
  abstract callbacksLeft(
    limit: number,
    streamPrefixes?: readonly string[],
  ): Promise<readonly InboxRow[]>;
  /** Those of them that report a payment out that nothing accounts for, newest first. */
  abstract toldPayments(limit: number): Promise<readonly InboxRow[]>;
  abstract waitingInbox(): Promise<WaitingInbox>;
  /** The number of callbacks under a key that no worker has. */
  abstract unopenedCallbacks(): Promise<number>;
  /** Undefined if no check was made yet. */
  abstract lastAuditCheck(): Promise<LastAuditCheck | undefined>;
  /** Proposals of any stream that wait for a second operator, oldest first. */
  abstract openProposals(limit: number): Promise<readonly StoredReviewProposal[]>;
  /** The deliveries that were owed to endpoints for these events, oldest first. */
  abstract deliveriesOf(eventIds: readonly string[]): Promise<readonly OwedDelivery[]>;
}
