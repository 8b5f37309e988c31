import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { answeredOf } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, postedPerSecond, type Round } from '../load/lifecycles.js';
import {
  type BenchCase,
  type Conditions,
  type Cost,
  type Findings,
  measurement,
} from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { type Service, startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { addUp, costOf } from '../servers/usage.js';
import { sumOf } from '../statistics.js';

const turn = { seconds: 10, rampSeconds: 3 };
const replicasCompared = 2;
const lookEveryMs = 100;

/** Compares a service of two APIs and two workers with one of a single API and worker. */
export const replicas: BenchCase = {
  name: 'replicas',
  seconds: 40,
  about:
    'Processor time of a collection, from the signed create to the balance, with two APIs and two workers. The floor is one API and one worker, by turns on the same machine. `replicas_rate` is the collections a second of both.',
  run: async ({ fixture, seconds }: Conditions): Promise<Findings> => {
    const load = new LoadGenerator();
    const one = await Variant.begin(fixture, load, 1);
    const many = await Variant.begin(fixture, load, replicasCompared);
    try {
      for (const variant of [one, many]) await variant.lifecycles.warmUp(fixture);
      for (let left = seconds; left > 0; left -= turn.seconds)
        for (const variant of [one, many]) await variant.run(Math.min(left, turn.seconds));
      return findingsOf(one, many);
    } finally {
      load.stop();
      for (const variant of [one, many]) await variant.end();
    }
  },
};

/** A service with a number of APIs and workers, and its rounds so far. */
class Variant {
  readonly rounds: Round[] = [];
  /** The most connections to its database, and the looks at which one of them waited for a lock. */
  readonly database = { connections: 0, looks: 0, waits: 0 };

  private constructor(
    readonly service: Service,
    readonly lifecycles: Lifecycles,
    private readonly ledger: { close(): Promise<void> },
    private readonly observer: pg.Client,
  ) {}

  static async begin(fixture: Fixture, load: LoadGenerator, replicas: number): Promise<Variant> {
    const service = await startService(fixture, {}, { replicas });
    const ledger = await openServiceLedger(service);
    const observer = new pg.Client({ connectionString: service.databaseUrl });
    await observer.connect();
    const lifecycles = new Lifecycles(ledger, service.merchant, load);
    return new Variant(service, lifecycles, ledger, observer);
  }

  /** The number of APIs, and of workers. */
  get replicas(): number {
    return this.service.replicaPorts.length + 1;
  }

  async run(seconds: number): Promise<void> {
    let isRunning = true;
    const observing = this.#observe(() => isRunning);
    this.rounds.push(...(await this.lifecycles.run(seconds, turn.rampSeconds)));
    isRunning = false;
    await observing;
  }

  async #observe(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      const { rows } = await this.observer.query<{ connections: number; waits: number }>(observe);
      const [{ connections, waits } = { connections: 0, waits: 0 }] = rows;
      this.database.connections = Math.max(this.database.connections, connections);
      this.database.looks += 1;
      if (waits > 0) this.database.waits += 1;
      await sleep(lookEveryMs);
    }
  }

  cost(): Cost {
    const name = `${this.replicas} ${this.replicas === 1 ? 'API and worker' : 'APIs and workers'}`;
    const pieces = answeredOf(this.rounds.map(({ burst }) => burst));
    return costOf(name, addUp(this.rounds.map(({ spent }) => spent)), pieces);
  }

  async end(): Promise<void> {
    await this.observer.end();
    await this.ledger.close();
    await this.service.stop();
  }
}

const observe = `
  select count(*)::int as connections, (count(*) filter (where wait_event_type = 'Lock'))::int as waits
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

function findingsOf(one: Variant, many: Variant): Findings {
  const [floor, value] = [one.cost(), many.cost()];
  const total = ({ ms }: Cost): number => sumOf(Object.values(ms), (its) => its);
  const anon_mb = Math.max(...many.rounds.map(({ anonMb }) => anonMb ?? 0)) || null;
  return {
    measurements: [
      measurement({
        name: 'replicas_cpu',
        value: total(value),
        unit: 'ms',
        floor: total(floor),
        anon_mb,
      }),
      measurement({
        name: 'replicas_rate',
        value: postedPerSecond(many.rounds),
        unit: 'collections/s',
        floor: postedPerSecond(one.rounds),
        anon_mb,
      }),
    ],
    notes: [one, many].map(
      ({ replicas: count, database: { connections, looks, waits } }) =>
        `replicas: ${count} of each: ${connections} connections to Postgres at most; at ${waits} of ${looks} looks one of them waited for a lock`,
    ),
    costs: [floor, value],
  };
}
