import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type EventStore, type ExpectedRevision } from '#domain/event-sourcing';

/** Answers which collections bear a receipt of the rail. */
export abstract class UsedReceipts {
  /**
   * The streams of the mode's collections that bear the receipt, as of the log's end at the question.
   * @throws DependencyUnavailable
   */
  abstract streamsWith(mode: Mode, receipt: string): Promise<readonly string[]>;
}

/** @returns whether no other collection than the stream's own has the receipt */
export async function isReceiptFree(
  receipts: UsedReceipts,
  use: { readonly mode: Mode; readonly stream: string; readonly receipt: string | undefined },
): Promise<boolean> {
  if (use.receipt === undefined) return true;
  const users = await receipts.streamsWith(use.mode, use.receipt);
  return users.every((stream) => stream === use.stream);
}

/** Who is about to write a receipt down, and after which of its stream's revisions. */
export interface ReceiptClaim {
  readonly mode: Mode;
  readonly receipt: string;
  readonly stream: string;
  readonly revision: ExpectedRevision;
}

/** Another's claim, as the records hold it. */
export interface StandingClaim extends ReceiptClaim {
  /** Its append is known to have succeeded, so none is on its way any more. */
  readonly isAppended: boolean;
  /** Since it was made, renewed, or its append was noted. */
  readonly ageMs: number;
}

/** Keeps, for each receipt that an operator writes down, the one stream that may. */
export abstract class ReceiptClaims {
  /**
   * Claims the receipt where nobody has it, or renews the stream's own claim.
   * @returns the claim of another stream, which then stays as it is
   * @throws DependencyUnavailable
   */
  abstract claim(claim: ReceiptClaim): Promise<StandingClaim | undefined>;
  /** Notes that the append for which the claim was made is in the log. @throws DependencyUnavailable */
  abstract appended(claim: ReceiptClaim): Promise<void>;
  /**
   * Gives another's claim to this one, where it is still as it was read.
   * @throws DependencyUnavailable
   */
  abstract pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean>;
}

const maxAttempts = 8;
/** Longer than any leader of the event store can answer without what another has acknowledged. */
const visibleAfterMs = 300_000;

/**
 * Makes sure that a receipt is written down in one stream. The caller that gets `true` appends at the claimed revision or
 * not at all. So a claim passes to another stream only after its holder has moved past that revision: an append of the
 * holder's that was frozen on its way fails, however late it comes.
 *
 * A log that was restored to a point before has lost events for which the records still hold claims (PAY-63). Such a claim
 * passes, too: its event was appended and is not there, or the stream ends before the revision that the claim was read at.
 */
export class ReceiptUse {
  constructor(
    private readonly store: EventStore,
    private readonly claims: ReceiptClaims,
    private readonly receipts: UsedReceipts,
  ) {}

  /**
   * @param use without a receipt there is nothing to claim
   * @returns false where another stream bears the receipt, or may be about to
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
   * Notes that what `take` allowed was appended. Without the note the claim only holds for longer, so a failure is left.
   * @param use as it was taken
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
