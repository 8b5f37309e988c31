import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { merchantDecider, merchantStream, type MerchantEvent } from '#domain/merchants';
import { Pipeline } from '#domain/event-sourcing';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database, Lease } from '#infra/postgres';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import {
  eventually,
  openStore,
  type OwnServers,
  patientPool,
  startOwnServers,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { advanceCheckpoint, CheckpointMoved, createViews, readCheckpoint } from '#views/view-set';
import { ForeignLog, Projector } from './projector.js';
import { projectorLease, SqlViews } from './sql-views.js';

let server: ThrowAwayDatabase;
/** A log of its own: other specs leave histories in the shared one that no service would have written. */
let log: OwnServers;
let views: Database;
let store: EventStoreDb;
const ids = new UuidIds();
const schema = 'views_projector_spec';

beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, schema);
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  const options = {
    ...patientPool,
    url: server.url,
    app: 'spec',
    logger,
    searchPath: [schema],
    poolSize: 8,
  };
  views = new Database({ ...options, isPipelined: true });
  log = await startOwnServers();
  store = openStore(log.env.EVENTSTORE_URL);
});
afterAll(async () => {
  await store.dispose();
  await views.close();
  await server.drop();
  await log.stop();
});

/** The duration of a lease that ends only if the spec ends it. */
const longMs = 3_600_000;

/** A clock that has jumped to tomorrow. */
class TomorrowsClock extends SystemClock {
  override nowMs(): number {
    return super.nowMs() + 86_400_000;
  }
}

function projector(
  holder: string,
  durationMs = longMs,
  clock: SystemClock = new SystemClock(),
): { it: Projector; lease: Lease } {
  const lease = new Lease(views, { name: projectorLease(schema), holder, durationMs });
  const [timer, metrics] = [new SystemTimer(), new Metrics()];
  const options = { store, views: new SqlViews(views, { schema }), lease, clock, timer, metrics };
  return { lease, it: new Projector(options) };
}

/** Records a fact that the views show. @returns the merchant's id */
async function registerMerchant(): Promise<string> {
  const merchantId = randomUUID();
  const event: MerchantEvent = {
    type: 'MerchantRegistered',
    data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
  };
  await new Pipeline(store, ids).begin(
    {
      decider: merchantDecider,
      stream: merchantStream(merchantId),
      metadata: { correlationId: 'spec', actor: { kind: 'system', id: 'spec' } },
    },
    [event],
  );
  return merchantId;
}

const isShown = (merchantId: string): Promise<boolean> =>
  views
    .query('select 1 from merchants where merchant_id = $1', [merchantId])
    .then((rows) => rows.length === 1);
const shown = (merchantId: string): Promise<boolean> =>
  eventually(() => isShown(merchantId), Boolean);

describe('a projector', () => {
  it('follows the log, records that the views are fresh, and resumes where it stopped', async () => {
    const first = await registerMerchant();
    const stop = new AbortController();
    const term = projector('a').it.lead(stop.signal);
    await shown(first);
    await eventually(
      () => views.query<{ fresh_at: Date | null }>('select fresh_at from checkpoint'),
      ([row]) => row?.fresh_at !== null,
    );
    stop.abort();
    await term;
    const second = await registerMerchant();
    expect(await isShown(second)).toBe(false);
    const again = new AbortController();
    const next = projector('b').it.lead(again.signal);
    await shown(second);
    again.abort();
    await next;
  });

  it('counts as fresh under steady traffic, although the log keeps growing', async () => {
    const stop = new AbortController();
    const term = projector('steady').it.lead(stop.signal);
    const freshAt = async (): Promise<number> => {
      const [row] = await views.query<{ fresh_at: Date | null }>('select fresh_at from checkpoint');
      return row?.fresh_at?.getTime() ?? 0;
    };
    const state = { writing: true };
    const writing = (async () => {
      while (state.writing) {
        await registerMerchant();
        await sleep(10);
      }
    })();
    const begun = Date.now();
    await eventually(freshAt, (at) => at > begun + 1_500);
    state.writing = false;
    await writing;
    stop.abort();
    await term;
  });

  it('does not date the views’ freshness in the future if its own clock is a day ahead', async () => {
    const merchantId = await registerMerchant();
    const stop = new AbortController();
    const term = projector('ahead', longMs, new TomorrowsClock()).it.lead(stop.signal);
    await shown(merchantId);
    const [begun] = await views.query<{ now: Date }>('select now() as now');
    const [fresh] = await eventually(
      () =>
        views.query<{ late: boolean; ahead: boolean }>(
          'select fresh_at > $1 as late, fresh_at > clock_timestamp() as ahead from checkpoint',
          [begun?.now],
        ),
      ([row]) => row?.late === true,
    );
    stop.abort();
    await term;
    expect(fresh?.ahead).toBe(false);
  });

  it('is idle while another leads, and takes over when that one is gone', async () => {
    const gone = new Lease(views, {
      name: projectorLease(schema),
      holder: 'gone',
      durationMs: longMs,
    });
    await gone.tryAcquire();
    const standby = projector('standby').it;
    const patience = AbortSignal.timeout(60_000);
    expect(await standby.lead(patience)).toBe('idle');
    expect(patience.aborted).toBe(false);
    await views.query(`update records.leases set expires_at = '-infinity'`);
    const merchantId = await registerMerchant();
    const stop = new AbortController();
    const taken = eventually(
      () => standby.lead(stop.signal).then(() => stop.signal.aborted),
      Boolean,
      { everyMs: 100 },
    );
    await shown(merchantId);
    stop.abort();
    await taken;
  });

  it('writes nothing when it wakes after being frozen past its lease', async () => {
    const frozen = projector('frozen');
    const fence = await frozen.lease.tryAcquire();
    expect(fence).toBeDefined();
    await views.query(
      `update records.leases set holder = 'other', fence = fence + 1 where name = $1`,
      [projectorLease(schema)],
    );
    const patience = AbortSignal.timeout(60_000);
    await expect(frozen.it.lead(patience)).resolves.toBe('idle');
    expect(patience.aborted).toBe(false);
    expect(await frozen.lease.renew()).toBe(false);
    await views.query(`update records.leases set expires_at = '-infinity'`);
  });

  it('counts its failed terms until one succeeds', async () => {
    const { it: failing } = projector('failing');
    const merchantId = await registerMerchant();
    await views.query(`alter table merchants rename to elsewhere`);
    for (const terms of [1, 2, 3]) {
      await expect(failing.lead(AbortSignal.timeout(60_000))).rejects.toThrow('merchants');
      expect(failing.failedTerms).toBe(terms);
    }
    await views.query(`alter table elsewhere rename to merchants`);
    const stop = new AbortController();
    const term = failing.lead(stop.signal);
    await shown(merchantId);
    await eventually(
      () => Promise.resolve(failing.failedTerms),
      (terms) => terms === 0,
    );
    stop.abort();
    await term;
  });

  it('rejects a log that does not contain the last event that the views applied', async () => {
    await views.query(`update checkpoint set event_id = $1`, [randomUUID()]);
    await expect(projector('c').it.lead(AbortSignal.timeout(60_000))).rejects.toThrow(ForeignLog);
  });
});

describe('the checkpoint', () => {
  it('moves once from its position: a second projector’s batch is rejected as a whole', async () => {
    const at = await readCheckpoint(views);
    await views.transaction((tx) => advanceCheckpoint(tx, at, { position: at.position + 1n }));
    await expect(
      views.transaction((tx) => advanceCheckpoint(tx, at, { position: at.position + 2n })),
    ).rejects.toThrow(CheckpointMoved);
    expect((await readCheckpoint(views)).position).toBe(at.position + 1n);
  });
});
