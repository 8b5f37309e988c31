import { ConfirmCollectionHandler, type Rail } from '#domain/collections';
import { type EventStore, Pipeline } from '#domain/event-sourcing';
import { type Ids } from '#domain/kernel';
import {
  RailReferenceClaims,
  type ClaimedReferences,
  type Inbox,
  type QuerySchedule,
  RailTable,
  RailWorkOptions,
  type RailReferences,
  type RailMessages,
} from '#edges/rails';
import { MpesaCallbacks } from '#edges/rail-mpesa';
import { type Leadership, type Views } from '#views/projection';
import { Keyring } from '#shared/signing';
import { type Life } from '../core/life.js';
import { SeededIds, VirtualTimer } from '../core/ports.js';
import { type World } from '../core/world.js';
import { SimulatedEventStore } from '../servers/event-store.js';
import { SimulatedLease } from '../servers/lease.js';
import { type MemoryLog } from '../servers/log.js';
import { type QueryTimetable } from '../servers/query-timetable.js';
import { type RailServer } from '../servers/rail-server.js';
import { SimulatedRail } from '../servers/rail.js';
import {
  SimulatedClaimedReferences,
  SimulatedInbox,
  SimulatedQuerySchedule,
  SimulatedRailMessages,
} from '../servers/record-ports.js';
import { type RecordTables } from '../servers/records.js';
import { SimulatedViews, type ViewTables } from '../servers/views.js';

/** The servers that all processes share. */
export interface Fixture {
  readonly world: World;
  readonly log: MemoryLog;
  readonly records: RecordTables;
  readonly views: ViewTables;
  readonly rail: RailServer;
  readonly timetable: QueryTimetable;
  readonly work: RailWorkOptions;
}

/** One key for all schedules: nothing that is decided depends on it. */
export const keyring = Keyring.from([{ id: 'k1', bytes: new Uint8Array(32).fill(7) }]);

/** Whence the rail's own callbacks come. */
export const railAddress = '192.0.2.1';

/** The rail whose callbacks are simulated. */
export const rails = new RailTable([new MpesaCallbacks({ live: undefined, demo: [railAddress] })]);

type Confirming = Pick<ConfirmCollectionHandler, 'execute'>;

/** What a process is put together from. A planted bug replaces some of it. */
export interface Parts {
  ids(life: Life): Ids;
  store(life: Life): EventStore;
  pipeline(store: EventStore, ids: Ids): Pipeline;
  confirming(pipeline: Pipeline): Confirming;
  rail(life: Life): Rail;
  reports(life: Life): RailMessages;
  inbox(life: Life): Inbox;
  claimedReferences(life: Life): ClaimedReferences;
  claims(claimed: ClaimedReferences, references: RailReferences): RailReferenceClaims;
  schedule(life: Life): QuerySchedule;
  views(life: Life): Views;
  lease(life: Life): Leadership;
}

export function standardParts({ log, records, views, rail, timetable }: Fixture): Parts {
  return {
    ids: (life) => new SeededIds(life),
    store: (life) => new SimulatedEventStore(life, log, new VirtualTimer(life)),
    pipeline: (store, ids) => new Pipeline(store, ids),
    confirming: (pipeline) => new ConfirmCollectionHandler(pipeline),
    rail: (life) => new SimulatedRail(life, rail, keyring),
    reports: (life) => new SimulatedRailMessages(life, records),
    inbox: (life) => new SimulatedInbox(life, records),
    claimedReferences: (life) => new SimulatedClaimedReferences(life, records),
    claims: (claimed, references) => new RailReferenceClaims(claimed, references),
    schedule: (life) => new SimulatedQuerySchedule(life, timetable, records),
    views: (life) => new SimulatedViews(life, views),
    lease: (life) => new SimulatedLease(life, views.lease),
  };
}

/** What payouts need of a step: no simulated rail reports about any. */
export const noPayouts = undefined as never;
