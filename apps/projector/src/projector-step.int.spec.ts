import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Lease } from '#infra/postgres';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import {
  accept,
  eventually,
  HandMadeLog,
  intend,
  LogWithFaults,
  onboarded,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Projector, projectorLease, SqlViews } from '#views/projection';
import { createViews } from '#views/view-set';
import { projectorStep } from './projector-step.js';

const serving = 'views_904';
const collections = 60;
const logger = createLogger({ app: 'spec', level: 'fatal' });

let server: ThrowAwayDatabase;
let views: Database;
let log: HandMadeLog;
let stop: AbortController;
let leading: Promise<unknown>[];
/** Lets a builder that is held up go on. */
let goOn: () => void;

beforeEach(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, serving);
  views = server.database.beside({ searchPath: [serving] });
  log = onboarded(new HandMadeLog(Date.now() - 3_600_000));
  for (let n = 0; n < collections; n += 1) accept(log, intend(log, `R${n}`));
  stop = new AbortController();
  leading = [];
  goOn = () => undefined;
});
afterEach(async () => {
  stop.abort();
  goOn();
  await Promise.all(leading);
  await views.close();
  await server.drop();
});

/** One step of a projector's process. */
function step(holder: string, store = new LogWithFaults(log)): Promise<'idle' | 'busy'> {
  const shared = { store, clock: new SystemClock(), timer: new SystemTimer() };
  const projector = new Projector({
    ...shared,
    views: new SqlViews(views, { schema: serving }),
    lease: new Lease(views, { name: projectorLease(serving), holder }),
    metrics: new Metrics(),
  });
  const building = { ...shared, database: server.database, serving, by: 'projector', holder };
  const stepping = projectorStep({ building, projector, logger }, stop.signal);
  leading.push(stepping.catch(() => undefined));
  return stepping;
}

/** Resolves to `leads` if the step leads, because a leader does not return. */
const comesBack = (stepping: Promise<unknown>) =>
  Promise.race([stepping, sleep(60_000, 'leads', { ref: false })]);

/** The number of collections that the serving set contains. */
const items = async (): Promise<number> => (await views.query('select from transactions')).length;
const becomesWhole = () => eventually(items, (count) => count === collections);

it('leaves a set alone that another projector builds, until that has taken its place whole', async () => {
  const store = new LogWithFaults(log);
  let begins = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begins = resolve));
  const held = new Promise<void>((resolve) => (goOn = resolve));
  store.subscribe = async (after, prefixes) => {
    begins();
    await held;
    return new LogWithFaults(log).subscribe(after, prefixes);
  };
  void step('first', store);
  await begun;
  expect(await comesBack(step('second'))).toBe('idle');
  expect(await items()).toBe(0);
  goOn();
  await becomesWhole();
});

it('leaves a set alone whose builder was killed, and builds it on once the lease has ended', async () => {
  const killed = new Lease(server.database, {
    name: `replay:${serving}`,
    holder: 'killed',
    durationMs: 3_600_000,
  });
  await killed.tryAcquire();
  expect(await comesBack(step('restarted'))).toBe('idle');
  expect(await items()).toBe(0);
  await killed.release();
  void step('restarted');
  await becomesWhole();
});
