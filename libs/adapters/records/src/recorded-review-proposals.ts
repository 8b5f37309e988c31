import {
  collectionKeyOf,
  type Proposal,
  type ProposalOutcome,
  type ReviewDecision,
  ReviewProposals,
  type Ruling,
} from '#domain/collections';
import { instantFromMs, type Mode, msFromInstant, ok, refuse, type Result } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import {
  endReviewProposal,
  findOpenReviewProposal,
  findOpenReviewProposalByReceipt,
  openReviewProposal,
  type StoredReviewProposal,
} from './review-proposals.js';

/** Operators' proposals as rows, ended but never deleted. */
export class RecordedReviewProposals extends ReviewProposals {
  constructor(private readonly database: Database) {
    super();
  }

  override async findOpen(stream: string): Promise<Proposal | undefined> {
    const stored = await findOpenReviewProposal(this.database, stream);
    return stored && proposalFrom(stored);
  }

  override async findOpenByReceipt(mode: Mode, receipt: string): Promise<Proposal | undefined> {
    const stored = await findOpenReviewProposalByReceipt(this.database, mode, receipt);
    return stored && proposalFrom(stored);
  }

  override async open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>> {
    const { id, stream, ruling, reason, proposedBy } = proposal;
    const mode = collectionKeyOf(stream)?.mode;
    if (!mode) throw new TypeError('a proposal is about a collection');
    const payment = ruling.decision === 'paid' ? ruling.payment : undefined;
    const opened = await openReviewProposal(this.database, {
      id,
      stream,
      mode,
      decision: ruling.decision,
      receipt: payment?.receipt ?? null,
      amountMinor: payment?.amountMinor ?? null,
      paidAt: payment?.paidAt === undefined ? null : new Date(msFromInstant(payment.paidAt)),
      reason,
      proposedBy,
    });
    return opened === 'opened' ? ok(undefined) : refuse(opened);
  }

  override end(id: string, outcome: ProposalOutcome): Promise<void> {
    return endReviewProposal(this.database, id, outcome);
  }
}

function proposalFrom(stored: StoredReviewProposal): Proposal {
  const { id, stream, reason, proposedBy } = stored;
  return { id, stream, ruling: rulingFrom(stored), reason, proposedBy };
}

/** The table holds what `open` wrote. */
function rulingFrom({ decision, receipt, amountMinor, paidAt }: StoredReviewProposal): Ruling {
  const stored = decision as ReviewDecision;
  if (stored !== 'paid') return { decision: stored };
  if (receipt === null || amountMinor === null) return { decision: stored };
  const at = paidAt === null ? {} : { paidAt: instantFromMs(paidAt.getTime()) };
  return { decision: stored, payment: { receipt, amountMinor, ...at } };
}
