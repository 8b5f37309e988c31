import { type Pipeline } from '#domain/event-sourcing';
import { concurrently, ok } from '#domain/kernel';
import { type Reservations, type StandingReservation } from '#domain/ledger';
import { decideReservation } from '../funds/payout-funds.decide.js';
import { payoutStep } from '../funds/payout-funds.js';
import { type Payout, totalOf, walletOf } from '../payout.js';
import { type PayoutEvent, payoutStream } from '../payout.events.js';
import {
  type PayoutAllowances,
  type PayoutBatchItems,
  type PayoutOrders,
  type PayoutPhones,
} from '../ports.js';
import {
  batchStep,
  firstLast,
  firstOf,
  idOf,
  itemStep,
  type LoadedBatch,
  type LoadedIn,
  maxAtOnce,
  metadataOf,
} from './batch-step.js';
import { type BatchRejectionReason } from './payout-batch.events.js';
import { type RequestedBatch } from './payout-batch.js';
import { isOf, itemRequested, requestSince } from './payout-batches.decide.js';

/** The records that a batch needs while it is being requested. */
export interface BatchRecords {
  readonly items: PayoutBatchItems;
  readonly phones: PayoutPhones;
  readonly allowances: PayoutAllowances;
  readonly orders: PayoutOrders;
}

/** A payout of the batch in its known state. */
interface Claimed {
  readonly stream: string;
  readonly state: Payout;
  readonly revision: LoadedBatch['revision'];
}

/**
 * Records and reserves a batch: each payout's PayoutRequested, all FundsReserved in one append, each PayoutReserved.
 * Every step is taken once, even if several processes take it at the same time.
 */
export class BatchRecording {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly reservations: Reservations,
    private readonly records: BatchRecords,
  ) {}

  /** @returns `decided`: another process has decided the batch meanwhile; a reason: the batch cannot be carried out */
  async record(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'reserved' | 'decided' | BatchRejectionReason> {
    const before = await this.stepOfFirst(batch);
    // A process may have died after reserving all, before it could forget the items.
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

  /** Returns the step that the batch's first payout, and so the batch, has reached. */
  private async stepOfFirst(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'open' | 'reserved' | 'decided'> {
    const { state } = await this.pipeline.load(firstOf(batch));
    if (!isOf(batch.state.request, state) || state.status === 'requested') return 'open';
    return state.status === 'rejected' ? 'decided' : 'reserved';
  }

  /** Claims each reference by its payout's first event. */
  private async claim(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<readonly Claimed[] | 'reserved' | 'decided' | BatchRejectionReason> {
    const { request } = batch.state;
    const items = await this.records.items.find(idOf(batch));
    // The items are forgotten once all is reserved, or the batch is rejected.
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

  /** Without the items, and if no other process has finished meanwhile, the batch's content is lost. */
  private async afterItems(
    batch: LoadedIn<RequestedBatch>,
  ): Promise<'reserved' | 'decided' | 'request_lost'> {
    const { state } = await this.pipeline.load(batchStep(batch.state.request, metadataOf(batch)));
    if (state.status !== 'requested') return 'decided';
    const step = await this.stepOfFirst(batch);
    return step === 'open' ? 'request_lost' : step;
  }

  /** @returns undefined if another payout has the reference */
  private async claimOne(
    batch: LoadedIn<RequestedBatch>,
    event: ReturnType<typeof itemRequested>,
  ): Promise<Claimed | undefined> {
    const step = itemStep(batch, event.data.reference);
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

  /** @returns true if a payout is rejected, which only the batch's rejection causes */
  private async noteReserved(
    batch: LoadedIn<RequestedBatch>,
    claimed: readonly Claimed[],
    standing: ReadonlyMap<string, StandingReservation>,
  ): Promise<boolean> {
    let isDecided = false;
    await firstLast(batch, claimed, async ({ stream, ...known }) => {
      const reservation = standing.get(stream);
      // The payout was rejected and released, or has gone on to its end.
      if (!reservation) {
        isDecided = true;
        return;
      }
      const metadata = { ...metadataOf(batch), causationId: reservation.id };
      const done = await this.pipeline.run<Payout, PayoutEvent, never>(
        payoutStep(stream, metadata),
        (state) => ok(decideReservation(ok(reservation), false, state)),
        known,
      );
      if (done.ok && done.value.state.status === 'rejected') isDecided = true;
    });
    return isDecided;
  }
}

function requestOf(state: Payout) {
  if (state.status === 'none') throw new TypeError('a payout that was just recorded is missing');
  return state.request;
}
