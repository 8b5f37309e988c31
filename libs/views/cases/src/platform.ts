import { type DrillRecorded, drillStanding, drillStream } from '#domain/drills';
import { type Position } from '#domain/event-sourcing';
import { type Instant, type Mode, msFromInstant } from '#domain/kernel';
import { listReviews } from '#views/reviews';
import { waitingCollections } from '#views/rail-queries';
import { projectedPrefixes, viewStanding } from '#views/view-set';
import { type CaseRecords, type WaitingInbox } from './case-records.js';
import { type SearchSources } from './find-streams.js';
import { type OverdueSeal, overdueSeal, readSealedSoFar } from './seals.js';

/** What each part of the platform is told by. */
export interface PartFacts {
  readonly postgres: { readonly answers: true };
  readonly 'event store': { readonly head: Position };
  readonly redis: { readonly answers: true };
  readonly views: Awaited<ReturnType<typeof viewStanding>>;
  readonly callbacks: WaitingInbox & {
    /** Under a key that no worker has. */
    readonly unopened: number;
  };
  readonly rail: Awaited<ReturnType<typeof waitingCollections>>;
  readonly reviews: { readonly open: number; readonly more: boolean };
  /** Undefined where no day is sealed yet. */
  readonly audit: {
    readonly sealed: { readonly date: string; readonly treeSize: string } | undefined;
    readonly overdue: OverdueSeal | undefined;
  };
  /** The last one; undefined before the first. */
  readonly drill: { readonly last: LastDrill | undefined };
}

export interface LastDrill extends Pick<
  DrillRecorded['data'],
  'copy' | 'outcome' | 'ageSeconds' | 'newer'
> {
  readonly at: Instant;
  readonly faults: number;
}

/** Webhooks that are owed. */
export interface DeliveriesStanding {
  readonly waiting: number;
  readonly oldestSeconds: number;
  /** For how long something is due to an endpoint whose circuit is closed. */
  readonly overdueSeconds: number;
  /** Since the event of what waits longest for its first attempt, whether or not circuits are open. */
  readonly unattemptedSeconds: number;
  /** Enabled endpoints whose circuit is open, or that took nothing for a day, those that fail for longest. */
  readonly failing: readonly {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly kind: string;
    /** Of the URLs that collections brought along; empty where the endpoint's own fails. */
    readonly callbackHost: string;
    readonly failures: number;
    readonly failingSince: Date;
    readonly lastOutcome: string;
    readonly lastStatus: number | null;
  }[];
  readonly failingOfAll: number;
}

/** Payments that a rail took and the ledger does not hold. */
export interface MissedMoney {
  readonly payments: readonly {
    readonly mode: Mode;
    readonly receipt: string;
    readonly amountMinor: bigint;
    readonly paidAt: Instant;
    readonly stream: string | null;
    readonly why: string;
  }[];
  readonly more: boolean;
}

/** What a rail's own account held when it was told. */
export interface FloatStanding {
  readonly channel: string;
  readonly mode: Mode;
  /** Undefined where nobody knows. */
  readonly told: { readonly minor: bigint; readonly atMs: number } | undefined;
}

/** The business rows about the platform as a whole. Each method throws DependencyUnavailable. */
export abstract class PlatformRecords {
  abstract deliveries(maxFailing: number): Promise<DeliveriesStanding>;
  /** The oldest first. */
  abstract missedMoney(max: number): Promise<MissedMoney>;
}

/** What this process knows of the rails. */
export abstract class RailWatch {
  /** The circuit breakers of the rails' endpoints, as this process sees them. */
  abstract circuits(): Promise<
    readonly {
      readonly mode: string;
      readonly endpoint: string;
      readonly state: 'closed' | 'half_open' | 'open';
    }[]
  >;
  abstract floats(): Promise<readonly FloatStanding[]>;
}

export type PartName = keyof PartFacts;

/** What is to be done, in English, as the command line says it. */
export const platformTodos = {
  server_down: 'see docs/how-to/when-something-is-down.md',
  views_being_built: 'wait; lists answer 503 until they are built',
  views_quarantined: 'npx pesapost projection quarantine list',
  views_behind: 'look at the projector: lists answer 503',
  callbacks_unopened: 'give the workers the new master key (docs/how-to/rotate-the-master-key.md)',
  callbacks_wait: 'look at the worker’s log; npx pesapost review list',
  reviews_open: 'npx pesapost review list',
  seal_late: 'npx pesapost audit seal; look at the worker’s log',
  drill_never: 'npx pesapost drill (docs/how-to/restore-from-a-backup.md)',
  drill_failed: 'see docs/how-to/restore-from-a-backup.md; then npx pesapost drill',
  drill_old: 'npx pesapost drill',
} as const;

export type PlatformTodo = keyof typeof platformTodos;

interface PartReport<Name extends PartName> {
  readonly facts: PartFacts[Name];
  /** Undefined where nothing is to be done. */
  readonly todo?: PlatformTodo;
}

/** How one part stands. `state` is what a script compares. */
export type PartStanding = {
  [Name in PartName]:
    | ({ readonly what: Name; readonly state: 'ok' | 'attention' } & PartReport<Name>)
    | {
        readonly what: Name;
        readonly state: 'down';
        readonly problem: string;
        readonly todo: 'server_down';
      };
}[PartName];

/** Where the parts are asked. */
export class PlatformSources {
  constructor(
    readonly servers: SearchSources,
    readonly records: CaseRecords,
    /** READ_MODEL_MAX_AGE: where the views are older, lists are refused. */
    readonly maxAgeMs: number,
    /** Asks Redis, and throws in time; undefined where this process does not know it. */
    readonly redis: (() => Promise<void>) | undefined,
  ) {}
}

const maxReviews = 500;
/** A callback is applied within a second, unless something is away or it must be corroborated. */
const longWaitSeconds = 120;

/** How each part stands, in a fixed order. What cannot be told is down; the others are told all the same. */
export function platformStanding(sources: PlatformSources): Promise<readonly PartStanding[]> {
  const { store, database } = sources.servers;
  const { redis } = sources;
  return Promise.all<PartStanding>([
    partReport('postgres', async () => {
      await database.query('select 1');
      return { facts: { answers: true } };
    }),
    partReport('event store', async () => ({
      facts: { head: await store.head(projectedPrefixes) },
    })),
    ...(redis
      ? [partReport('redis', () => redis().then(() => ({ facts: { answers: true } })))]
      : []),
    partReport('views', () => views(sources)),
    partReport('callbacks', () => callbacks(sources)),
    partReport('rail', async () => ({ facts: await waitingCollections(database) })),
    partReport('reviews', () => reviews(sources)),
    partReport('audit', () => seals(sources)),
    partReport('drill', () => drills(sources)),
  ]);
}

async function partReport<Name extends PartName>(
  what: Name,
  tell: () => Promise<PartReport<Name>>,
): Promise<PartStanding> {
  try {
    const facts = await tell();
    const state = facts.todo === undefined ? 'ok' : 'attention';
    return { what, state, ...facts } as unknown as PartStanding;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { what, state: 'down', problem, todo: 'server_down' };
  }
}

async function views({
  servers: { database },
  maxAgeMs,
}: PlatformSources): Promise<PartReport<'views'>> {
  const facts = await viewStanding(database);
  if (facts.ageSeconds === null) return { facts, todo: 'views_being_built' };
  if (facts.quarantined > 0) return { facts, todo: 'views_quarantined' };
  return facts.ageSeconds * 1000 <= maxAgeMs ? { facts } : { facts, todo: 'views_behind' };
}

async function callbacks({ records }: PlatformSources): Promise<PartReport<'callbacks'>> {
  const { entries, oldestSeconds } = await records.waitingInbox();
  const unopened = await records.unopenedCallbacks();
  const facts = { entries, oldestSeconds, unopened };
  if (unopened > 0) return { facts, todo: 'callbacks_unopened' };
  return entries > 0 && oldestSeconds > longWaitSeconds
    ? { facts, todo: 'callbacks_wait' }
    : { facts };
}

async function reviews({ servers: { database } }: PlatformSources): Promise<PartReport<'reviews'>> {
  const { reviews: open, more } = await listReviews(database, { limit: maxReviews });
  const facts = { open: open.length, more };
  return open.length === 0 ? { facts } : { facts, todo: 'reviews_open' };
}

async function seals({ servers: { store, clock } }: PlatformSources): Promise<PartReport<'audit'>> {
  const soFar = await readSealedSoFar(store);
  const overdue = overdueSeal(soFar, clock.nowMs());
  const facts = { sealed: soFar.last, overdue };
  return overdue ? { facts, todo: 'seal_late' } : { facts };
}

async function drills({
  servers: { store, clock },
}: PlatformSources): Promise<PartReport<'drill'>> {
  const event = await store.readLast<DrillRecorded>(drillStream);
  const last = event && lastDrill(event.recordedAt, event.data);
  const known = last && { outcome: last.outcome, recordedAtMs: msFromInstant(last.at) };
  const standing = drillStanding(known, clock.nowMs());
  const facts = { last };
  return standing === 'held' ? { facts } : { facts, todo: `drill_${standing}` };
}

function lastDrill(at: Instant, data: DrillRecorded['data']): LastDrill {
  const { copy, outcome, ageSeconds, newer, faults } = data;
  return { at, copy, outcome, ageSeconds, newer, faults: faults.length };
}
