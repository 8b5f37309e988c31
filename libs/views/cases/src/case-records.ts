import { type Mode } from '#domain/kernel';

/** A status query that was made about a stream. */
export interface MadeRailQuery {
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** A short code; `asking` while it is under way. */
  readonly outcome: string;
}

/** The questions about a payout so far; a row, not one each. */
export interface MadePayoutQueries {
  readonly asked: number;
  readonly askedAt: Date | null;
  /** Of the next one. */
  readonly dueAt: Date;
  /** What the newest answer was; null while none came. */
  readonly answer: string | null;
}

/** A callback of a stream that was not applied at once; never its contents. */
export interface InboxRow {
  readonly id: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** Whether it came from the rail's own addresses. */
  readonly trusted: boolean;
  readonly receivedAt: Date;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly appliedAt: Date | null;
  readonly outcome: string | null;
  /** It tells of a payment out that nothing in the service accounts for (PAY-62). */
  readonly told: boolean;
  readonly toldReceipt: string | null;
  readonly toldMinor: bigint | null;
  readonly toldPaidAt: Date | null;
}

/** Where the rail's own bytes lie; never the bytes. */
export interface RetainedMessage {
  readonly id: string;
  readonly receivedAt: Date;
}

/** What the records hold about one stream, for a person who looks into it; the oldest first. */
export interface CaseFile {
  readonly queries: readonly MadeRailQuery[];
  readonly inbox: readonly InboxRow[];
  readonly messages: readonly RetainedMessage[];
}

/** A ruling by one operator on a collection or payout under review. */
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
  /** Null while it is open. */
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
  /** Null while it is not over. */
  readonly outcome: string | null;
  readonly endedAt: Date | null;
  /** Null where it is over. */
  readonly nextAttemptAt: Date | null;
}

/** How many callbacks wait in the inbox, and for how long. */
export interface WaitingInbox {
  readonly entries: number;
  readonly oldestSeconds: number;
}

/** What `audit check` found when it last ran. */
export interface LastAuditCheck {
  readonly at: Date;
  /** 0 if it passed. */
  readonly faults: number;
  /** The first fault, from which the others may follow; empty if it passed. */
  readonly cause: string;
}

/** The business rows about items; they are no views. Each method throws DependencyUnavailable. */
export abstract class CaseRecords {
  abstract file(stream: string): Promise<CaseFile>;
  /** All of a stream, oldest first. */
  abstract proposals(stream: string): Promise<readonly StoredReviewProposal[]>;
  /** Undefined where the rail was not asked about the payout yet, or is asked no more. */
  abstract payoutQueries(stream: string): Promise<MadePayoutQueries | undefined>;
  /**
   * Callbacks that settled nothing for so long that the inbox leaves them to people; the newest, in the order in which
   * they came.
   * @param streamPrefixes only those of streams that begin so; all unless given
   */
  abstract callbacksLeft(
    limit: number,
    streamPrefixes?: readonly string[],
  ): Promise<readonly InboxRow[]>;
  /** Those of them that tell of a payment out that nothing accounts for; the newest first. */
  abstract toldPayments(limit: number): Promise<readonly InboxRow[]>;
  abstract waitingInbox(): Promise<WaitingInbox>;
  /** Callbacks under a key that no worker has. */
  abstract unopenedCallbacks(): Promise<number>;
  /** Undefined if no check was made yet. */
  abstract lastAuditCheck(): Promise<LastAuditCheck | undefined>;
  /** Those that wait for a second operator, of whichever stream; the oldest first. */
  abstract openProposals(limit: number): Promise<readonly StoredReviewProposal[]>;
  /** What was owed to endpoints for these events, the oldest first. */
  abstract deliveriesOf(eventIds: readonly string[]): Promise<readonly OwedDelivery[]>;
}
