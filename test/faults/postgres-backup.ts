import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, type OwnServers, startOwnServers } from '#testing';
import pg from 'pg';

const run = promisify(execFile);

/** Runs the work on a connection of its own. */
export async function asked<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the folder of the server's data. */
export async function clusterOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  return rows[0]?.data_directory ?? '';
}

/**
 * Copies the files of a running server as Postgres' manual describes it, between `pg_backup_start` and `pg_backup_stop`.
 * @param signal the file that makes the copy recover, or follow its primary
 */
export async function copyCluster(
  url: string,
  copy: string,
  signal: 'recovery.signal' | 'standby.signal',
): Promise<void> {
  await asked(url, async (client) => {
    const cluster = await clusterOf(client);
    await client.query(`select pg_backup_start('spec', fast => true)`);
    // Files may go while they are copied; the log brings what is missing.
    await run('cp', ['--archive', cluster, copy]).catch(() => undefined);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => true)',
    );
    await writeFile(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
    await rm(join(copy, 'postmaster.pid'), { force: true });
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await mkdir(join(copy, 'pg_wal'), { mode: 0o700 });
    await writeFile(join(copy, signal), '');
    const { uid, gid } = await stat(cluster);
    for (const name of ['.', 'pg_wal', 'backup_label', signal])
      await chown(join(copy, name), uid, gid);
  });
}

/**
 * Servers whose Postgres archives its write-ahead log, so that a copy of its files can be brought up to a moment.
 */
export class ArchivedServers {
  private constructor(
    readonly servers: OwnServers,
    private readonly directory: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<ArchivedServers> {
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-archive-'));
    await chmod(directory, 0o711);
    const archive = join(directory, 'wal');
    await mkdir(archive);
    const settings = {
      wal_level: 'replica',
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f`,
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_action: 'promote',
    };
    const own = new ArchivedServers(await startOwnServers(settings), directory, settings);
    await own.#ownArchive(archive);
    return own;
  }

  /** Under root, Postgres runs as another user, who writes the archive. */
  async #ownArchive(archive: string): Promise<void> {
    const { uid, gid } = await stat(await this.#cluster());
    await chown(archive, uid, gid);
  }

  async backUp(): Promise<void> {
    await copyCluster(this.servers.env.DATABASE_URL, this.#copy(), 'recovery.signal');
  }

  /** Returns the moment up to which everything so far can be restored. */
  async now(): Promise<string> {
    return this.#query(async (client) => {
      const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now');
      return rows[0]?.now ?? '';
    });
  }

  /** Ends the server, loses its files, and restores the backup up to the moment. */
  async restoreTo(moment: string): Promise<void> {
    const cluster = await this.#cluster();
    await this.#archiveAll();
    await this.servers.kill('postgres');
    // The killed server's archiver may still write for a moment.
    await rm(cluster, { recursive: true, maxRetries: 20, retryDelay: 100 });
    await run('cp', ['--archive', this.#copy(), cluster]);
    await this.servers.start('postgres', { ...this.settings, recovery_target_time: moment });
    await eventually(
      () =>
        this.#query(async (client) => {
          const { rows } = await client.query<{ recovers: boolean }>(
            'select pg_is_in_recovery() as recovers',
          );
          return rows[0]?.recovers;
        }).catch(() => true),
      (recovers) => recovers === false,
      { withinMs: 60_000 },
    );
  }

  /** The part of the log that is being written is archived when it is full, or when a person asks for it. */
  async #archiveAll(): Promise<void> {
    await this.#query(async (client) => {
      const { rows } = await client.query<{ file: string }>(
        'select pg_walfile_name(pg_switch_wal()) as file',
      );
      const file = join(this.directory, 'wal', rows[0]?.file ?? '');
      await eventually(
        () =>
          readFile(file).then(
            () => true,
            () => false,
          ),
        Boolean,
      );
    });
  }

  async stop(): Promise<void> {
    await this.servers.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  #copy(): string {
    return join(this.directory, 'base');
  }

  #cluster(): Promise<string> {
    return this.#query(clusterOf);
  }

  #query<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return asked(this.servers.env.DATABASE_URL, work);
  }
}
