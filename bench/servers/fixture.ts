import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer, RedisServer } from '#infra/local-servers';

interface Stoppable {
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** The shared parts of a run: a folder, and the servers of the service, which start when they are first needed. */
export class Fixture {
  readonly #running: Stoppable[] = [];
  #postgres: Promise<PostgresServer> | undefined;
  #redis: Promise<RedisServer> | undefined;
  #folders = 0;
  #clearing: Promise<void> | undefined;

  private constructor(
    readonly directory: string,
    readonly profile: string | undefined,
    private readonly scale: number,
  ) {}

  /**
   * Makes a new fixture for `work`, and clears it in any case, even at a signal, which ends the process.
   * @param profile folder for CPU profiles of the service's processes
   * @param scale share of the warm-ups and histories that the cases make; 1 to measure
   */
  static async during<T>(
    { profile, scale = 1 }: { readonly profile?: string | undefined; readonly scale?: number },
    work: (fixture: Fixture) => Promise<T>,
  ): Promise<T> {
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-bench-'));
    // If this runs as root, Postgres runs as another user, who needs access.
    await chmod(directory, 0o711);
    const fixture = new Fixture(directory, profile, scale);
    const end = (): void => {
      // The work's connections break while the servers stop.
      process.on('uncaughtException', () => undefined);
      void fixture.clear().finally(() => process.exit(1));
    };
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.once(signal, end);
    try {
      return await work(fixture);
    } finally {
      for (const signal of signals) process.off(signal, end);
      await fixture.clear();
    }
  }

  /** Returns the count for a measurement, or its share in a rehearsal. */
  scaled(count: number): number {
    return Math.ceil(count * this.scale);
  }

  /**
   * True if a case that measures in turns needs another one. A rehearsal has one turn: its turns are so short that a fast
   * machine would need hundreds.
   */
  needsTurn(doneSeconds: number, seconds: number): boolean {
    return doneSeconds === 0 || (this.scale === 1 && doneSeconds < seconds);
  }

  /** Makes a new folder with this name. */
  async folder(name: string): Promise<string> {
    this.#folders += 1;
    const path = join(this.directory, `${name}-${this.#folders}`);
    await mkdir(path);
    return path;
  }

  async redis(): Promise<RedisServer> {
    this.#redis ??= RedisServer.start({
      dataDir: this.directory,
      logFile: join(this.directory, 'redis.log'),
      onInstall: (what) => process.stderr.write(`installing ${what}\n`),
    }).then((server) => this.keep(server));
    return this.#redis;
  }

  async postgres(): Promise<PostgresServer> {
    this.#postgres ??= PostgresServer.start({
      dataDir: this.directory,
      logFile: join(this.directory, 'postgres.log'),
    }).then((server) => this.keep(server));
    return this.#postgres;
  }

  /** Makes an empty database with this name. @returns its URL */
  async database(name: string): Promise<string> {
    const { url: server } = await this.postgres();
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    try {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name}`);
    } finally {
      await client.end();
    }
    const url = new URL(server);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Clears once: a signal makes the work fail, which would clear, and end the process, before the servers stopped. */
  private clear(): Promise<void> {
    this.#clearing ??= this.stopAndRemove();
    return this.#clearing;
  }

  /** Stops the run's servers, newest first, and removes its folder. */
  private async stopAndRemove(): Promise<void> {
    for (const server of this.#running.splice(0).reverse()) await server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Stops the server at the run's end if it was not stopped before. */
  keep<Server extends Stoppable>(server: Server): Server {
    this.#running.push(server);
    return server;
  }
}
