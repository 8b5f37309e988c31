import { type CommandMetadata, type Pipeline } from '#domain/event-sourcing';
import { assertNever, concurrently, type Mode, ok } from '#domain/kernel';
import { type Reservations, type Wallet } from '#domain/ledger';
import { decideKeepGiven, isKept } from '../funds/payout-funds.decide.js';
import { payoutStep } from '../funds/payout-funds.js';
import { payoutDecider } from '../payout.evolve.js';
import { type Payout, walletOf } from '../payout.js';
import { type PayoutEvent, type PayoutRejected, payoutStream } from '../payout.events.js';
import { type BatchItem, type PayoutPhones } from '../ports.js';
import { BatchesAtWork } from './batches-at-work.js';
import { BatchRecording, type BatchRecords } from './batch-recording.js';
import {
  type BatchStep,
  batchStep,
  firstLast,
  firstOf,
  idOf,
  isIn,
  itemStep,
  latest,
  type LoadedBatch,
  type LoadedIn,
  maxAtOnce,
  metadataOf,
} from './batch-step.js';
import {
  type ApprovedBatch,
  type CancelledBatch,
  type PayoutBatchRequest,
  type RejectedBatch,
  type RequestedBatch,
} from './payout-batch.js';
import {
  decideApproveItem,
  decideCancelItem,
  decideRejectItem,
  isOf,
  requestSince,
} from './payout-batches.decide.js';
import {
  type BatchRejectionReason,
  type PayoutBatchKey,
  type PayoutBatchRequested,
  payoutBatchStream,
} from './payout-batch.events.js';

/** A round repeats only if another process has decided the batch meanwhile, which happens once. */
const maxRounds = 4;

/** A holder or operator cancels one batch at a time in a process, so that a mode's places are not one holder's. */
const cancellations = { all: 8, ofOne: 1 };

/**
 * The process manager of batches (PAY-17): the batch's stream decides, and its payouts follow. After a crash the next
 * process, by the same call again (except a cancellation) or the worker, reads the state and takes the missing steps.
 * Every step is taken once, even if several processes take it at the same time.
 *
 * - Request: PayoutBatchRequested, each payout's PayoutRequested, all FundsReserved in one append, each PayoutReserved.
 * - Decision: PayoutBatchApproved or PayoutBatchRejected, then each payout's own; the reservations are released in one
 *   append.
 * - Cancellation of an approved batch: PayoutBatchRejected, then that of each payout that was not given to the rail.
 *
 * The batch's first payout is recorded first and takes each later step last: if it has taken a step, all have. So one
 * read shows the batch's progress.
 */
export class PayoutBatches {
  readonly atWork = new BatchesAtWork();
  /**
   * Cancellations have places of their own, for each mode and holder or operator, so that no other call can keep a batch
   * from being stopped (PAY-20).
   */
  readonly cancelling: Readonly<Record<Mode, BatchesAtWork>> = {
    live: new BatchesAtWork(cancellations),
    demo: new BatchesAtWork(cancellations),
  };
  private readonly recording: BatchRecording;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
    private readonly records: BatchRecords,
  ) {
    this.recording = new BatchRecording(pipeline, reservations, records);
  }

  /** @throws EventStoreUnavailable, DependencyUnavailable */
  availableIn(wallet: Wallet): ReturnType<Reservations['availableIn']> {
    return this.reservations.availableIn(wallet);
  }

  /** Returns the traces of a number that history may hold. */
  tracesOf(phone: string): ReturnType<PayoutPhones['tracesOf']> {
    return this.records.phones.tracesOf(phone);
  }

  /** Returns the payouts with these references, as the log has them. One that does not exist has the state `none`. */
  async payoutsOf(
    key: Omit<PayoutBatchKey, 'reference'>,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, Payout>> {
    const found = new Map<string, Payout>();
    await concurrently(references, maxAtOnce, async (reference) => {
      const stream = payoutStream({ ...key, reference });
      const { state } = await this.pipeline.load({ decider: payoutDecider, stream });
      found.set(reference, state);
    });
    return found;
  }

  /**
   * Records the request. Until all payouts are in the log, the records hold the content of each, sealed.
   * @returns false if the batch exists already, so that nothing was recorded
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async begin(
    step: BatchStep,
    requested: PayoutBatchRequested,
    items: readonly BatchItem[],
  ): Promise<boolean> {
    // The event's own id is the key: if two requests race for a reference, each keeps its own items.
    const id = this.pipeline.newId();
    await this.records.items.keep(id, step.stream, items);
    const begun = await this.pipeline.begin(step, [requested], id);
    if (!begun.ok) await this.records.items.forget(id);
    return begun.ok;
  }

  /**
   * Takes every missing step.
   * @param metadata of the process that takes them; events that the batch's own calls cause name those calls
   * @returns the batch at the position of its payouts' last events; `requested`: all is reserved, and it waits for a
   * second holder, unless `isKept`: then it can neither be carried out nor rejected (PAY-61)
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async settle(
    key: PayoutBatchKey,
    metadata: CommandMetadata,
  ): Promise<LoadedBatch & { readonly isKept?: true }> {
    const step = batchStep(key, metadata);
    for (let round = 1; round <= maxRounds; round += 1) {
      const batch = await this.pipeline.load(step);
      if (isIn(batch, 'none')) return batch;
      if (isIn(batch, 'approved')) {
        await this.approveItems(batch);
        return this.withItems(batch);
      }
      if (isIn(batch, 'rejected'))
        return latest(
          batch,
          await this.endItems(batch, (state) => decideRejectItem(batch.state, state)),
        );
      if (isIn(batch, 'cancelled'))
        return latest(
          batch,
          await this.endItems(batch, (state) => decideCancelItem(batch.state, state)),
        );
      if (!isIn(batch, 'requested')) return assertNever(batch as never);
      const recorded = await this.recording.record(batch);
      if (recorded === 'reserved') return this.withItems(batch);
      if (recorded === 'decided') continue;
      if ((await this.keepGiven(batch)).length > 0) return { ...batch, isKept: true };
      await this.reject(step, batch, recorded);
    }
    throw new Error('a batch that is decided has payouts that are not');
  }

  /**
   * Returns the references of the batch's payouts that prevent its rejection (PAY-61): the records know that the rail
   * was given them, and operators have not decided on that since.
   * @param references those to check; all if absent
   * @throws DependencyUnavailable
   */
  async keptOf(
    request: PayoutBatchRequest,
    references: readonly string[] = request.references,
  ): Promise<readonly string[]> {
    const streamOf = (reference: string) => payoutStream({ ...request, reference });
    const given = await this.records.orders.givenOf(references.map(streamOf));
    const asked = references.filter((reference) => given.has(streamOf(reference)));
    const states = await this.payoutsOf(request, asked);
    return asked.filter((reference) => {
      const state = states.get(reference) ?? { status: 'none' };
      // Another payout may have the reference and keeps it. A payout that was started proceeds on its own.
      const isOwn = state.status === 'none' || isOf(request, state);
      return isOwn && !('originatorConversationId' in state) && isKept(true, state);
    });
  }

  /**
   * Lists for review the payouts of the batch that the rail was given by the records, whatever the log says.
   * @returns the references that operators have not decided on; if there are any, the batch is not rejected
   * @throws DependencyUnavailable
   */
  async keepGiven(
    batch: LoadedIn<RequestedBatch | ApprovedBatch>,
    references?: readonly string[],
  ): Promise<readonly string[]> {
    const { request } = batch.state;
    const kept = await this.keptOf(request, references);
    const { correlationId, actor } = metadataOf(batch);
    const metadata = { correlationId, actor, causationId: idOf(batch) };
    await concurrently(kept, maxAtOnce, async (reference) => {
      const step = payoutStep(payoutStream({ ...request, reference }), metadata);
      await this.pipeline.run<Payout, PayoutEvent, never>(step, (state) =>
        ok(decideKeepGiven(state)),
      );
    });
    return kept;
  }

  private async reject(
    step: BatchStep,
    batch: LoadedIn<RequestedBatch>,
    reason: BatchRejectionReason,
  ): Promise<void> {
    const { count, amountMinor } = batch.state.request;
    const { correlationId, actor } = step.metadata;
    const metadata = { correlationId, actor, causationId: idOf(batch) };
    const data = { reason, count, amountMinor };
    // If another process has decided meanwhile, its decision counts.
    await this.pipeline.appendTo({ ...step, metadata }, batch, [
      { type: 'PayoutBatchRejected', data },
    ]);
  }

  private async approveItems(batch: LoadedIn<ApprovedBatch>): Promise<void> {
    const { request, approvedBy } = batch.state;
    const first = await this.pipeline.load(firstOf(batch));
    if (first.state.status !== 'reserved' || first.state.lastExpiry !== undefined) return;
    const streams = streamsOf(request).map((stream) => ({ stream }));
    await firstLast(batch, streams, async ({ stream }) => {
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(
        payoutStep(stream, metadataOf(batch)),
        (state) => ok(decideApproveItem(approvedBy, state)),
      );
      // Checked here by the log, because this process's memory may be older than another process's reservation.
      const status = done.ok ? done.value.state.status : 'none';
      if (status === 'none' || status === 'requested')
        throw new TypeError(`a batch with a payout that is ${status} cannot be approved`);
    });
  }

  /** @returns the positions of the payouts' own events */
  private async endItems(
    batch: LoadedIn<RejectedBatch | CancelledBatch>,
    decide: (state: Payout) => readonly PayoutRejected[],
  ): Promise<readonly LoadedBatch['position'][]> {
    const { request } = batch.state;
    const rejected: string[] = [];
    const positions: LoadedBatch['position'][] = [];
    const given = await this.records.orders.givenOf(streamsOf(request));
    await concurrently(request.references, maxAtOnce, async (reference) => {
      const step = itemStep(batch, reference);
      const isGiven = given.has(step.stream);
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(step, (state) =>
        ok(isOf(request, state) && isKept(isGiven, state) ? decideKeepGiven(state) : decide(state)),
      );
      if (!done.ok || !isOf(request, done.value.state)) return;
      // A payout that a release without batches approved proceeds on its own: its money and its number are still
      // needed.
      if (done.value.state.status !== 'rejected') return;
      if (isKept(isGiven, done.value.state)) return;
      rejected.push(step.stream);
      positions.push(done.value.position);
    });
    if (rejected.length > 0)
      await this.reservations.releaseAll({
        wallet: walletOf(request),
        sources: rejected,
        since: requestSince(request),
        metadata: metadataOf(batch),
      });
    await this.records.phones.forgetAll(rejected);
    await this.records.items.forget(idOf(batch));
    // Some payouts of an approved batch may be paid, so its day keeps the counted sum.
    if (isIn(batch, 'rejected')) await this.records.allowances.giveBack(payoutBatchStream(request));
    return positions;
  }

  /** Returns the batch at the position of its first payout, which takes each step last. */
  private async withItems(batch: LoadedIn<RequestedBatch | ApprovedBatch>): Promise<LoadedBatch> {
    const { position } = await this.pipeline.load(firstOf(batch));
    return latest(batch, [position]);
  }
}

/** Returns the streams of the batch's payouts, recorded or not. */
function streamsOf(request: RequestedBatch['request']): readonly string[] {
  return request.references.map((reference) => payoutStream({ ...request, reference }));
}
