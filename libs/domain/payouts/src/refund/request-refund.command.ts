import { collectionDecider, collectionStream } from '#domain/collections';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { DependencyUnavailable, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actingAs, mayAsk } from '../decide/known-deciders.js';
import { PayoutFunds, payoutStep } from '../funds/payout-funds.js';
import { type PayoutRequested, payoutStream } from '../payout.events.js';
import { isPaidToNumber, walletOf } from '../payout.js';
import { PayoutPhones } from '../ports.js';
import { PayoutLimits } from '../request/payout-limits.js';
import { PayoutRecording, requested, type RequestedPayout } from '../request/payout-recording.js';
import { type RequestPayoutRefusal } from '../request/request-payout.command.js';
import {
  decideRefund,
  type RefundDetails,
  type RefundRail,
  type RefundRefusal,
  type RefundTerms,
} from './refund.decide.js';

export type RequestRefundRefusal = RefundRefusal | RequestPayoutRefusal;

/**
 * Requests a refund of a collection (REF-1). It is a payout: its money is reserved, and it waits for a second holder. If
 * the reference exists already, nothing is recorded and the current state is the answer.
 */
export class RequestRefund extends Command<Result<RequestedPayout, RequestRefundRefusal>> {
  constructor(
    readonly details: RefundDetails,
    /** Returns the abilities of the collection's rail; undefined if it pays nothing out. */
    readonly railOf: (channel: string) => RefundRail | undefined,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Refunds are rare, so the payout's stream is read first, and again after a refusal: the same request, sent twice at
 * once, may have claimed the money. No refund passes without a second holder (REF-5).
 */
@CommandHandler(RequestRefund)
export class RequestRefundHandler implements ICommandHandler<RequestRefund> {
  private readonly recording: PayoutRecording;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly limits: PayoutLimits,
    private readonly phones: PayoutPhones,
  ) {
    this.recording = new PayoutRecording(pipeline, funds, phones);
  }

  /** @throws DependencyUnavailable, also if the collection's rail pays nothing out */
  async execute({
    details,
    railOf,
    metadata,
  }: RequestRefund): Promise<Result<RequestedPayout, RequestRefundRefusal>> {
    const { merchantId, mode, reference, phone } = details;
    const step = payoutStep(payoutStream({ mode, merchantId, reference }), metadata);
    const before = await this.pipeline.load(step);
    if (before.state.status !== 'none') return ok(await this.recording.existing(step, before));
    const decided = await this.decide({ details, railOf, metadata });
    if (!decided.ok) {
      const now = await this.pipeline.load(step);
      return now.state.status === 'none' ? decided : ok(await this.recording.existing(step, now));
    }
    const number = isPaidToNumber(decided.value.data) ? phone : undefined;
    const recorded = await this.recording.record(step, decided.value, number);
    return ok(recorded.kind === 'existed' ? recorded.answer : requested(recorded.settled));
  }

  private async decide({
    details,
    railOf,
    metadata,
  }: Pick<RequestRefund, 'details' | 'railOf' | 'metadata'>): Promise<
    Result<PayoutRequested, RequestRefundRefusal>
  > {
    const { merchantId, mode, holder } = details;
    const known = await mayAsk(this.pipeline, details, actingAs(holder, metadata.actor));
    if (!known.ok) return known;
    const stream = collectionStream({ mode, merchantId, reference: details.collection });
    const { state } = await this.pipeline.load({ decider: collectionDecider, stream });
    if (state.status === 'none') return refuse('unknown_collection');
    const rail = railOf(state.intent.channel);
    if (!rail) throw new DependencyUnavailable('rail', 'none pays out in this mode');
    const tracesOf = (phone: string) => this.phones.tracesOf(phone);
    const decided = decideRefund(details, { rail, tracesOf }, state);
    return decided.ok ? this.funded(decided.value) : decided;
  }

  /** Checks the operator's bounds and the wallet's money. A reversal pays no other number than the payer's. */
  private async funded(data: RefundTerms): Promise<Result<PayoutRequested, RequestPayoutRefusal>> {
    const { amountMinor, phoneHmac } = data;
    const [{ maxMinor, destinations }, available] = await Promise.all([
      this.limits.termsOf(data),
      this.funds.availableIn(walletOf(data), amountMinor),
    ]);
    if (isPaidToNumber(data) && destinations && !destinations.has(phoneHmac ?? ''))
      return refuse('destination_not_allowed');
    if (maxMinor !== undefined && amountMinor > maxMinor) return refuse('limit_exceeded');
    if (amountMinor > available.availableMinor) return refuse('insufficient_funds');
    const revision = available.revision;
    const noted = revision === undefined ? {} : { reservationsRevision: revision.toString() };
    return ok({ type: 'PayoutRequested', data: { ...data, ...noted } });
  }
}
