import { createSecretKey } from 'node:crypto';
import { type ReceiptUse, type ReviewProposals } from '#domain/reviews';
import { type Rail } from '#domain/rails';
import { ConfirmCollectionHandler } from '#domain/collections';
import { type EventStore, Pipeline } from '#domain/event-sourcing';
import { type Clock, type Ids } from '#domain/kernel';
import { type PostedCredits, Reservations } from '#domain/ledger';
import {
  ConfirmPayoutHandler,
  ConfirmPayoutReviewHandler,
  DecidePayoutHandler,
  PayoutBatches,
  type PayoutBatchItems,
  PayoutFunds,
  type PayoutOrders,
  type DecisionGuards,
  type PayoutPhones,
  type PayoutRail,
  type PayoutSettlement,
  type PayoutAge,
  PayoutStopsInLog,
  PromptOrders,
  SendPayoutHandler,
} from '#domain/payouts';
import { type SealedMessages } from '#domain/evidence';
import {
  RailReferenceClaims,
  type ClaimedReferences,
  type Inbox,
  type PayoutQueries,
  PayoutRails,
  type QuerySchedule,
  type RailAdapter,
  type RailAnswers,
  type RailFloats,
  type RailPayouts,
  RailTable,
  RailWorkOptions,
  type RailReferences,
} from '#edges/rails';
import { AirtelCallbacks } from '#edges/rail-airtel';
import { MpesaCallbacks } from '#edges/rail-mpesa';
import { type Leadership, type Views } from '#views/projection';
import { Keyring, SubscriberSeal } from '#shared/signing';
import { type Life } from '../core/life.js';
import { SeededIds, VirtualTimer } from '../core/ports.js';
import { type World } from '../core/world.js';
import { type PayoutsPlan } from '../batch-plan.js';
import { type Channel, channels } from '../names.js';
import { SimulatedEventStore } from '../servers/event-store.js';
import { SimulatedLease } from '../servers/lease.js';
import { type MemoryLog } from '../servers/log.js';
import { type QueryTimetable } from '../servers/query-timetable.js';
import { type RailServer } from '../servers/rail-server.js';
import { type SimulatedFloatStore, SimulatedPayoutLine } from '../servers/payout-line.js';
import {
  type PayoutTables,
  SimulatedBatchItems,
  SimulatedPayoutPhones,
  SimulatedPayoutQueries,
} from '../servers/payout-records.js';
import { SimulatedAirtelPayouts } from '../servers/airtel-payout-line.js';
import { type AirtelPayoutServer } from '../servers/airtel-payout-server.js';
import { type AirtelServer } from '../servers/airtel-server.js';
import { type RailBooks } from '../servers/books.js';
import { type PayoutServer } from '../servers/payout-server.js';
import { SimulatedOrders } from '../servers/payout-view-ports.js';
import { SimulatedProposals } from '../servers/proposals.js';
import { SimulatedRail } from '../servers/rail.js';
import {
  SimulatedClaimedReferences,
  SimulatedInbox,
  SimulatedQuerySchedule,
  SimulatedMessages,
} from '../servers/record-ports.js';
import { type RecordTables } from '../servers/records.js';
import { SimulatedViews, type ViewTables } from '../servers/views.js';
import { metrics } from './metrics.js';

/** The servers that all processes share. */
export interface Fixture {
  readonly world: World;
  readonly log: MemoryLog;
  readonly records: RecordTables;
  readonly views: ViewTables;
  readonly rail: RailServer;
  readonly airtel: AirtelServer;
  readonly timetable: QueryTimetable;
  readonly work: RailWorkOptions;
  readonly payoutPlan: PayoutsPlan;
  readonly payoutRail: PayoutServer;
  readonly airtelPayouts: AirtelPayoutServer;
  readonly books: RailBooks;
  readonly payouts: PayoutTables;
  /** The floats that Redis stores. */
  readonly floats: ConstructorParameters<typeof SimulatedFloatStore>[1];
}

/** One key for all schedules, because no decision depends on it. */
export const keyring = Keyring.from([{ id: 'k1', bytes: new Uint8Array(32).fill(7) }]);

/** The address of the rail's own callbacks. */
export const railAddress = '192.0.2.1';

/** M-Pesa's callbacks. */
export const mpesaCallbacks = new MpesaCallbacks(
  { live: undefined, demo: { callbackIps: [railAddress], shortcode: '174379' } },
  new SubscriberSeal(createSecretKey(Buffer.alloc(32, 7))),
);
const rails = new RailTable([mpesaCallbacks, new AirtelCallbacks()]);

interface PayoutParts {
  readonly pipeline: Pipeline;
  readonly funds: PayoutFunds;
  readonly phones: PayoutPhones;
}

interface SendingParts extends Omit<PayoutParts, 'funds'> {
  readonly settlement: PayoutSettlement;
  readonly age: PayoutAge;
  readonly rail: PayoutRail;
  readonly clock: Clock;
}

interface DecisionParts extends Pick<PayoutParts, 'pipeline'> {
  readonly settlement: PayoutSettlement;
  readonly guards: DecisionGuards;
}

interface BatchParts {
  readonly pipeline: Pipeline;
  readonly reservations: Reservations;
  readonly records: ConstructorParameters<typeof PayoutBatches>[2];
}

interface RulingParts {
  readonly pipeline: Pipeline;
  readonly store: EventStore;
  readonly proposals: ReviewProposals;
  readonly receipts: ReceiptUse;
  readonly settlement: PayoutSettlement;
}

type Confirming = Pick<ConfirmCollectionHandler, 'execute'>;

/** The parts of a process. A planted bug replaces some of them. */
export interface Parts {
  ids(life: Life): Ids;
  store(life: Life): EventStore;
  pipeline(store: EventStore, ids: Ids): Pipeline;
  confirming(pipeline: Pipeline): Confirming;
  /** The rails' readers of callbacks. */
  rails(): RailTable;
  rail(life: Life): Rail;
  messages(life: Life): SealedMessages;
  inbox(life: Life): Inbox;
  claimedReferences(life: Life): ClaimedReferences;
  claims(claimed: ClaimedReferences, references: RailReferences): RailReferenceClaims;
  schedule(life: Life): QuerySchedule;
  views(life: Life): Views;
  lease(life: Life): Leadership;
  reservations(store: EventStore, credits: PostedCredits, ids: Ids): Reservations;
  orders(life: Life): PayoutOrders;
  funds(pipeline: Pipeline, reservations: Reservations, orders: PayoutOrders): PayoutFunds;
  phones(life: Life): PayoutPhones;
  batchItems(life: Life): PayoutBatchItems;
  batches(of: BatchParts): PayoutBatches;
  payoutQueries(life: Life): PayoutQueries;
  payoutLine(life: Life): RailPayouts;
  airtelPayoutLine(life: Life): RailPayouts;
  payoutRails(
    lines: Readonly<Record<Channel, RailPayouts>>,
    ids: Ids,
    floats: RailFloats,
    clock: Clock,
  ): PayoutRails;
  decisions(of: DecisionParts): Pick<DecidePayoutHandler, 'execute'>;
  reports(of: PayoutParts): Pick<ConfirmPayoutHandler, 'execute'>;
  proposals(life: Life): ReviewProposals;
  rulings(of: RulingParts): Pick<ConfirmPayoutReviewHandler, 'execute'>;
  sending(of: SendingParts): Pick<SendPayoutHandler, 'execute'>;
  /** Removes from the stores the data that the passive region does not have when it takes over. */
  loseAtTakeover(): void;
}

export function standardParts(fixture: Fixture): Parts {
  const { log, records, views, timetable } = fixture;
  return {
    ids: (life) => new SeededIds(life),
    store: (life) => new SimulatedEventStore(life, log, new VirtualTimer(life)),
    pipeline: (store, ids) => new Pipeline(store, ids),
    confirming: (pipeline) => new ConfirmCollectionHandler(pipeline),
    rails: () => rails,
    rail: (life) => new SimulatedRail(life, fixture, keyring),
    messages: (life) => new SimulatedMessages(life, records),
    inbox: (life) => new SimulatedInbox(life, records),
    claimedReferences: (life) => new SimulatedClaimedReferences(life, records),
    claims: (claimed, references) => new RailReferenceClaims(claimed, references),
    schedule: (life) => new SimulatedQuerySchedule(life, timetable, records),
    views: (life) => new SimulatedViews(life, views),
    lease: (life) => new SimulatedLease(life, views.lease),
    // A Redis of its own, which is empty. The log and the records are written in both regions before they answer.
    loseAtTakeover: () => {
      fixture.floats.clear();
    },
    ...standardPayoutParts(fixture),
  };
}

function standardPayoutParts({ payoutRail, airtelPayouts, payouts }: Fixture) {
  return {
    reservations: (store, credits, ids) => new Reservations(store, credits, ids),
    orders: (life) => new SimulatedOrders(life, payouts),
    funds: (pipeline, reservations, orders) => new PayoutFunds(pipeline, reservations, orders),
    phones: (life) => new SimulatedPayoutPhones(life, payouts),
    batchItems: (life) => new SimulatedBatchItems(life, payouts),
    batches: ({ pipeline, reservations, records }) =>
      new PayoutBatches(pipeline, reservations, records),
    payoutQueries: (life) => new SimulatedPayoutQueries(life, payouts),
    payoutLine: (life) => new SimulatedPayoutLine(life, payoutRail, keyring),
    airtelPayoutLine: (life) => new SimulatedAirtelPayouts(life, airtelPayouts, keyring),
    payoutRails: (lines, ids, floats, clock) => {
      // Payouts only need the channel, the line and the readers of an adapter.
      const adapters = channels.map((channel) => ({
        channel,
        payouts: lines[channel],
        payoutReports: rails.of(channel)?.payoutReports,
      })) as unknown as readonly RailAdapter[];
      // The simulated lines answer orders without bytes, so none are stored.
      const answers = {} as unknown as RailAnswers;
      const baseUrl = 'https://simulated.example';
      const used = { baseUrl, keyring, ids, clock, floats, metrics, answers };
      return new PayoutRails(adapters, used);
    },
    decisions: ({ pipeline, settlement, guards }) =>
      new DecidePayoutHandler(pipeline, settlement, guards),
    reports: ({ pipeline, funds, phones }) => new ConfirmPayoutHandler(pipeline, funds, phones),
    proposals: (life) =>
      new SimulatedProposals(life, payouts.proposals, (proposal) => {
        payouts.proposed.set(proposal.id, proposal);
      }),
    rulings: ({ pipeline, proposals, receipts, settlement }) =>
      new ConfirmPayoutReviewHandler(pipeline, proposals, receipts, settlement),
    sending: ({ pipeline, settlement, rail, phones, clock, age }) =>
      new SendPayoutHandler(
        pipeline,
        settlement,
        new PromptOrders(rail, clock, phones),
        new PayoutStopsInLog(pipeline, age),
      ),
  } satisfies Partial<Parts>;
}
