import { type DrillRecorded, drillStanding, drillStream } from '#domain/drills';
import { type Position } from '#domain/event-sourcing';
import { type Instant, type Mode, msFromInstant } from '#domain/kernel';
import { RolesInLog } from '#domain/people';
import { readHeartbeats } from '#infra/postgres';
import { withDeadline } from '#infra/runtime';
import { type EndingCredential, listEndingCredentials } from '#views/merchants';
import {
  type PayoutPause,
  payoutPauses,
  type WaitingPayouts,
  waitingPayouts,
} from '#views/payouts';
import { listReviews } from '#views/reviews';
import { waitingCollections } from '#views/rail-queries';
import { projectedPrefixes, viewStanding } from '#views/view-set';
import { findLastAuditCheck, type LastAuditCheck } from '#records/operations';
import {
  countUnopenedCallbacks,
  countUnpostedReports,
  type UnpostedReports,
  type WaitingInbox,
  waitingInboxEntries,
} from '#records/rails';
import { deliveriesStanding, type DeliveriesStanding } from '#records/webhooks';
import { type SearchSources } from './find-streams.js';
import { type OverdueSeal, overdueSeal, readSealedSoFar } from './seals.js';
import { type Installation, type PlatformTodo } from './platform-todos.js';
import { type ProcessesStanding, processesStanding } from './processes.js';
import { payoutsTodo, railTodo, webhooksTodo } from './queue-todos.js';

/** The facts about each part of the platform. */
export interface PartFacts {
  readonly postgres: { readonly answers: true };
  readonly 'event store': { readonly head: Position };
  readonly redis: { readonly answers: true };
  readonly processes: ProcessesStanding;
  readonly views: Awaited<ReturnType<typeof viewStanding>>;
  readonly callbacks: WaitingInbox & {
    /** Callbacks under a key that no worker has, from the rail itself or under a key of this installation. */
    readonly unopened: number;
    /** Payments that only a report tells of; undefined while the views are built for the first time. */
    readonly unposted: UnpostedReports | undefined;
  };
  readonly rail: Awaited<ReturnType<typeof waitingCollections>>;
  readonly payouts: WaitingPayouts;
  readonly webhooks: DeliveriesStanding;
  readonly reviews: { readonly open: number; readonly more: boolean };
  /** Pauses of payouts that no operator has ended. */
  readonly pauses: { readonly open: readonly PayoutPause[] };
  /** The credentials in use that end within a week, or ended within the last one; the first to end first. */
  readonly keys: { readonly ending: readonly EndingCredential[]; readonly more: boolean };
  /** `sealed` is undefined if no day is sealed yet. */
  readonly audit: {
    readonly sealed: { readonly date: string; readonly treeSize: string } | undefined;
    readonly overdue: OverdueSeal | undefined;
  };
  /** The last check; undefined before the first. */
  readonly 'audit check': { readonly last: LastAuditCheck | undefined };
  /** The earliest time at which an announced admin becomes one (PEO-58); undefined if none is announced. */
  readonly admins: { readonly takesEffectAt: Instant | undefined };
  /** The last drill; undefined before the first. */
  readonly drill: { readonly last: LastDrill | undefined };
}

export interface LastDrill extends Pick<
  DrillRecorded['data'],
  'copy' | 'outcome' | 'ageSeconds' | 'newer'
> {
  readonly at: Instant;
  readonly faults: number;
}

/** The last known balance of a rail's own account. */
export interface FloatStanding {
  readonly channel: string;
  readonly mode: Mode;
  /** Undefined if it is not known. */
  readonly told: { readonly minor: bigint; readonly atMs: number } | undefined;
}

/** The last comparison of a rail's balance with the ledger (BAL-7). */
export interface BalanceStanding {
  readonly channel: string;
  readonly mode: Mode;
  /** Undefined before the first comparison, or if the rail is not asked. */
  readonly last:
    | {
        /** True if nothing explains the difference. */
        readonly differs: boolean;
        readonly differenceMinor: bigint;
        readonly at: Instant;
      }
    | undefined;
}

/** The knowledge of the rails: this process's own, and what the log has of their balances. */
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
  /** @throws DependencyUnavailable */
  abstract balances(): Promise<readonly BalanceStanding[]>;
}

export type PartName = keyof PartFacts;

interface PartReport<Name extends PartName> {
  readonly facts: PartFacts[Name];
  /** Undefined if nothing needs to be done. */
  readonly todo?: PlatformTodo;
}

/** Servers from which the facts about parts are read. */
export type ServerPart = 'postgres' | 'event store' | 'redis';

const serverTodos = {
  postgres: 'postgres_down',
  'event store': 'event_store_down',
  redis: 'redis_down',
} as const satisfies Record<ServerPart, PlatformTodo>;

/**
 * The state of one part, for scripts to compare. `waits` is work for people; `attention` and `down` are faults.
 * `unknown` means that the part could not be asked: its server does not answer, or the query failed.
 */
export type PartStanding =
  | {
      [Name in PartName]:
        | ({
            readonly what: Name;
            readonly state: 'ok' | 'waits' | 'attention' | 'down';
          } & PartReport<Name>)
        | {
            readonly what: Name;
            readonly state: 'unknown';
            readonly problem: string;
            readonly because?: ServerPart;
            readonly todo?: undefined;
          };
    }[PartName]
  | ServerDown;

/** A server that did not answer in time. */
export interface ServerDown {
  readonly what: ServerPart;
  readonly state: 'down';
  readonly problem: string;
  readonly todo: (typeof serverTodos)[ServerPart];
}

/** The severity of each todo; `attention` if it is not listed. */
const states: Readonly<Partial<Record<PlatformTodo, 'waits' | 'down'>>> = {
  reviews_open: 'waits',
  payouts_paused: 'waits',
  float_missing: 'waits',
  payouts_old: 'waits',
  keys_end: 'waits',
  drill_never: 'waits',
  views_being_built: 'waits',
  process_missing: 'down',
};

/** True if something is broken. Work that waits for people is not a fault. */
export function isFault({ state }: Pick<PartStanding, 'state'>): boolean {
  return state !== 'ok' && state !== 'waits';
}

/** The sources from which the parts are read. */
export class PlatformSources {
  constructor(
    readonly servers: SearchSources,
    readonly given: {
      /** READ_MODEL_MAX_AGE: if the views are older, lists are refused. */
      readonly maxAgeMs: number;
      /** RAIL_REVIEW_AFTER: collections that the rail leaves open for longer are listed for review. */
      readonly reviewAfterMs: number;
      /** Asks Redis, and throws in time; undefined if this process does not use it. */
      readonly redis: (() => Promise<void>) | undefined;
      readonly installation: Installation;
    },
  ) {}
}

const maxReviews = 500;
const maxEndingKeys = 50;
const endingDays = 7;
/** A callback is applied within a second, unless a server is down or the callback must be corroborated. */
const longWaitSeconds = 120;

/** A server that takes longer for the smallest answer counts as down. */
const probeMs = 3000;
const partMs = 6000;

/** The server from which each part is read. */
const readFrom = {
  processes: 'postgres',
  views: 'postgres',
  callbacks: 'postgres',
  rail: 'postgres',
  payouts: 'postgres',
  webhooks: 'postgres',
  reviews: 'postgres',
  pauses: 'postgres',
  keys: 'postgres',
  audit: 'event store',
  'audit check': 'postgres',
  admins: 'event store',
  drill: 'event store',
} as const satisfies Record<Exclude<PartName, ServerPart>, ServerPart>;

/**
 * The state of each part, in a fixed order. It asks the servers first: if one does not answer, its parts are unknown at
 * once, and all other parts are reported.
 */
export async function platformStanding(sources: PlatformSources): Promise<readonly PartStanding[]> {
  const servers = await serverStandings(sources);
  const dead = new Set(servers.filter(isFault).map(({ what }) => what));
  const part = async <Name extends keyof typeof readFrom>(
    what: Name,
    tell: () => Promise<PartReport<Name>>,
  ): Promise<PartStanding> => {
    const because = readFrom[what];
    if (dead.has(because))
      return { what, state: 'unknown', because, problem: `${because} does not answer` };
    return partReport(what, tell);
  };
  const parts = await Promise.all<PartStanding>([
    part('processes', () => processes(sources)),
    part('views', () => views(sources)),
    part('callbacks', () => callbacks(sources)),
    part('rail', () => rail(sources)),
    part('payouts', () => payouts(sources)),
    part('webhooks', () => webhooks(sources)),
    part('reviews', () => reviews(sources)),
    part('pauses', () => pauses(sources)),
    part('keys', () => keys(sources)),
    part('audit', () => seals(sources)),
    part('audit check', () => auditCheck(sources)),
    part('admins', () => admins(sources)),
    part('drill', () => drills(sources)),
  ]);
  return [...servers, ...parts];
}

/** The state of the servers alone. */
export function serverStandings({
  servers: { store, database },
  given: { redis },
}: PlatformSources): Promise<readonly PartStanding[]> {
  return Promise.all<PartStanding>([
    serverReport('postgres', async () => {
      await database.query('select 1');
      return { answers: true };
    }),
    serverReport('event store', async () => ({ head: await store.head(projectedPrefixes) })),
    ...(redis
      ? [serverReport('redis', () => redis().then(() => ({ answers: true as const })))]
      : []),
  ]);
}

async function serverReport<Name extends ServerPart>(
  what: Name,
  ask: () => Promise<PartFacts[Name]>,
): Promise<PartStanding> {
  try {
    const facts = await withDeadline(ask(), probeMs, 'no answer in time');
    return { what, state: 'ok', facts } as unknown as PartStanding;
  } catch (error) {
    return { what, state: 'down', problem: messageOf(error), todo: serverTodos[what] };
  }
}

async function partReport<Name extends PartName>(
  what: Name,
  tell: () => Promise<PartReport<Name>>,
): Promise<PartStanding> {
  try {
    const told = await withDeadline(tell(), partMs, 'no answer in time');
    const state = told.todo === undefined ? 'ok' : (states[told.todo] ?? 'attention');
    return { what, state, ...told } as unknown as PartStanding;
  } catch (error) {
    return { what, state: 'unknown', problem: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function processes({
  servers: { database },
}: PlatformSources): Promise<PartReport<'processes'>> {
  const facts = processesStanding(await readHeartbeats(database));
  if (facts.missing.length > 0) return { facts, todo: 'process_missing' };
  if (facts.silent.length > 0) return { facts, todo: 'process_silent' };
  if (facts.stalled.length > 0) return { facts, todo: 'loops_stalled' };
  return facts.apart.length > 0 ? { facts, todo: 'clock_apart' } : { facts };
}

async function auditCheck({
  servers: { database },
}: PlatformSources): Promise<PartReport<'audit check'>> {
  const last = await findLastAuditCheck(database);
  const facts = { last };
  return last && last.faults > 0 ? { facts, todo: 'audit_failed' } : { facts };
}

async function views({
  servers: { database },
  given: { maxAgeMs },
}: PlatformSources): Promise<PartReport<'views'>> {
  const facts = await viewStanding(database);
  if (facts.ageSeconds === null) return { facts, todo: 'views_being_built' };
  if (facts.quarantined > 0) return { facts, todo: 'views_quarantined' };
  return facts.ageSeconds * 1000 <= maxAgeMs ? { facts } : { facts, todo: 'views_behind' };
}

async function callbacks({
  servers: { database },
}: PlatformSources): Promise<PartReport<'callbacks'>> {
  const { entries, oldestSeconds } = await waitingInboxEntries(database);
  const unopened = await countUnopenedCallbacks(database);
  const unposted = await countUnpostedReports(database);
  const facts = { entries, oldestSeconds, unopened, unposted };
  if (unopened > 0) return { facts, todo: 'callbacks_unopened' };
  if (unposted && unposted.ofRail > 0) return { facts, todo: 'callbacks_unposted' };
  return entries > 0 && oldestSeconds > longWaitSeconds
    ? { facts, todo: 'callbacks_wait' }
    : { facts };
}

async function rail({
  servers: { database },
  given: { reviewAfterMs },
}: PlatformSources): Promise<PartReport<'rail'>> {
  const facts = await waitingCollections(database);
  return withTodo(facts, railTodo(facts, reviewAfterMs));
}

async function payouts({ servers: { database } }: PlatformSources): Promise<PartReport<'payouts'>> {
  const facts = await waitingPayouts(database);
  return withTodo(facts, payoutsTodo(facts));
}

async function webhooks({
  servers: { database },
}: PlatformSources): Promise<PartReport<'webhooks'>> {
  const facts = await deliveriesStanding(database);
  return withTodo(facts, webhooksTodo(facts));
}

function withTodo<Facts>(
  facts: Facts,
  todo: PlatformTodo | undefined,
): { readonly facts: Facts; readonly todo?: PlatformTodo } {
  return todo === undefined ? { facts } : { facts, todo };
}

async function reviews({ servers: { database } }: PlatformSources): Promise<PartReport<'reviews'>> {
  const { reviews: open, more } = await listReviews(database, { limit: maxReviews });
  const facts = { open: open.length, more };
  return open.length === 0 ? { facts } : { facts, todo: 'reviews_open' };
}

async function pauses({ servers: { database } }: PlatformSources): Promise<PartReport<'pauses'>> {
  const facts = { open: await payoutPauses(database) };
  return facts.open.length > 0 ? { facts, todo: 'payouts_paused' } : { facts };
}

async function keys({ servers: { database } }: PlatformSources): Promise<PartReport<'keys'>> {
  const days = { withinDays: endingDays, endedDays: endingDays };
  const found = await listEndingCredentials(database, days, maxEndingKeys + 1);
  const facts = {
    ending: found.slice(0, maxEndingKeys),
    more: found.length > maxEndingKeys,
  };
  return found.length === 0 ? { facts } : { facts, todo: 'keys_end' };
}

async function seals({ servers: { store, clock } }: PlatformSources): Promise<PartReport<'audit'>> {
  const soFar = await readSealedSoFar(store);
  const overdue = overdueSeal(soFar, clock.nowMs());
  const facts = { sealed: soFar.last, overdue };
  return overdue ? { facts, todo: 'seal_late' } : { facts };
}

async function admins({ servers: { store } }: PlatformSources): Promise<PartReport<'admins'>> {
  const announced = await new RolesInLog(store, () => performance.now()).breakGlass();
  const facts = { takesEffectAt: announced?.takesEffectAt };
  return announced ? { facts, todo: 'admin_announced' } : { facts };
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
