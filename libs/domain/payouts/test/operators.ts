import {
  type DeclinedEnd,
  type OpenProposal,
  type Proposal,
  type ProposalOutcome,
  type ReceiptClaim,
  ReceiptClaims,
  ReviewProposals,
  type StandingClaim,
  UsedReceipts,
} from '#domain/reviews';
import { instantFromMs, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type AtCall, type MemoryLog } from '#testing';

/** Proposals as the records hold them: one open for a stream, and one for a receipt. */
export class Proposals {
  readonly all: {
    readonly proposal: OpenProposal;
    outcome?: ProposalOutcome | DeclinedEnd['outcome'];
  }[] = [];
  readonly claims = new Map<string, ReceiptClaim>();

  open(): OpenProposal[] {
    return this.all.flatMap(({ proposal, outcome }) => (outcome === undefined ? [proposal] : []));
  }
}

/** The records as one process reaches them. */
export class ReachedProposals extends ReviewProposals {
  constructor(
    private readonly kept: Proposals,
    private readonly at: AtCall,
  ) {
    super();
  }

  override async findOpen(stream: string): Promise<OpenProposal | undefined> {
    await this.at('find proposal');
    return this.kept.open().find((proposal) => proposal.stream === stream);
  }
  override async findOpenByReceipt(
    _mode: Mode,
    receipt: string,
  ): Promise<OpenProposal | undefined> {
    await this.at('find proposal');
    return this.kept.open().find((proposal) => receiptOf(proposal) === receipt);
  }
  override async open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>> {
    await this.at('open proposal');
    const receipt = receiptOf(proposal);
    const others = this.kept.open().filter(({ stream }) => stream !== proposal.stream);
    if (receipt !== undefined && others.some((other) => receiptOf(other) === receipt))
      return refuse('receipt_proposed');
    for (const { id, stream } of this.kept.open())
      if (stream === proposal.stream) this.#end(id, 'replaced');
    this.kept.all.push({ proposal: { ...proposal, proposedAt: instantFromMs(Date.now()) } });
    return ok(undefined);
  }
  override async end(id: string, outcome: ProposalOutcome): Promise<void> {
    await this.at('end proposal');
    this.#end(id, outcome);
  }

  /** The scene declines nothing beside a confirmation, so that a claim keeps no one out. */
  override async claim(id: string): Promise<boolean> {
    await this.at('claim proposal');
    return this.kept.open().some((proposal) => proposal.id === id);
  }
  override release = () => Promise.resolve();

  override async decline(id: string, { outcome }: DeclinedEnd): Promise<boolean> {
    await this.at('decline proposal');
    const found = this.kept.open().find((proposal) => proposal.id === id);
    this.#end(id, outcome);
    return found !== undefined;
  }

  #end(id: string, outcome: ProposalOutcome | DeclinedEnd['outcome']): void {
    const found = this.kept.all.find(({ proposal }) => proposal.id === id);
    if (found) found.outcome ??= outcome;
  }
}

function receiptOf({ ruling }: Proposal): string | undefined {
  return ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
}

/** Receipts in the log. */
export class LoggedReceipts extends UsedReceipts {
  constructor(private readonly log: Pick<MemoryLog, 'events'>) {
    super();
  }

  override streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    const bearers = this.log.events.filter(
      ({ data }) => 'receipt' in data && data.receipt === receipt,
    );
    return Promise.resolve([...new Set(bearers.map(({ stream }) => stream))]);
  }
}

export class Claims extends ReceiptClaims {
  constructor(private readonly kept: Proposals) {
    super();
  }

  override claim(claim: ReceiptClaim): Promise<StandingClaim | undefined> {
    const held = this.kept.claims.get(claim.receipt);
    if (held && held.stream !== claim.stream)
      return Promise.resolve({ ...held, isAppended: false, ageMs: 0 });
    this.kept.claims.set(claim.receipt, claim);
    return Promise.resolve(undefined);
  }
  override appended = () => Promise.resolve();
  override pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    const held = this.kept.claims.get(from.receipt);
    const isAsRead = held?.stream === from.stream && held.revision === from.revision;
    if (isAsRead) this.kept.claims.set(to.receipt, to);
    return Promise.resolve(isAsRead);
  }
}
