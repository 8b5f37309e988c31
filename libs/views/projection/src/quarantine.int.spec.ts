import { type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { merchantStream } from '#domain/merchants';
import { Database, Lease } from '#infra/postgres';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import {
  eventually,
  HandMadeLog,
  History,
  LogWithFaults,
  patientPool,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { createViews, quarantines, readCheckpoint, requestRetry } from '#views/view-set';
import { findBalance } from '#views/balances';
import { listTransactions } from '#views/transactions';
import { Projector } from './projector.js';
import { projectorLease, SqlViews } from './sql-views.js';
import { verifyViews } from '#views/verification';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop(), 30_000);

const logger = createLogger({ app: 'spec', level: 'fatal' });
const patience = { withinMs: 120_000 };
const bound = { maxAgeMs: 3_600_000 };

/** A history, the views that a projector without faults would make, and those of a projector that follows it. */
class Scene {
  readonly store: LogWithFaults;

  private constructor(
    readonly clean: History,
    readonly log: HandMadeLog,
    readonly views: Database,
    private readonly schema: string,
  ) {
    this.store = new LogWithFaults(log);
  }

  static async begin(): Promise<Scene> {
    const log = new HandMadeLog();
    const clean = await History.begin(server, log);
    const schema = `views_quarantine_${randomBytes(4).toString('hex')}`;
    await createViews(server.database, schema);
    const options = {
      ...patientPool,
      url: server.url,
      app: 'spec',
      logger,
      searchPath: [schema],
      poolSize: 4,
    };
    return new Scene(clean, log, new Database({ ...options, isPipelined: true }), schema);
  }

  async end(): Promise<void> {
    await this.clean.database.close();
    await this.views.close();
  }

  /** Runs a projector while the work lasts. */
  async projecting(work: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const lease = new Lease(this.views, {
      name: projectorLease(this.schema),
      holder: randomBytes(4).toString('hex'),
    });
    const [clock, timer, metrics] = [new SystemClock(), new SystemTimer(), new Metrics()];
    const views = new SqlViews(this.views, { schema: this.schema });
    const options = { store: this.store, views, quarantined: views.quarantined };
    const term = new Projector({ ...options, lease, clock, timer, metrics }).lead(stop.signal);
    // If the term ends early, report its error.
    const ended = term.then(() => {
      if (!stop.signal.aborted) throw new Error('the term ended');
    });
    try {
      await Promise.race([work(), ended]);
    } finally {
      stop.abort();
    }
    await term;
  }

  /** Waits until the views contain all that is visible of the log, except for quarantined events. */
  async caughtUp(): Promise<void> {
    const head = await this.store.head();
    await eventually(
      () => readCheckpoint(this.views),
      ({ position }) => position === head,
      patience,
    );
  }

  async resumed(): Promise<void> {
    await requestRetry(this.views);
    await eventually(
      () => quarantines(this.views),
      (all) => all.every(({ retryRequestedAt }) => retryRequestedAt === undefined),
      patience,
    );
    await eventually(
      () => this.views.query<{ waits: boolean }>(linksWait),
      ([checkpoint]) => checkpoint?.waits === false,
      patience,
    );
  }
}

/** True if ledger entries still need links although no quarantine is left. */
const linksWait = 'select unlinked and quarantined = 0 as waits from checkpoint';

/** All rows of all views, except those about the projection's own progress. */
async function rowsOf(database: Database): Promise<Record<string, string[]>> {
  const tables = await database.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema() order by 1',
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await database.query<{ row: string }>(
      `select (to_jsonb(t) - 'fresh_at')::text as row from ${name} t order by 1`,
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

const merchants = ['m-1', 'm-2'] as const;
const modes = ['demo', 'live'] as const;
const fates = ['pay', 'decline', 'suspend', 'flag', 'wait', 'fee'] as const;
type Step = readonly [(typeof merchants)[number], (typeof modes)[number], (typeof fates)[number]];

async function write(history: History, log: HandMadeLog, steps: readonly Step[]): Promise<void> {
  for (const [index, [merchant, mode, fate]] of steps.entries()) {
    if (fate === 'fee') {
      const data = { mode, basisPoints: index, flatMinor: 1n };
      log.append(merchantStream(merchant), { type: 'FeeScheduleSet', data });
      continue;
    }
    const stream = await history.intend(`R${index}`, merchant, mode);
    history.accept(stream);
    if (fate !== 'wait') history[fate](stream);
  }
}

const steps = fc.array(
  fc.tuple(fc.constantFrom(...merchants), fc.constantFrom(...modes), fc.constantFrom(...fates)),
  { minLength: 3, maxLength: 12 },
);

describe('an event that cannot be applied', () => {
  it('leaves, once repaired, the same tables as a projection that never met it', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        async (drawn, faults, shown) => {
          const scene = await Scene.begin();
          try {
            await write(scene.clean, scene.log, drawn);
            await scene.clean.project(7);
            const { events } = scene.log;
            const { unreadable } = scene.store;
            for (const fault of faults)
              unreadable.add((events[fault % events.length] as RecordedEvent).position);
            // The rest arrives while the merchant is quarantined, or while it resumes.
            scene.store.visible = shown % events.length;
            await scene.projecting(async () => {
              await scene.caughtUp();
              const [first] = unreadable;
              if (first !== undefined) unreadable.delete(first);
              await requestRetry(scene.views);
              scene.store.visible = Number.POSITIVE_INFINITY;
              await scene.caughtUp();
              await scene.resumed();
              unreadable.clear();
              await scene.resumed();
            });
            expect(await quarantines(scene.views)).toEqual([]);
            expect(await rowsOf(scene.views)).toEqual(await rowsOf(scene.clean.database));
          } finally {
            await scene.end();
          }
        },
      ),
      { numRuns: 6 },
    );
  });

  it('quarantines only its own merchant and mode, and is named in the quarantine', async () => {
    const scene = await Scene.begin();
    const { clean, store, views } = scene;
    const [bad, good, other] = [
      await clean.intend('bad', 'm-1', 'demo'),
      await clean.intend('good', 'm-2', 'demo'),
      await clean.intend('other', 'm-1', 'live'),
    ];
    for (const stream of [bad, good, other]) clean.pay(stream);
    const fault = scene.log.events.find(
      ({ stream, type }) => stream === bad && type === 'WalletPosted',
    );
    if (!fault) throw new Error('the history has no posting');
    store.unreadable.add(fault.position);
    const listOf = (merchantId: string, mode: 'demo' | 'live') =>
      listTransactions(views, { merchantId, mode, dateField: 'created_at', limit: 10 }, bound);
    await scene.projecting(async () => {
      await scene.caughtUp();
      await eventually(
        () => views.query('select 1 from checkpoint where fresh_at is not null'),
        (rows) => rows.length === 1,
        patience,
      );
      await clean.intend('later', 'm-1', 'demo');
      await scene.caughtUp();
    });
    expect(await quarantines(views)).toMatchObject([
      {
        merchantId: 'm-1',
        scope: 'demo',
        position: fault.position,
        stream: bad,
        type: 'WalletPosted',
        eventId: fault.id,
        retries: 0,
      },
    ]);
    const quarantined = { name: 'MerchantQuarantined', code: 'merchant_quarantined' };
    await expect(listOf('m-1', 'demo')).rejects.toMatchObject(quarantined);
    const account = { merchantId: 'm-1', mode: 'demo', accountNo: '1001' } as const;
    await expect(findBalance(views, account, bound)).rejects.toMatchObject(quarantined);
    expect((await listOf('m-2', 'demo')).items).toMatchObject([{ status: 'completed' }]);
    expect((await listOf('m-1', 'live')).items).toMatchObject([{ status: 'completed' }]);
    for (const maxHeld of [1, 1000]) {
      const options = { store, database: views, maxNamed: 10, maxHeld };
      expect(await verifyViews(options)).toMatchObject({
        differences: 0,
        named: [],
        quarantined: 2,
        quarantines: [{ merchantId: 'm-1' }],
      });
    }
    await scene.end();
  });

  it.each([
    ['demo', 'live'],
    ['live', 'demo'],
  ] as const)(
    'in each mode of one merchant, %s’s first, resumes each mode from its own position',
    async (first, second) => {
      const scene = await Scene.begin();
      const { clean, log, store, views } = scene;
      const paid = async (reference: string, mode: Mode): Promise<bigint> => {
        const stream = await clean.intend(reference, 'm-1', mode);
        clean.accept(stream);
        clean.pay(stream);
        return log.events.at(-1)?.position ?? 0n;
      };
      await paid('A', first);
      const firstFault = await paid('B', first);
      // Applied while the first mode is quarantined. The retry reads it again, since it begins at the first fault.
      await paid('C', second);
      const secondFault = await paid('D', second);
      await paid('E', first);
      await paid('F', second);
      await clean.project();
      store.unreadable.add(firstFault).add(secondFault);
      try {
        await scene.projecting(async () => {
          await scene.caughtUp();
          expect(await quarantines(views)).toMatchObject([
            { merchantId: 'm-1', scope: first, position: firstFault },
            { merchantId: 'm-1', scope: second, position: secondFault },
          ]);
          store.unreadable.clear();
          await scene.resumed();
        });
        expect(await quarantines(views)).toEqual([]);
        expect(await rowsOf(views)).toEqual(await rowsOf(clean.database));
      } finally {
        await scene.end();
      }
    },
  );

  it('blocks no other merchant even if Postgres cannot store its reason as it is', async () => {
    const scene = await Scene.begin();
    const { clean, log, store, views } = scene;
    clean.pay(await clean.intend('bad', 'm-1', 'demo'));
    store.unreadable.add(log.events.at(-1)?.position ?? 0n);
    // An error that names a value repeats it. If a surrogate pair is cut in two, half of it is left.
    store.why = `not an amount: 1\u0000${'😀'.repeat(300)}`;
    await clean.intend('next', 'm-2', 'demo');
    await scene.projecting(() => scene.caughtUp());
    expect(await quarantines(views)).toMatchObject([
      { merchantId: 'm-1', why: expect.stringContaining('not an amount: 1\ufffd') },
    ]);
    await scene.end();
  });

  it('does not block a starting projector if it is the last event in the views', async () => {
    const scene = await Scene.begin();
    const { clean, log, store, views } = scene;
    clean.pay(await clean.intend('bad', 'm-1', 'demo'));
    store.unreadable.add(log.events.at(-1)?.position ?? 0n);
    await scene.projecting(() => scene.caughtUp());
    expect(await quarantines(views)).toHaveLength(1);
    await clean.intend('next', 'm-2', 'demo');
    await scene.projecting(() => scene.caughtUp());
    await scene.end();
  });

  it('is found among a thousand if Postgres rejects it, and is applied once Postgres accepts it', async () => {
    const scene = await Scene.begin();
    const { clean, views } = scene;
    for (let n = 0; n < 400; n += 1) {
      const stream = await clean.intend(`R${n}`, n % 2 === 0 ? 'm-1' : 'm-2');
      clean.accept(stream);
      clean.pay(stream);
    }
    await views.query(`alter table transactions add constraint poison check (receipt <> 'RR300')`);
    await scene.projecting(async () => {
      await scene.caughtUp();
      expect(await quarantines(views)).toMatchObject([
        { merchantId: 'm-1', scope: 'demo', type: 'RailConfirmed' },
      ]);
      await scene.resumed();
      expect(await quarantines(views)).toMatchObject([{ merchantId: 'm-1', retries: 1 }]);
      await views.query('alter table transactions drop constraint poison');
      await scene.resumed();
    });
    await clean.project();
    expect(await rowsOf(views)).toEqual(await rowsOf(clean.database));
    await scene.end();
  });
});
