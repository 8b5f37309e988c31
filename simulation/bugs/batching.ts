import { isSameOperator } from '#domain/reviews';
import { type EventStore, type Pipeline } from '#domain/event-sourcing';
import { type Ids, ok, type Result } from '#domain/kernel';
import {
  type PostedCredits,
  Reservations,
  type ReservationsRequest,
  type StandingReservation,
} from '#domain/ledger';
import {
  type Payout,
  PayoutBatches,
  payoutDecider,
  type PayoutEvent,
  PayoutFunds,
  payoutStream,
  type RecordedPayout,
} from '#domain/payouts';
import { invariants } from '../oracle/invariants.js';
import { SimulatedBatchItems } from '../servers/payout-records.js';
import { type Bug } from './bug.js';
import { HeedlessApproval } from './paying.js';

type Of<Handler extends abstract new (...args: never) => unknown> = ConstructorParameters<Handler>;
type Settling = Parameters<PayoutBatches['settle']>;

/** Reserves one payout after the other, for as long as there is money. */
class OneByOne extends Reservations {
  override async reserveAll({ demands, ...of }: ReservationsRequest) {
    const standing = new Map<string, StandingReservation>();
    for (const demand of demands) {
      const reserved = await this.reserve({ ...of, ...demand });
      if (!reserved.ok) return reserved;
      standing.set(demand.source, reserved.value);
    }
    return ok(standing) as Result<typeof standing, 'insufficient_funds'>;
  }
}

/** Does not check a batch's reservations against the available funds. */
class Unjudged extends Reservations {
  override reserveAll({ demands, ...of }: ReservationsRequest) {
    const free = demands.map((demand) => ({ ...demand, mayOverdraw: true }));
    return super.reserveAll({ ...of, demands: free });
  }
}

class NeverGivesBack extends Reservations {
  override releaseAll(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** Leaves a batch's reservations to the batch, and waits for it. */
class NotOfBatches extends PayoutFunds {
  override settle(...[step, before]: Parameters<PayoutFunds['settle']>) {
    const { state } = before;
    const isOfBatch = state.status === 'rejected' && state.request.batch !== undefined;
    return isOfBatch ? new Promise<never>(() => undefined) : super.settle(step, before);
  }
}

/** Makes the worker wait until the requester comes again. */
class OwnAlone extends PayoutBatches {
  override settle(...[key, metadata]: Settling) {
    const isOwn = metadata.actor.id !== 'worker';
    return isOwn ? super.settle(key, metadata) : new Promise<never>(() => undefined);
  }
}

/** Approves the payouts of an approved batch each time that it is approved, whatever their status. */
class ApprovesAgain extends PayoutBatches {
  constructor(
    private readonly steps: Pipeline,
    ...of: Of<typeof PayoutBatches> extends [unknown, ...infer Rest] ? Rest : never
  ) {
    super(steps, ...of);
  }

  override async settle(...[key, metadata]: Settling) {
    const batch = await super.settle(key, metadata);
    const { state } = batch;
    if (state.status !== 'approved') return batch;
    for (const reference of state.request.references) {
      const stream = payoutStream({ ...key, reference });
      const step = { decider: payoutDecider, stream, metadata };
      await this.steps.run<Payout, PayoutEvent, never>(step, (payout) => {
        if (payout.status !== 'started') return ok([]);
        const { amountMinor, phoneHmac = '' } = payout.request;
        const data = { holder: state.approvedBy, amountMinor, phoneHmac };
        return ok([{ type: 'PayoutApproved', data }]);
      });
    }
    return batch;
  }
}

/** Decides a payout of a batch like any other payout. */
class EachAlone extends HeedlessApproval {
  protected override approves({ request }: RecordedPayout, holder: string): boolean {
    return request.batch !== undefined && !isSameOperator(request.holder, holder);
  }
}

/** Forgets the payouts of a batch as soon as they have been read once. */
class ReadOnce extends SimulatedBatchItems {
  override async find(id: string) {
    const items = await super.find(id);
    await this.forget(id);
    return items;
  }
}

type Reserving = new (store: EventStore, credits: PostedCredits, ids: Ids) => Reservations;

const reserving = (Kind: Reserving): Bug['parts'] => {
  return () => ({ reservations: (store, credits, ids) => new Kind(store, credits, ids) });
};

export const batchingBugs: readonly Bug[] = [
  {
    name: 'batch-in-part',
    does: 'the payouts of a batch are reserved one after the other, for as long as there is money',
    breaks: [invariants.batchReservedWhole],
    parts: reserving(OneByOne),
  },
  {
    name: 'batch-unjudged',
    does: 'a batch is reserved whatever others have taken since it was asked for',
    breaks: [invariants.neverOverdrawn],
    parts: reserving(Unjudged),
  },
  {
    name: 'batch-keeps-reservation',
    does: 'the reservation of a rejected batch is not released',
    breaks: [invariants.reservedIsOpen],
    parts: (...of) => ({
      ...reserving(NeverGivesBack)(...of),
      funds: (pipeline, reservations, orders) => new NotOfBatches(pipeline, reservations, orders),
    }),
  },
  {
    name: 'batch-forgotten',
    does: 'the worker does not finish the batch of a process that died',
    breaks: [invariants.batchesEnd, invariants.batchSums],
    parts: () => ({
      batches: ({ pipeline, reservations, records }) =>
        new OwnAlone(pipeline, reservations, records),
    }),
  },
  {
    name: 'batch-approved-again',
    does: 'a second approval of a batch approves its payouts again, sent or not',
    breaks: [invariants.oneOrder, invariants.startedFirst],
    parts: () => ({
      batches: ({ pipeline, reservations, records }) =>
        new ApprovesAgain(pipeline, reservations, records),
    }),
  },
  {
    name: 'batch-item-alone',
    does: 'a payout of a batch can be approved alone',
    breaks: [invariants.batchDecidedFirst],
    parts: () => ({
      decisions: ({ pipeline, settlement, guards }) => new EachAlone(pipeline, settlement, guards),
    }),
  },
  {
    name: 'batch-read-once',
    does: 'the request of a batch is gone as soon as one process has begun to record it',
    breaks: [invariants.batchKeepsItsRequest],
    parts: (_standard, { payouts }) => ({
      batchItems: (life) => new ReadOnce(life, payouts),
    }),
  },
];
