import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type BenchCase } from '../measurement.js';
import { byTurns, compared, type Variant } from './variants.js';

const replicasCompared = 2;
const lookEveryMs = 100;

/** Compares a service of two APIs and two workers with one of a single API and worker. */
export const replicas: BenchCase = {
  name: 'replicas',
  seconds: 40,
  about:
    'Processor time of a collection, from the signed create to the balance, with two APIs and two workers. The floor is one API and one worker, by turns on the same machine. `replicas_rate` is the collections a second of both.',
  run: (conditions) => {
    const seen = new Map<Variant, Connections>();
    return byTurns(
      conditions,
      [
        { name: '1 API and worker' },
        { name: `${replicasCompared} APIs and workers`, replicas: replicasCompared },
      ],
      async (variant, run) => {
        const connections = seen.get(variant) ?? new Connections();
        seen.set(variant, connections);
        await connections.during(variant.service.databaseUrl, run);
      },
      (floor, value) => ({
        measurements: compared('replicas', floor, value),
        notes: [...seen].map(([{ name }, connections]) => `replicas: ${name}: ${connections.text}`),
        costs: [floor.cost(), value.cost()],
      }),
    );
  },
};

const observe = `
  select count(*)::int as connections, (count(*) filter (where wait_event_type = 'Lock'))::int as waits
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

/** The most connections to a database, and the looks at which one of them waited for a lock. */
class Connections {
  #most = 0;
  #looks = 0;
  #waits = 0;

  get text(): string {
    return `${this.#most} connections to Postgres at most; at ${this.#waits} of ${this.#looks} looks one of them waited for a lock`;
  }

  async during(databaseUrl: string, run: () => Promise<void>): Promise<void> {
    const observer = new pg.Client({ connectionString: databaseUrl });
    await observer.connect();
    let isRunning = true;
    const running = run().finally(() => {
      isRunning = false;
    });
    const look = async (): Promise<void> => {
      while (isRunning) {
        await this.#look(observer);
        await sleep(lookEveryMs);
      }
    };
    try {
      await Promise.all([running, look()]);
    } finally {
      await observer.end();
    }
  }

  async #look(observer: pg.Client): Promise<void> {
    const { rows } = await observer.query<{ connections: number; waits: number }>(observe);
    const [{ connections, waits } = { connections: 0, waits: 0 }] = rows;
    this.#most = Math.max(this.#most, connections);
    this.#looks += 1;
    if (waits > 0) this.#waits += 1;
  }
}
