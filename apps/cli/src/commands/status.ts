import { auditStream, type DaySealed } from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import { Clock } from '#domain/kernel';
import { countUnopenedCallbacks, waitingInboxEntries } from '#adapters/records';
import { Database } from '#infra/postgres';
import { listReviews } from '#views/reviews';
import { projectedPrefixes, viewStanding } from '#views/view-set';
import { waitingCollections } from '#views/rail-queries';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import { printJson, printLines } from '../print.js';
import { settingsOrRefused } from '../settings.js';
import { table } from '../table.js';
import { look } from './look.js';

/** One line of the screen. `state` is what a script compares; `todo` is absent where nothing is to be done. */
export interface StatusLine {
  readonly what: string;
  readonly state: 'ok' | 'attention' | 'down';
  readonly tells: string;
  readonly todo?: string;
}

const maxReviews = 500;
/** A callback is applied within a second, unless something is away or it must be corroborated. */
const longWaitSeconds = 120;

export const status = look(
  'status',
  'in one screen what is up, behind, waiting and open for review, and what to do; exit code 0 where it could be told',
  'status',
).action(async ({ json }: { readonly json?: true }) => {
  const { readModelMaxAgeMs } = settingsOrRefused();
  const lines = await withApp((app) => statusLines(app, readModelMaxAgeMs));
  if (json)
    printJson({
      ok: lines.every(({ state }) => state === 'ok'),
      lines: lines.map((line) => ({ ...line, todo: line.todo ?? null })),
    });
  else printLines(textOf(lines));
});

async function statusLines(
  app: INestApplicationContext,
  maxAgeMs: number,
): Promise<readonly StatusLine[]> {
  const database = app.get(Database);
  const store = app.get<EventStore>(EventStore);
  return Promise.all([
    told('postgres', async () => {
      await database.query('select 1');
      return { state: 'ok', tells: 'answers' };
    }),
    told('event store', async () => {
      const head = await store.head(projectedPrefixes);
      return { state: 'ok', tells: `answers; the log ends at ${head}` };
    }),
    told('views', () => views(database, maxAgeMs)),
    told('callbacks', () => callbacks(database)),
    told('rail', async () => {
      const { collections, unanswered, oldestSeconds } = await waitingCollections(database);
      const tells = `${collections} collections wait, ${unanswered} of them for a push that was not answered, the oldest for ${duration(oldestSeconds)}`;
      return { state: 'ok', tells };
    }),
    told('reviews', () => reviews(database)),
    told('audit', () => seals(app)),
  ]);
}

type Told = Omit<StatusLine, 'what'>;

/** What cannot be told is down; the others are told all the same. */
async function told(what: string, tell: () => Promise<Told>): Promise<StatusLine> {
  try {
    return { what, ...(await tell()) };
  } catch (error) {
    const tells = error instanceof Error ? error.message : String(error);
    return { what, state: 'down', tells, todo: 'see docs/how-to/when-something-is-down.md' };
  }
}

async function views(database: Database, maxAgeMs: number): Promise<Told> {
  const { position, ageSeconds, quarantined } = await viewStanding(database);
  if (ageSeconds === null)
    return {
      state: 'attention',
      tells: `at ${position}, being built`,
      todo: 'wait; lists answer 503 until they are built',
    };
  const tells = `at ${position}, level with the log ${duration(ageSeconds)} ago`;
  if (quarantined > 0)
    return {
      state: 'attention',
      tells: `${tells}; ${quarantined} parts of merchants stand still`,
      todo: 'npx pesapost projection quarantine list',
    };
  return ageSeconds * 1000 <= maxAgeMs
    ? { state: 'ok', tells }
    : { state: 'attention', tells, todo: 'look at the projector: lists answer 503' };
}

async function callbacks(database: Database): Promise<Told> {
  const { entries, oldestSeconds } = await waitingInboxEntries(database);
  const unopened = await countUnopenedCallbacks(database);
  const tells = `${entries} wait in the inbox, the oldest for ${duration(oldestSeconds)}; ${unopened} under a key that no worker has`;
  if (unopened > 0)
    return {
      state: 'attention',
      tells,
      todo: 'give the workers the new master key (docs/how-to/rotate-the-master-key.md)',
    };
  return entries > 0 && oldestSeconds > longWaitSeconds
    ? { state: 'attention', tells, todo: 'look at the worker’s log; npx pesapost review list' }
    : { state: 'ok', tells };
}

async function reviews(database: Database): Promise<Told> {
  const { reviews: open, more } = await listReviews(database, { limit: maxReviews });
  const tells = `${open.length}${more ? ' and more' : ''} open`;
  return open.length === 0
    ? { state: 'ok', tells }
    : { state: 'attention', tells, todo: 'npx pesapost review list' };
}

/** From the begin of the last sealed day, in whatever zone; the next one should be sealed long before. */
const maxUnsealedMs = 60 * 3_600_000;

async function seals(app: INestApplicationContext): Promise<Told> {
  const last = await app.get<EventStore>(EventStore).readLast<DaySealed>(auditStream);
  if (!last) return { state: 'ok', tells: 'no day is sealed yet' };
  const { date, treeSize } = last.data;
  const tells = `sealed up to ${date}: ${treeSize} postings`;
  return app.get<Clock>(Clock).nowMs() - Date.parse(date) <= maxUnsealedMs
    ? { state: 'ok', tells }
    : { state: 'attention', tells, todo: 'npx pesapost audit seal; look at the worker’s log' };
}

function textOf(lines: readonly StatusLine[]): readonly string[] {
  const todo = lines.flatMap((line) =>
    line.todo === undefined ? [] : [`${line.what}: ${line.todo}`],
  );
  return [
    ...table(
      ['what', 'state', 'tells'],
      lines.map(({ what, state, tells }) => [what, state, tells]),
    ),
    '',
    ...(todo.length === 0 ? ['nothing to do'] : ['to do:', ...todo.map((line) => `  ${line}`)]),
  ];
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
