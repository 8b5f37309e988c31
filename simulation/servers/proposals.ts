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
import {
  DependencyUnavailable,
  instantFromMs,
  type Mode,
  ok,
  refuse,
  type Result,
} from '#domain/kernel';
import { type Life } from '../core/life.js';
import { type MemoryLog } from './log.js';
import { statement } from './record-ports.js';
import { type ViewTables } from './views.js';

/** The open proposals, by stream: one per collection and per receipt. */
export type OpenProposals = Map<string, OpenProposal>;

/** The records' proposals (libs/records/reviews/src/review-proposals.ts). Each call is one transaction. */
export class SimulatedProposals extends ReviewProposals {
  constructor(
    private readonly life: Life,
    private readonly openOnes: OpenProposals,
    private readonly onOpen: (proposal: Proposal) => void = () => undefined,
  ) {
    super();
  }

  override findOpen(stream: string): Promise<OpenProposal | undefined> {
    return statement(this.life, `reads the proposal for ${stream}`, () =>
      this.openOnes.get(stream),
    );
  }

  override findOpenByReceipt(_mode: Mode, receipt: string): Promise<OpenProposal | undefined> {
    return statement(this.life, `reads who proposes ${receipt}`, () => this.#byReceipt(receipt));
  }

  override open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>> {
    const { stream, ruling } = proposal;
    return statement(this.life, `proposes ${ruling.decision} for ${stream}`, () => {
      const receipt = receiptOf(proposal);
      const other = receipt === undefined ? undefined : this.#byReceipt(receipt);
      if (other && other.stream !== stream) return refuse('receipt_proposed' as const);
      const proposedAt = instantFromMs(Math.floor(this.life.world.nowMs));
      this.openOnes.set(stream, { ...proposal, proposedAt });
      this.onOpen(proposal);
      return ok(undefined);
    });
  }

  override end(id: string, outcome: ProposalOutcome): Promise<void> {
    return statement(this.life, `ends a proposal: ${outcome}`, () => {
      for (const [stream, proposal] of this.openOnes)
        if (proposal.id === id) this.openOnes.delete(stream);
    });
  }

  /** No simulated operator rejects a proposal, so a claim only reads. */
  override claim(id: string): Promise<boolean> {
    return statement(this.life, 'claims a proposal', () =>
      [...this.openOnes.values()].some((proposal) => proposal.id === id),
    );
  }

  override release(): Promise<void> {
    return statement(this.life, 'releases a proposal', () => undefined);
  }

  override decline(id: string, { outcome }: DeclinedEnd): Promise<boolean> {
    return statement(this.life, `ends a proposal: ${outcome}`, () => {
      const [open] = [...this.openOnes].filter(([, proposal]) => proposal.id === id);
      return open !== undefined && this.openOnes.delete(open[0]);
    });
  }

  #byReceipt(receipt: string): OpenProposal | undefined {
    return [...this.openOnes.values()].find((proposal) => receiptOf(proposal) === receipt);
  }
}

/** The view of receipts, which answers only if it has the whole log. */
export class SimulatedReceipts extends UsedReceipts {
  constructor(
    private readonly life: Life,
    private readonly views: ViewTables,
    private readonly log: MemoryLog,
  ) {
    super();
  }

  override streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    return statement(this.life, `looks whose ${receipt} is`, () => {
      if (this.views.checkpoint.position < this.log.head)
        throw new DependencyUnavailable('read model', 'it is behind the log');
      return [...this.views.rows.values()]
        .filter((row) => row.receipt === receipt)
        .map(({ stream }) => stream);
    });
  }
}

function receiptOf({ ruling }: Proposal): string | undefined {
  return ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
}

/** The records' claims of receipts. Each call is one statement. */
export class SimulatedReceiptClaims extends ReceiptClaims {
  constructor(
    private readonly life: Life,
    private readonly claims: Map<string, ReceiptClaim>,
  ) {
    super();
  }

  override claim(wanted: ReceiptClaim): Promise<StandingClaim | undefined> {
    const { receipt, stream } = wanted;
    return statement(this.life, `claims receipt ${receipt} for ${stream}`, () => {
      const held = this.claims.get(receipt);
      // The simulated log loses no claimed receipt.
      if (held && held.stream !== stream) return { ...held, isAppended: false, ageMs: 0 };
      this.claims.set(receipt, wanted);
      return undefined;
    });
  }

  override appended({ receipt, stream }: ReceiptClaim): Promise<void> {
    return statement(this.life, `notes that ${stream} has receipt ${receipt}`, () => undefined);
  }

  override pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    return statement(this.life, `passes receipt ${to.receipt} to ${to.stream}`, () => {
      const held = this.claims.get(from.receipt);
      if (held?.stream !== from.stream || held.revision !== from.revision) return false;
      this.claims.set(to.receipt, to);
      return true;
    });
  }
}
