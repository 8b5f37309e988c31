import { type RailAmount } from '#domain/rails';
import { type CommandMetadata, Pipeline, type Position } from '#domain/event-sourcing';
import { ok, refuse, type Result, Timer, within } from '#domain/kernel';
import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actingAs, mayAsk } from '../decide/known-deciders.js';
import { withoutEvidence } from '../funds/without-evidence.js';
import { PayoutLimits } from '../request/payout-limits.js';
import { type RequestPayoutRefusal } from '../request/request-payout.command.js';
import { type RequestRefusal } from '../request/request-payout.decide.js';
import { type BatchItem, type PayoutTerms } from '../ports.js';
import { type PayoutBatchRequested } from './payout-batch.events.js';
import {
  type PayoutBatchRequest,
  type PayoutBatchView,
  payoutBatchViewOf,
} from './payout-batch.js';
import { type GoesOn } from './batches-at-work.js';
import { batchStep, type LoadedBatch } from './batch-step.js';
import { PayoutBatches } from './payout-batches.js';
import { isOf } from './payout-batches.decide.js';

/** A batch as an edge has validated it. The account proves that it was looked up among the merchant's. */
export interface PayoutBatchDetails {
  readonly account: Account;
  readonly channel: string;
  readonly reference: string;
  /** 1 to 1,000 items, each with its own reference. */
  readonly items: readonly {
    readonly reference: string;
    readonly phone: string;
    readonly amountMinor: RailAmount;
  }[];
  /** The requester: the holder of the credential. */
  readonly holder: string;
}

/** `reference_exists`: of a payout before the batch. */
export type RequestPayoutBatchRefusal =
  | { readonly code: RequestPayoutRefusal }
  | { readonly code: 'reference_exists'; readonly item: number };

export interface RequestedPayoutBatch {
  readonly view: PayoutBatchView;
  /** The log position of the newest event in the view. */
  readonly position?: Position;
  /** The earlier request, if the reference existed before this request. Nothing was recorded now. */
  readonly existing?: PayoutBatchRequest;
}

/**
 * Requests many payouts as one: all are recorded and reserved, or none, and they wait for a second holder. If the
 * batch's reference exists already, nothing is recorded and the current state is the answer.
 */
export class RequestPayoutBatch extends Command<
  Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>
> {
  constructor(
    readonly details: PayoutBatchDetails,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/** After this time the caller gets the current state. The rest goes on here, or in the worker if this process ends. */
export const answerWithinMs = 8000;

/**
 * Checks everything that can refuse a batch before anything is recorded. After its first event the batch is completed,
 * or rejected as a whole. A batch always needs a second holder; only a single payout can pass without one.
 */
@CommandHandler(RequestPayoutBatch)
export class RequestPayoutBatchHandler implements ICommandHandler<RequestPayoutBatch> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly batches: PayoutBatches,
    private readonly limits: PayoutLimits,
    private readonly timer: Timer,
  ) {}

  /** @throws DependencyUnavailable */
  execute({
    details,
    metadata,
  }: RequestPayoutBatch): Promise<Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>> {
    return this.batches.atWork.admitted(details.account.merchantId, (goesOn) =>
      this.ask(details, metadata, goesOn),
    );
  }

  private async ask(
    details: PayoutBatchDetails,
    metadata: CommandMetadata,
    goesOn: GoesOn,
  ): Promise<Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>> {
    const { account, reference } = details;
    const { merchantId, mode } = account;
    const step = batchStep({ merchantId, mode, reference }, metadata);
    const before = await this.pipeline.load(step);
    const call = { metadata, goesOn };
    if (before.state.status !== 'none') return this.finish(before, { ...call, was: 'existing' });

    const free = await this.requireFree(details);
    if (free === 'own')
      return this.finish(await this.pipeline.load(step), { ...call, was: 'existing' });
    if (!free.ok) return free;
    const known = await mayAsk(this.pipeline, account, actingAs(details.holder, metadata.actor));
    if (!known.ok) return refuse({ code: known.refusal });
    const terms = await this.limits.termsOf(account);
    const items = details.items.map((item) => itemOf(account, item));
    const decided = await this.decide(details, items, terms);
    if (!decided.ok) return refuse({ code: decided.refusal });
    const isNew = await this.batches.begin(step, decided.value, items);
    const begun = await this.pipeline.load(step);
    return this.finish(begun, { ...call, was: isNew ? 'new' : 'existing' });
  }

  /** @returns `own`: another request with this batch's reference was first, and has recorded its payouts */
  private async requireFree({
    account,
    reference,
    items,
  }: PayoutBatchDetails): Promise<'own' | Result<undefined, RequestPayoutBatchRefusal>> {
    const key = { ...account, reference };
    const references = items.map((item) => item.reference);
    const found = await this.batches.payoutsOf(key, references);
    for (const [item, each] of references.entries()) {
      const state = found.get(each);
      if (!state || state.status === 'none') continue;
      if (isOf({ reference }, state)) return 'own';
      return refuse({ code: 'reference_exists', item });
    }
    return ok(undefined);
  }

  private async decide(
    details: PayoutBatchDetails,
    items: readonly BatchItem[],
    terms: PayoutTerms,
  ): Promise<Result<PayoutBatchRequested, RequestPayoutRefusal>> {
    const refusal = this.refusedBy(terms, items);
    if (refusal !== undefined) return refuse(refusal);
    const { availableMinor, revision } = await this.batches.availableIn(details.account);
    const totalMinor = sumOf(items, ({ amountMinor, feeMinor }) => amountMinor + feeMinor);
    if (totalMinor > availableMinor) return refuse('insufficient_funds');
    const { account, channel, reference, holder } = details;
    const { merchantId, mode, accountNo, currency } = account;
    return ok({
      type: 'PayoutBatchRequested',
      data: {
        merchantId,
        mode,
        accountNo,
        currency,
        channel,
        reference,
        references: items.map((item) => item.reference),
        count: items.length,
        amountMinor: sumOf(items, ({ amountMinor }) => amountMinor),
        holder,
        ...(revision === undefined ? {} : { reservationsRevision: revision.toString() }),
      },
    });
  }

  /** Applies the operator's bounds of one payout to each. */
  private refusedBy(
    { destinations, maxMinor }: PayoutTerms,
    items: readonly BatchItem[],
  ): RequestRefusal | undefined {
    if (
      destinations &&
      !items.every(({ phone }) => destinations.has(this.batches.tracesOf(phone).phoneHmac))
    )
      return 'destination_not_allowed';
    if (maxMinor !== undefined && items.some(({ amountMinor }) => amountMinor > maxMinor))
      return 'limit_exceeded';
    return undefined;
  }

  /** Takes the missing steps, for as long as the caller may wait. */
  private async finish(
    before: LoadedBatch,
    {
      metadata,
      goesOn,
      was,
    }: {
      readonly metadata: CommandMetadata;
      readonly goesOn: GoesOn;
      readonly was: 'new' | 'existing';
    },
  ): Promise<Result<RequestedPayoutBatch, never>> {
    const { state } = before;
    if (state.status === 'none') throw new TypeError('a batch that was just recorded is missing');
    const { request } = state;
    let batch = before;
    if (state.status === 'requested') {
      // The service, not this request, finishes what another request began (EVT-66).
      const by = was === 'existing' ? withoutEvidence(metadata) : metadata;
      const settling = this.batches.settle(request, by);
      goesOn(settling);
      batch = (await within(this.timer, settling, answerWithinMs)) ?? before;
    }
    const { position } = batch;
    return ok({
      view: payoutBatchViewOf(batch.state),
      ...(position === undefined ? {} : { position }),
      ...(was === 'existing' ? { existing: request } : {}),
    });
  }
}

function itemOf(
  { feeSchedule }: Account,
  { reference, phone, amountMinor }: PayoutBatchDetails['items'][number],
): BatchItem {
  return { reference, phone, amountMinor, feeMinor: feeFor(feeSchedule, amountMinor) };
}

function sumOf(items: readonly BatchItem[], of: (item: BatchItem) => bigint): bigint {
  return items.reduce((sum, item) => sum + of(item), 0n);
}
