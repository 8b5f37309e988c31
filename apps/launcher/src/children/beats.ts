import { beat, type Beating, beatingOf, Database, endBeating } from '#infra/postgres';
import { createLogger, Loop, type Metrics, packageDirectory, withDeadline } from '#infra/runtime';
import { type Processes } from './processes.js';

export interface BeatsOptions {
  readonly databaseUrl: string;
  readonly adminPort: number;
  readonly processes: Pick<Processes, 'mute'>;
  readonly metrics: Metrics;
}

const everyMs = 2000;
const deadlineMs = 4000;

/** Writes the heartbeats of the launcher and of the children that have no connection to the records (OPS-50). */
export class Beats {
  readonly #options: BeatsOptions;
  readonly #database: Database;
  readonly #loop: Loop;
  /** By the process's name; a new pid means a new run. */
  readonly #known = new Map<string, Beating>();

  private constructor(options: BeatsOptions) {
    this.#options = options;
    // A person at the terminal reads the launcher's own lines. The metric of loops shows that heartbeats fail.
    const logger = createLogger({ app: 'launcher', level: 'silent' });
    this.#database = new Database({
      url: options.databaseUrl,
      app: 'launcher',
      logger,
      poolSize: 1,
    });
    this.#loop = new Loop({
      name: 'heartbeat',
      step: async () => {
        await withDeadline(this.#beatAll(), deadlineMs, 'the launcher cannot beat');
        return 'idle';
      },
      idleMs: everyMs,
      maxBackoffMs: everyMs,
      logger,
      metrics: options.metrics,
    });
  }

  static start(options: BeatsOptions): Beats {
    const beats = new Beats(options);
    beats.#loop.start();
    return beats;
  }

  /** Ends the heartbeats. An unavailable server cannot delay the stop, because each step has a deadline. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const ended = Promise.all(
      [...this.#known.values()].map((of) => endBeating(this.#database, of)),
    );
    await withDeadline(ended, 1000, 'no last beat').catch(() => undefined);
    await withDeadline(this.#database.close(), 1000, 'not closed').catch(() => undefined);
  }

  async #beatAll(): Promise<void> {
    const all = [{ process: 'launcher', pid: process.pid }, ...this.#options.processes.mute];
    for (const { process: app, pid } of all) await beat(this.#database, this.#of(app, pid));
  }

  #of(app: string, pid: number): Beating {
    const known = this.#known.get(app);
    if (known?.pid === pid) return known;
    const program = packageDirectory('dist', 'apps', app, 'src', 'main.js');
    const beating = beatingOf(app, this.#options.adminPort, { pid, program });
    this.#known.set(app, beating);
    return beating;
  }
}
