import { type CommandMetadata, type Done, Pipeline, type Position } from '#domain/event-sourcing';
import { DependencyUnavailable, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Acting, actingAs, mayAsk } from '../decide/known-deciders.js';
import { isOver } from '../funds/complete-payout.command.js';
import { PayoutFunds, payoutStep } from '../funds/payout-funds.js';
import {
  automaticApprover,
  payoutStream,
  type PayoutApproved,
  type PayoutEvent,
  type PayoutRequested,
} from '../payout.events.js';
import {
  type Payout,
  type PayoutRequest,
  payoutViewOf,
  type PayoutView,
  totalOf,
} from '../payout.js';
import { PayoutPhones, type PayoutTerms } from '../ports.js';
import { PayoutLimits } from './payout-limits.js';
import {
  decideRequestPayout,
  type PayoutDetails,
  type RequestRefusal,
} from './request-payout.decide.js';

export type RequestPayoutRefusal = RequestRefusal | 'insufficient_funds';

export interface RequestedPayout {
  readonly view: PayoutView;
  /** The log position of the newest event in the view. */
  readonly position?: Position;
  /** The earlier request, if the reference existed before this request. Nothing was recorded now. */
  readonly existing?: PayoutRequest;
}

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
type ExistingPayout = RequestedPayout & { readonly existing: PayoutRequest };

interface Bounds {
  readonly terms: PayoutTerms;
  readonly available: Awaited<ReturnType<PayoutFunds['availableIn']>>;
}

/**
 * Checks everything that can refuse a payout before anything is recorded. The number is stored before the first event,
 * so that the log has no payout without it. The payout counts in its day when it is approved (PAY-50).
 *
 * The first append itself shows if the reference exists. The stream is read first only if the request would be refused,
 * or if its bounds cannot be read.
 */
@CommandHandler(RequestPayout)
export class RequestPayoutHandler implements ICommandHandler<RequestPayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly limits: PayoutLimits,
    private readonly phones: PayoutPhones,
  ) {}

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
      if (before.state.status !== 'none') return ok(await this.existing(step, before));
    }
    if (!decided.ok) return decided;
    const { data } = decided.value;
    await this.phones.keep(stream, data.phoneHmac, details.phone);
    const begun = await this.pipeline.begin(step, [decided.value]);
    if (!begun.ok) return ok(await this.first(step, data.phoneHmac));
    const settled = await this.funds.settle(step, begun.value);
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
      return this.existing(step, before);
    }
  }

  /**
   * Another request recorded the reference, with its own number. This request's number is deleted, unless the payout
   * still needs it.
   */
  private async first(step: PayoutStep, phoneHmac: string): Promise<RequestedPayout> {
    const before = await this.pipeline.load(step);
    const answer = await this.existing(step, before);
    if (isOver(answer.view.status) || requestOf(before.state).phoneHmac !== phoneHmac)
      await this.phones.forget(step.stream, phoneHmac);
    return answer;
  }

  /** If the earlier request's process died before its funds were reserved, finishes it first. */
  private async existing(step: PayoutStep, before: Done<Payout>): Promise<ExistingPayout> {
    const settled = await this.funds.settle(step, before);
    return { ...requested(settled), existing: requestOf(settled.state) };
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
    const { amountMinor, phoneHmac } = state.request;
    const approved: PayoutApproved = {
      type: 'PayoutApproved',
      data: { holder: automaticApprover, amountMinor, phoneHmac },
    };
    const decide = (current: Payout) => ok(current.status === 'reserved' ? [approved] : []);
    const done = await this.pipeline.run<Payout, PayoutEvent, never>(step, decide, settled);
    return done.ok ? done.value : settled;
  }
}

function requestOf(state: Payout): PayoutRequest {
  if (state.status === 'none') throw new TypeError('a request that was just recorded is missing');
  return state.request;
}

function requested({ state, position }: Done<Payout>): RequestedPayout {
  return { view: payoutViewOf(state), ...(position === undefined ? {} : { position }) };
}
