import {
  type CommandMetadata,
  type Loaded,
  type Pipeline,
  type Step,
} from '#domain/event-sourcing';
import { assertNever, concurrently, ok } from '#domain/kernel';
import { type Reservations, type StandingReservation, type Wallet } from '#domain/ledger';
import { payoutStep } from '../funds/payout-funds.js';
import { decideReservation } from '../funds/payout-funds.decide.js';
import { payoutDecider } from '../payout.evolve.js';
import { type Payout, totalOf, walletOf } from '../payout.js';
import { type PayoutEvent, payoutStream } from '../payout.events.js';
import {
  type BatchItem,
  type PayoutAllowances,
  type PayoutBatchItems,
  type PayoutPhones,
} from '../ports.js';
import { BatchesAtWork } from './batches-at-work.js';
import {
  type ApprovedBatch,
  type PayoutBatch,
  payoutBatchDecider,
  type RejectedBatch,
  type RequestedBatch,
} from './payout-batch.js';
import {
  decideApproveItem,
  decideRejectItem,
  isOf,
  itemRequested,
  requestSince,
} from './payout-batches.decide.js';
import {
  type BatchRejectionReason,
  type PayoutBatchEvent,
  type PayoutBatchKey,
  type PayoutBatchRequested,
  payoutBatchStream,
} from './payout-batch.events.js';

export type BatchStep = Step<PayoutBatch, PayoutBatchEvent>;

/** A batch as the log has it. */
export type LoadedBatch = Loaded<PayoutBatch, PayoutBatchEvent>;

type LoadedIn<State extends PayoutBatch> = LoadedBatch & { readonly state: State };

/** What the records keep of a batch while it is asked for. */
export interface BatchRecords {
  readonly items: PayoutBatchItems;
  readonly phones: PayoutPhones;
  readonly allowances: PayoutAllowances;
}

/** A payout of the batch, and what is known of it. */
interface Claimed {
  readonly stream: string;
  readonly state: Payout;
  readonly revision: LoadedBatch['revision'];
}

/** Appends that stand in the log together are written together: so many are one write of the store, or a few. */
const maxAtOnce = 128;

/** Each time round another has decided the batch, which happens once. */
const maxRounds = 4;

/**
 * The process manager of batches (PAY-17): the batch's stream decides, its payouts follow. Whoever comes next after a
 * crash, the same call again or the worker, reads what stands and takes what is missing; every step is taken once,
 * however many take it at the same time.
 *
 * Asking: PayoutBatchRequested, each payout's PayoutRequested, all FundsReserved in one append, each PayoutReserved.
 * Deciding: PayoutBatchApproved or PayoutBatchRejected, then each payout's own; what was reserved is released in one.
 *
 * The batch's first payout goes first where they are recorded, and last in each later step: where it has taken a step,
 * all have. So one read tells how far a batch has come.
 */
export class PayoutBatches {
  readonly atWork = new BatchesAtWork();

  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
    private readonly records: BatchRecords,
  ) {}

  /** @throws EventStoreUnavailable, DependencyUnavailable */
  availableIn(wallet: Wallet): ReturnType<Reservations['availableIn']> {
    return this.reservations.availableIn(wallet);
  }

  /** What history may know of a number. */
  tracesOf(phone: string): ReturnType<PayoutPhones['tracesOf']> {
    return this.records.phones.tracesOf(phone);
  }

  /** The payouts with these references, as the log has them; in the state `none` where there is none. */
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
   * Records what is asked for. What each payout is of waits, sealed, in the records until all of them stand in the log.
   * @returns false where the batch exists: nothing was recorded
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async begin(
    step: BatchStep,
    requested: PayoutBatchRequested,
    items: readonly BatchItem[],
  ): Promise<boolean> {
    // Under the event's own id: of two requests that race for a reference, each keeps its own.
    const id = this.pipeline.newId();
    await this.records.items.keep(id, step.stream, items);
    const begun = await this.pipeline.begin(step, [requested], id);
    if (!begun.ok) await this.records.items.forget(id);
    return begun.ok;
  }

  /**
   * Takes every step that is missing.
   * @param metadata of whoever takes them; what the batch's own calls lead to names those
   * @returns the batch as it stands, at the position of what its payouts did last; `requested`: all is reserved, and it
   *   waits for a second holder
   * @throws EventStoreUnavailable, DependencyUnavailable
   */
  async settle(key: PayoutBatchKey, metadata: CommandMetadata): Promise<LoadedBatch> {
    const step = batchStep(key, metadata);
    for (let round = 1; round <= maxRounds; round += 1) {
      const batch = await this.pipeline.load(step);
      if (isIn(batch, 'none')) return batch;
      if (isIn(batch, 'approved')) {
        await this.approveItems(batch);
        return this.withItems(batch);
      }
      if (isIn(batch, 'rejected')) return latest(batch, await this.rejectItems(batch));
      if (!isIn(batch, 'requested')) return assertNever(batch as never);
      const recorded = await this.record(batch);
      if (recorded === 'reserved') return this.withItems(batch);
      if (recorded !== 'decided') await this.reject(step, batch, recorded);
    }
    throw new Error('a batch that is decided has payouts that are not');
  }

  /** @returns `decided`: another has decided the batch meanwhile; a reason: it cannot be carried out */
  private async record(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'reserved' | 'decided' | BatchRejectionReason> {
    const before = await this.stepOfFirst(batch);
    // Whoever reserved all may have died before they forgot.
    if (before === 'reserved') await this.records.items.forget(idOf(batch));
    if (before !== 'open') return before;
    const claimed = await this.claim(batch);
    if (typeof claimed === 'string') return claimed;
    const reserved = await this.reserve(batch, claimed);
    if (!reserved.ok) return reserved.refusal;
    const isDecided = await this.noteReserved(batch, claimed, reserved.value);
    if (isDecided) return 'decided';
    await this.records.items.forget(idOf(batch));
    return 'reserved';
  }

  /** How far the batch's first payout has come, and so the batch. */
  private async stepOfFirst(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'open' | 'reserved' | 'decided'> {
    const { state } = await this.pipeline.load(this.firstOf(batch));
    if (!isOf(batch.state.request, state) || state.status === 'requested') return 'open';
    return state.status === 'rejected' ? 'decided' : 'reserved';
  }

  /** Each payout's first event claims its reference. */
  private async claim(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<readonly Claimed[] | 'reserved' | 'decided' | BatchRejectionReason> {
    const { request } = batch.state;
    const items = await this.records.items.find(idOf(batch));
    // They are forgotten once all is reserved, or the batch is rejected.
    if (!items) return this.afterItems(batch);
    const traced = items.map((item) => ({ ...item, ...this.records.phones.tracesOf(item.phone) }));
    await this.records.phones.keepAll(
      traced.map(({ phoneHmac, phone, reference }) => ({
        stream: payoutStream({ ...request, reference }),
        phoneHmac,
        phone,
      })),
    );
    const claimed: Claimed[] = [];
    const taken: string[] = [];
    const claimOne = async (item: (typeof traced)[number]): Promise<void> => {
      if (taken.length > 0) return;
      const one = await this.claimOne(batch, itemRequested(request, item));
      if (one) claimed.push(one);
      else taken.push(item.reference);
    };
    await concurrently(traced.slice(0, 1), 1, claimOne);
    await concurrently(traced.slice(1), maxAtOnce, claimOne);
    if (taken.length > 0) return 'reference_taken';
    return claimed.some(({ state }) => state.status === 'rejected') ? 'decided' : claimed;
  }

  /** Unless another has finished meanwhile, nobody can say any more what was asked for. */
  private async afterItems(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'reserved' | 'decided' | 'request_lost'> {
    const { state } = await this.pipeline.load(batchStep(batch.state.request, metadataOf(batch)));
    if (state.status !== 'requested') return 'decided';
    const step = await this.stepOfFirst(batch);
    return step === 'open' ? 'request_lost' : step;
  }

  /** @returns undefined where the reference is another's */
  private async claimOne(
    batch: LoadedIn<RequestedBatch>,
    event: ReturnType<typeof itemRequested>,
  ): Promise<Claimed | undefined> {
    const step = this.itemStep(batch, event.data.reference);
    const begun = await this.pipeline.begin(step, [event]);
    const done = begun.ok ? begun.value : await this.pipeline.load(step);
    return isOf(batch.state.request, done.state)
      ? { stream: step.stream, state: done.state, revision: done.revision }
      : undefined;
  }

  private reserve(batch: LoadedIn<RequestedBatch>, claimed: readonly Claimed[]) {
    const { request } = batch.state;
    return this.reservations.reserveAll({
      wallet: walletOf(request),
      demands: claimed.map(({ stream, state }) => ({
        source: stream,
        amountMinor: totalOf(requestOf(state)),
        mayOverdraw: false,
      })),
      since: requestSince(request),
      metadata: metadataOf(batch),
    });
  }

  /** @returns whether a payout is rejected, which follows from the batch's rejection alone */
  private async noteReserved(
    batch: LoadedIn<RequestedBatch>,
    claimed: readonly Claimed[],
    standing: ReadonlyMap<string, StandingReservation>,
  ): Promise<boolean> {
    let isDecided = false;
    await this.firstLast(batch, claimed, async ({ stream, ...known }) => {
      const reservation = standing.get(stream);
      // What was given back already was rejected, or went its way to the end.
      if (!reservation) {
        isDecided = true;
        return;
      }
      const metadata = { ...metadataOf(batch), causationId: reservation.id };
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(
        payoutStep(stream, metadata),
        (state) => ok(decideReservation(ok(reservation), state)),
        known,
      );
      if (done.ok && done.value.state.status === 'rejected') isDecided = true;
    });
    return isDecided;
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
    // Where another has decided meanwhile, that holds.
    await this.pipeline.appendTo({ ...step, metadata }, batch, [
      { type: 'PayoutBatchRejected', data },
    ]);
  }

  private async approveItems(batch: LoadedIn<ApprovedBatch>): Promise<void> {
    const { request, approvedBy } = batch.state;
    const first = await this.pipeline.load(this.firstOf(batch));
    if (first.state.status !== 'reserved') return;
    const streams = request.references.map((reference) => ({
      stream: payoutStream({ ...request, reference }),
    }));
    await this.firstLast(batch, streams, async ({ stream }) => {
      await this.pipeline.run<Payout, PayoutEvent, never>(
        payoutStep(stream, metadataOf(batch)),
        (state) => ok(decideApproveItem(approvedBy, state)),
      );
    });
  }

  /** @returns where the payouts' own events stand */
  private async rejectItems(
    batch: LoadedIn<RejectedBatch>,
  ): Promise<readonly LoadedBatch['position'][]> {
    const { request } = batch.state;
    const rejected: string[] = [];
    const positions: LoadedBatch['position'][] = [];
    await concurrently(request.references, maxAtOnce, async (reference) => {
      const step = this.itemStep(batch, reference);
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(step, (state) =>
        ok(decideRejectItem(batch.state, state)),
      );
      if (!done.ok || !isOf(request, done.value.state)) return;
      // One that a release without batches approved goes its own way: its money and its number are still needed.
      if (done.value.state.status !== 'rejected') return;
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
    await this.records.allowances.giveBack(payoutBatchStream(request));
    return positions;
  }

  /** As of the batch's first payout, which takes each step last. */
  private async withItems(batch: LoadedIn<RequestedBatch | ApprovedBatch>): Promise<LoadedBatch> {
    const { position } = await this.pipeline.load(this.firstOf(batch));
    return latest(batch, [position]);
  }

  /** All but the batch's first payout at once, then that one: where it has taken the step, all have. */
  private async firstLast<T extends { readonly stream: string }>(
    batch: LoadedIn<RequestedBatch | ApprovedBatch>,
    items: readonly T[],
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    const { stream: first } = this.firstOf(batch);
    await concurrently(
      items.filter(({ stream }) => stream !== first),
      maxAtOnce,
      work,
    );
    for (const item of items) if (item.stream === first) await work(item);
  }

  private firstOf(batch: LoadedIn<RequestedBatch | ApprovedBatch>) {
    const [reference] = batch.state.request.references;
    if (reference === undefined) throw new TypeError('a batch has one payout at least');
    return this.itemStep(batch, reference);
  }

  private itemStep(
    batch: LoadedIn<RequestedBatch | ApprovedBatch | RejectedBatch>,
    reference: string,
  ) {
    return payoutStep(payoutStream({ ...batch.state.request, reference }), metadataOf(batch));
  }
}

function isIn<Status extends PayoutBatch['status']>(
  batch: LoadedBatch,
  status: Status,
): batch is LoadedIn<Extract<PayoutBatch, { readonly status: Status }>> {
  return batch.state.status === status;
}

/**
 * Of what the batch's last event leads to: caused by it, in its sender's name. The evidence of that call stands in the
 * batch's event alone, as large as the others together would be; its commitment stands in each.
 */
function metadataOf(batch: LoadedBatch): CommandMetadata {
  const last = batch.events.at(-1);
  if (!last) throw new TypeError('a batch without history leads to nothing');
  const { id, metadata } = last;
  const { correlationId, actor, commitment } = metadata;
  return {
    correlationId,
    actor,
    causationId: id,
    ...(commitment === undefined ? {} : { commitment }),
  };
}

function latest(batch: LoadedBatch, positions: readonly LoadedBatch['position'][]): LoadedBatch {
  const known = [batch.position, ...positions].filter((position) => position !== undefined);
  return { ...batch, position: known.reduce((a, b) => (a > b ? a : b)) };
}

/** Of the batch's first event. */
function idOf(batch: LoadedBatch): string {
  const [first] = batch.events;
  if (!first) throw new TypeError('a batch without history has no first event');
  return first.id;
}

function requestOf(state: Payout) {
  if (state.status === 'none') throw new TypeError('a payout that was just recorded is missing');
  return state.request;
}

/** The step of whoever takes it, at the batch's stream. */
export function batchStep(key: PayoutBatchKey, metadata: CommandMetadata): BatchStep {
  return { decider: payoutBatchDecider, stream: payoutBatchStream(key), metadata };
}
