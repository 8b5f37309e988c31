import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type EventStore, type ExpectedRevision } from '#domain/event-sourcing';

/** Finds the streams that have a receipt of the rail. */
export abstract class UsedReceipts {
  /**
   * The streams of the mode that have the receipt, as of the log's end at the call.
   * @throws DependencyUnavailable
   */
  abstract streamsWith(mode: Mode, receipt: string): Promise<readonly string[]>;
}

/** @returns true if no stream but its own has the receipt */
export async function isReceiptFree(
  receipts: UsedReceipts,
  use: { readonly mode: Mode; readonly stream: string; readonly receipt: string | undefined },
): Promise<boolean> {
  if (use.receipt === undefined) return true;
  const users = await receipts.streamsWith(use.mode, use.receipt);
  return users.every((stream) => stream === use.stream);
}

/** The stream that is about to record a receipt, and its revision before that. */
export interface ReceiptClaim {
  readonly mode: Mode;
  readonly receipt: string;
  readonly stream: string;
  readonly revision: ExpectedRevision;
}

/** Another stream's claim, as the records hold it. */
export interface StandingClaim extends ReceiptClaim {
  /** True if its append is known to have succeeded, so that none is still in progress. */
  readonly isAppended: boolean;
  /** The time since it was made, renewed, or its append was noted. */
  readonly ageMs: number;
}

/** Stores, for each receipt that an operator records, the one stream that may record it. */
export abstract class ReceiptClaims {
  /**
   * Claims the receipt if it is free, or renews the stream's own claim.
   * @returns the claim of another stream, which then stays as it is
   * @throws DependencyUnavailable
   */
  abstract claim(claim: ReceiptClaim): Promise<StandingClaim | undefined>;
  /**
   * Notes that the claim's append is in the log.
   * @throws DependencyUnavailable
   */
  abstract appended(claim: ReceiptClaim): Promise<void>;
  /**
   * Transfers another stream's claim to this one, if it is unchanged since it was read.
   * @throws DependencyUnavailable
   */
  abstract pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean>;
}

const maxAttempts = 8;
/** Longer than any leader of the event store can answer without events that another has acknowledged. */
const visibleAfterMs = 300_000;

/**
 * Ensures that only one stream records a receipt. The caller that gets `true` appends at the claimed revision or not at
 * all. So a claim passes to another stream only after its holder has moved past that revision: if the holder's append
 * was delayed, it fails, however late it comes.
 *
 * A log that was restored to an earlier point has lost events for which the records still hold claims (PAY-63). Such a
 * claim passes too: its event was appended and is missing, or the stream ends before the revision of the claim.
 */
export class ReceiptUse {
  constructor(
    private readonly store: EventStore,
    private readonly claims: ReceiptClaims,
    private readonly receipts: UsedReceipts,
  ) {}

  /**
   * @param use without a receipt there is nothing to claim
   * @returns false if another stream has the receipt, or may be about to record it
   * @throws DependencyUnavailable
   */
  async take(
    use: Omit<ReceiptClaim, 'receipt'> & { readonly receipt: string | undefined },
  ): Promise<boolean> {
    const { receipt } = use;
    if (receipt === undefined) return true;
    return (await this.claim({ ...use, receipt })) && isReceiptFree(this.receipts, use);
  }

  /**
   * Notes that the event that `take` allowed was appended. Without the note the claim only holds for longer, so a
   * failure is ignored.
   * @param use the same as for `take`
   */
  async noteAppended(
    use: Omit<ReceiptClaim, 'receipt'> & { readonly receipt: string | undefined },
  ): Promise<void> {
    const { receipt } = use;
    if (receipt === undefined) return;
    try {
      await this.claims.appended({ ...use, receipt });
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
    }
  }

  private async claim(use: ReceiptClaim): Promise<boolean> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const other = await this.claims.claim(use);
      if (!other) return true;
      const last = await this.store.readLast(other.stream);
      if (!mayPass(other, last?.revision ?? -1n)) return false;
      if (await this.claims.pass(other, use)) return true;
    }
    return false;
  }
}

/** @param last the revision of the last event of the claim's stream; −1 if there is no such stream */
function mayPass(claim: StandingClaim, last: bigint): boolean {
  const claimed = revisionOf(claim);
  if (last > claimed) return true;
  const isLost = claim.isAppended || last < claimed;
  return isLost && claim.ageMs >= visibleAfterMs;
}

function revisionOf({ revision }: ReceiptClaim): bigint {
  return revision === 'no_stream' ? -1n : revision;
}
