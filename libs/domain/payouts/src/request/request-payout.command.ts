import { type CommandMetadata, type Done, Pipeline } from '#domain/event-sourcing';
import { DependencyUnavailable, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Acting, actingAs, mayAsk } from '../decide/known-deciders.js';
import { PayoutFunds, payoutStep } from '../funds/payout-funds.js';
import {
  automaticApprover,
  payoutStream,
  type PayoutApproved,
  type PayoutEvent,
  type PayoutRequested,
} from '../payout.events.js';
import { boundTo, type Payout, totalOf } from '../payout.js';
import { PayoutPhones, type PayoutTerms } from '../ports.js';
import { PayoutLimits } from './payout-limits.js';
import {
  type ExistingPayout,
  PayoutRecording,
  requested,
  type RequestedPayout,
} from './payout-recording.js';
import {
  decideRequestPayout,
  type PayoutDetails,
  type RequestRefusal,
} from './request-payout.decide.js';

export type RequestPayoutRefusal = RequestRefusal | 'insufficient_funds';

/**
 * Requests a payout: it is recorded, its amount and fee are reserved, and it waits for a second holder. If the
 * reference exists already, nothing is recorded and the current state is the answer.
 */
export class RequestPayout extends Command<Result<RequestedPayout, RequestPayoutRefusal>> {
  constructor(
    readonly details: PayoutDetails,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

type PayoutStep = ReturnType<typeof payoutStep>;

interface Bounds {
  readonly terms: PayoutTerms;
  readonly available: Awaited<ReturnType<PayoutFunds['availableIn']>>;
}

/**
 * Checks everything that can refuse a payout before anything is recorded. The payout counts in its day when it is
 * approved (PAY-50). The stream is read first only if the request would be refused, or if its bounds cannot be read.
 */
@CommandHandler(RequestPayout)
export class RequestPayoutHandler implements ICommandHandler<RequestPayout> {
  private readonly recording: PayoutRecording;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly limits: PayoutLimits,
    private readonly phones: PayoutPhones,
  ) {
    this.recording = new PayoutRecording(pipeline, funds, phones);
  }

  /** @throws DependencyUnavailable */
  async execute({
    details,
    metadata,
  }: RequestPayout): Promise<Result<RequestedPayout, RequestPayoutRefusal>> {
    const { merchantId, mode } = details.account;
    const stream = payoutStream({ mode, merchantId, reference: details.reference });
    const step = payoutStep(stream, metadata);
    const bounds = await this.boundsOf(details, step);
    if ('existing' in bounds) return ok(bounds);
    const { terms, available } = bounds;
    const asker = actingAs(details.holder, metadata.actor);
    const known = await mayAsk(this.pipeline, details.account, asker);
    const decided = known.ok ? this.decide(details, terms, available) : known;
    if (!decided.ok) {
      const before = await this.pipeline.load(step);
      if (before.state.status !== 'none') return ok(await this.recording.existing(step, before));
    }
    if (!decided.ok) return decided;
    const recorded = await this.recording.record(step, decided.value, details.phone);
    if (recorded.kind === 'existed') return ok(recorded.answer);
    const { settled } = recorded;
    return ok(requested(await this.approveIfAutomatic(step, settled, { terms, asker })));
  }

  /**
   * Returns the bounds of the payout. If they cannot be read, an existing reference is still answered, because the log
   * decides, not a view.
   * @throws DependencyUnavailable
   */
  private async boundsOf(
    { account, amountMinor }: PayoutDetails,
    step: PayoutStep,
  ): Promise<Bounds | ExistingPayout> {
    try {
      const [terms, available] = await Promise.all([
        this.limits.termsOf(account),
        // A fee is never above its amount (FEE-1).
        this.funds.availableIn(account, 2n * amountMinor),
      ]);
      return { terms, available };
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      const before = await this.pipeline.load(step);
      if (before.state.status === 'none') throw error;
      return this.recording.existing(step, before);
    }
  }

  private decide(
    details: PayoutDetails,
    terms: PayoutTerms,
    { availableMinor, revision }: Bounds['available'],
  ): Result<PayoutRequested, RequestPayoutRefusal> {
    const noted = { ...this.phones.tracesOf(details.phone), reservationsRevision: revision };
    const decided = decideRequestPayout(details, terms, noted);
    if (!decided.ok) return decided;
    return totalOf(decided.value.data) > availableMinor ? refuse('insufficient_funds') : decided;
  }

  private async approveIfAutomatic(
    step: PayoutStep,
    settled: Done<Payout>,
    { terms, asker }: { readonly terms: PayoutTerms; readonly asker: Acting },
  ): Promise<Done<Payout>> {
    const { state } = settled;
    if (state.status !== 'reserved') return settled;
    if (!(await this.limits.mayPassAlone(step.stream, state.request, terms))) return settled;
    // The wallet's queue may have taken long enough for the requester to be suspended. Then a person decides.
    if (!(await mayAsk(this.pipeline, state.request, asker)).ok) return settled;
    const approved: PayoutApproved = {
      type: 'PayoutApproved',
      data: { holder: automaticApprover, ...boundTo(state.request) },
    };
    const decide = (current: Payout) => ok(current.status === 'reserved' ? [approved] : []);
    const done = await this.pipeline.run<Payout, PayoutEvent, never>(step, decide, settled);
    return done.ok ? done.value : settled;
  }
}
