import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import {
  type BatchCancelRefusal,
  type BatchDecisionRefusal,
  type DecidedPayoutBatch,
  isBatchCancelled,
  type Payout,
  type PayoutBatch,
  payoutBatchDecider,
  type PayoutBatchEvent,
  type PayoutBatchRequest,
  type PayoutEvent,
  payoutStream,
  type RequestedPayoutBatch,
  type RequestPayoutBatchRefusal,
} from '#domain/payouts';
import { countedAs, noneCounted } from '#views/payouts';
import { type World } from '../core/world.js';
import { batchStreamOf } from '../names.js';
import { type PlannedDecision } from '../payout-plan.js';
import { type Fixture } from '../processes/parts.js';
import { isBehind, isOfBatch, isOfPayout, isReservation } from '../servers/payout-views.js';
import { invariants } from './invariants.js';

/** Checks batches: all payouts of a batch are reserved, decided and carried out, or none. */
export class BatchOracle {
  readonly #states = new Map<string, PayoutBatch>();

  constructor(
    private readonly world: World,
    private readonly fixture: () => Fixture,
    private readonly payoutOf: (stream: string) => Payout,
  ) {}

  /** Checks one append, after the payouts' states include it. */
  appended(events: readonly RecordedEvent[]): void {
    for (const event of events)
      if (isOfBatch(event)) this.#batchEvent(event);
      else if (isOfPayout(event)) this.#itemEvent(event);
    this.#reservedWhole(events);
  }

  answered(
    name: string,
    reference: string,
    result: Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>,
  ): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal.code}`,
    );
    if (result.ok) this.#told(reference, result.value.view.status);
  }

  decided(
    name: string,
    { reference, holder, verdict }: PlannedDecision,
    result: Result<DecidedPayoutBatch, BatchDecisionRefusal>,
  ): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal}`,
    );
    if (!result.ok) return;
    this.#told(reference, result.value.view.status);
    const state = this.#stateOf(batchStreamOf(reference));
    const by =
      verdict === 'approve'
        ? 'approvedBy' in state && state.approvedBy
        : 'rejectedBy' in state && state.rejectedBy;
    if (by === false || by.toLowerCase() !== holder.toLowerCase())
      this.#violate(
        invariants.durableAnswers,
        `${holder} was told of an ${verdict} of ${reference}`,
      );
  }

  cancelled(
    name: string,
    reference: string,
    result: Result<DecidedPayoutBatch, BatchCancelRefusal>,
  ): void {
    this.world.tell(
      () =>
        `${name} is answered: ${result.ok ? `202 ${result.value.view.status}` : result.refusal.code}`,
    );
    if (result.ok && !isBatchCancelled(this.#stateOf(batchStreamOf(reference))))
      this.#violate(invariants.durableAnswers, `${reference} was told to be cancelled`);
  }

  /** Checks everything at the end. */
  finish(): void {
    for (const [stream, state] of this.#states)
      if (state.status !== 'none') this.#finished(stream, state);
  }

  #batchEvent(event: RecordedEvent<PayoutBatchEvent>): void {
    const { stream, type, data } = event;
    const before = this.#stateOf(stream);
    const isFirst = type === 'PayoutBatchRequested';
    const isStop =
      before.status === 'approved' && type === 'PayoutBatchRejected' && data.reason === 'cancelled';
    const isDecision = !isFirst && (before.status === 'requested' || isStop);
    if ((before.status === 'none') !== isFirst || (!isFirst && !isDecision)) {
      this.#violate(invariants.batchDecidedOnce, `${stream} is ${before.status} before ${type}`);
      return;
    }
    const after = fold(payoutBatchDecider, [event], before);
    this.#states.set(stream, after);
    if (after.status === 'none') return;
    const { request } = after;
    if (data.count !== request.references.length)
      this.#violate(invariants.batchSums, `${stream} has ${data.count} of its payouts`);
    if (type === 'PayoutBatchApproved') this.#approved(stream, request, data.holder);
    if (type === 'PayoutBatchRejected' && data.reason === 'request_lost')
      this.#violate(invariants.batchKeepsItsRequest, `${stream} is rejected for it`);
  }

  #approved(stream: string, request: PayoutBatchRequest, holder: string): void {
    if (holder.toLowerCase() === request.holder.toLowerCase())
      this.#violate(invariants.anotherHolder, `${stream} by ${holder}`);
    for (const [item, state] of this.#itemsOf(request))
      if (!isOf(request, state) || state.status !== 'reserved')
        this.#violate(invariants.batchReservedWhole, `${stream} is approved, ${item} is not`);
  }

  /** Checks that a payout of a batch is decided with the batch, and after it. */
  #itemEvent({ stream, type, data }: RecordedEvent<PayoutEvent>): void {
    const state = this.payoutOf(stream);
    if (state.status === 'none' || state.request.batch === undefined) return;
    const batch = this.#stateOf(batchStreamOf(state.request.batch));
    if (batch.status === 'none')
      this.#violate(invariants.batchDecidedFirst, `${stream} is of none that is recorded`);
    const isWith =
      type === 'PayoutApproved'
        ? 'approvedBy' in batch && (batch.approvedBy === data.holder || hasExpired(state))
        : type !== 'PayoutRejected' ||
          data.reason === 'not_sent' ||
          (data.reason === 'cancelled' && 'approvedBy' in batch) ||
          (hasExpired(state) && data.reason === 'rejected_by_holder') ||
          (batch.status === 'rejected' && batch.reason === data.reason);
    if (!isWith)
      this.#violate(
        invariants.batchDecidedFirst,
        `${stream} has ${type}, its batch is ${batch.status}`,
      );
  }

  #reservedWhole(events: readonly RecordedEvent[]): void {
    const sources = new Set<string>();
    for (const event of events)
      if (isReservation(event) && event.type === 'FundsReserved') sources.add(event.data.source);
    for (const source of sources) {
      const state = this.payoutOf(source);
      if (state.status === 'none' || state.request.batch === undefined) continue;
      const batch = this.#stateOf(batchStreamOf(state.request.batch));
      if (batch.status === 'none') continue;
      const missing = [...this.#itemsOf(batch.request)].find(([item]) => !sources.has(item));
      if (missing)
        this.#violate(invariants.batchReservedWhole, `${source} is, and ${missing[0]} is not`);
    }
  }

  #finished(stream: string, state: Exclude<PayoutBatch, { readonly status: 'none' }>): void {
    const { request, status } = state;
    const items = [...this.#itemsOf(request)];
    let sumMinor = 0n;
    for (const [item, payout] of items) {
      const own = isOf(request, payout) ? payout : undefined;
      sumMinor += own?.request.amountMinor ?? 0n;
      const isRight = {
        requested: own?.status === 'reserved',
        approved: own !== undefined && isOnItsWay(own),
        // A person may have approved one again afterwards, or a started one may have no result yet.
        cancelled: own !== undefined && own.status !== 'approved' && isOnItsWay(own),
        rejected: own === undefined || own.status === 'rejected',
      }[status];
      if (!isRight)
        this.#violate(
          invariants.batchesEnd,
          `${stream} is ${status}, its ${item} is ${payout.status}`,
        );
    }
    if (status !== 'rejected' && sumMinor !== request.amountMinor)
      this.#violate(
        invariants.batchSums,
        `${stream} is ${request.amountMinor}, it has ${sumMinor}`,
      );
    this.#viewed(
      stream,
      items.filter(([, payout]) => isOf(request, payout)).map(([item]) => item),
    );
  }

  /**
   * Checks that the view counts the events in the payouts' streams, so that the worker finds payouts that are left
   * behind.
   */
  #viewed(stream: string, items: readonly string[]): void {
    const { log, views } = this.fixture();
    const row = views.payouts.batches.get(stream);
    const counts = { ...noneCounted };
    for (const item of items)
      for (const event of log.stream(item)) {
        const counted = isOfPayout(event) && countedAs(event);
        if (counted) counts[counted] += 1;
      }
    const differs = (Object.keys(counts) as (keyof typeof counts)[]).find(
      (count) => row?.[count] !== counts[count],
    );
    if (!row || differs || isBehind(row))
      this.#violate(invariants.batchSums, `the view of ${stream} differs: ${differs ?? 'behind'}`);
  }

  *#itemsOf(request: PayoutBatchRequest): Generator<readonly [stream: string, Payout]> {
    for (const reference of request.references) {
      const stream = payoutStream({ ...request, reference });
      yield [stream, this.payoutOf(stream)];
    }
  }

  #stateOf(stream: string): PayoutBatch {
    return this.#states.get(stream) ?? payoutBatchDecider.initial;
  }

  #told(reference: string, status: string): void {
    const state = this.#stateOf(batchStreamOf(reference));
    const isSo = { pending_approval: true, pending: 'approvedBy' in state }[status];
    if (state.status === 'none' || !(isSo ?? state.status === 'rejected'))
      this.#violate(invariants.durableAnswers, `${reference} was told ${status}`);
  }

  #violate(...what: Parameters<World['violate']>): void {
    this.world.violate(...what);
  }
}

type RecordedPayout = Exclude<Payout, { readonly status: 'none' }>;

/** True if its approval expired once. From then on a person decides it on its own. */
function hasExpired({ lastExpiry }: RecordedPayout): boolean {
  return lastExpiry !== undefined;
}

/** True if a payout of an approved batch has a possible status. */
function isOnItsWay(own: RecordedPayout): boolean {
  if (own.status === 'requested') return false;
  if (own.status === 'reserved') return hasExpired(own);
  if (own.status !== 'rejected') return true;
  return own.reason === 'not_sent' || own.reason === 'cancelled' || hasExpired(own);
}

function isOf(
  batch: Pick<PayoutBatchRequest, 'reference'>,
  state: Payout,
): state is RecordedPayout {
  return state.status !== 'none' && state.request.batch === batch.reference;
}
