import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, type Decider, Pipeline } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { settlementLegs } from '#domain/ledger';
import { ReceiptUse } from '#domain/reviews';
import {
  type BankSettlementPosted,
  settlementEventTypes,
  settlementStream,
  type SweepSource,
} from '../bank-settlement.events.js';

/** A sweep as the rail reports it. */
export interface Sweep {
  readonly channel: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly receipt: string;
  /** Above 0. */
  readonly amountMinor: Minor;
  /** Absent if the time's zone is not certain. */
  readonly paidAt?: Instant;
  /** The digest of the statement that shows it. */
  readonly fileSha256?: string;
}

/**
 * `receipt_taken`: another posting has the receipt, or may be about to get it. `amount_differs`: the sweep was posted
 * with another amount.
 */
export type PostRefusal = 'receipt_taken' | 'amount_differs';

/** Posts a sweep; safe to repeat. The value is true if this command posted it. */
export class PostBankSettlement extends Command<Result<boolean, PostRefusal>> {
  constructor(
    readonly sweep: Sweep,
    readonly by: SweepSource,
    /** Its evidence is the rail's report; the actor is an operator if a statement is the source. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

type Posted = Minor | undefined;

const decider: Decider<Posted, BankSettlementPosted> = {
  types: settlementEventTypes,
  initial: undefined,
  evolve: (_state, { data }) => data.amountMinor,
};

/** The stream's first append asserts that there is none, so a sweep that both sources report is posted once. */
@CommandHandler(PostBankSettlement)
export class PostBankSettlementHandler implements ICommandHandler<PostBankSettlement> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly receipts: ReceiptUse,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    sweep,
    by,
    metadata,
  }: PostBankSettlement): Promise<Result<boolean, PostRefusal>> {
    const stream = settlementStream(sweep);
    const step = { decider, stream, metadata };
    const before = (await this.pipeline.load(step)).state;
    if (before !== undefined) return repeated(before, sweep);
    const { mode, receipt } = sweep;
    const claim = { mode, receipt, stream, revision: 'no_stream' } as const;
    if (!(await this.receipts.take(claim))) return this.refused(step, sweep);
    const begun = await this.pipeline.begin(step, [postingOf(sweep, by)]);
    if (!begun.ok) return this.refused(step, sweep);
    await this.receipts.noteAppended(claim);
    return ok(true);
  }

  /** The sweep itself may have been posted meanwhile. */
  private async refused(
    step: { readonly decider: typeof decider; readonly stream: string },
    sweep: Sweep,
  ): Promise<Result<boolean, PostRefusal>> {
    const { state } = await this.pipeline.load(step);
    return state === undefined ? refuse('receipt_taken') : repeated(state, sweep);
  }
}

function repeated(posted: Minor, { amountMinor }: Sweep): Result<boolean, PostRefusal> {
  return posted === amountMinor ? ok(false) : refuse('amount_differs');
}

function postingOf(sweep: Sweep, by: SweepSource): BankSettlementPosted {
  const { channel: rail, amountMinor } = sweep;
  const legs = settlementLegs({ rail, amountMinor });
  return { type: 'BankSettlementPosted', data: { ...sweep, legs, by } };
}
