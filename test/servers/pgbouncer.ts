import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '#testing';
import pg from 'pg';
import { requireProgram } from './program.js';

/** The configuration in the how-to, with other addresses, and with roles that Postgres itself knows. */
async function configuration(server: URL, port: number, folder: string): Promise<string> {
  const guide = await readFile('docs/how-to/run-on-real-servers.md', 'utf8');
  const [, text = ''] = /```ini\n(\[databases\]\n[^]*?)```/.exec(guide) ?? [];
  const replacements: readonly (readonly [string, string])[] = [
    ['pesapost = host=db port=5432', `* = host=${server.hostname} port=${server.port}`],
    ['listen_addr = *', 'listen_addr = 127.0.0.1'],
    ['listen_port = 6432', `listen_port = ${port}`],
    ['/etc/pgbouncer/userlist.txt', join(folder, 'userlist.txt')],
    ['default_pool_size = 20', 'default_pool_size = 4'],
  ];
  const replaced = replacements.reduce((given, [from, to]) => {
    if (given.split(from).length !== 2) throw new Error(`the guide does not have "${from}" once`);
    return given.replace(from, to);
  }, text);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? 'user = postgres\n' : '';
  return `${replaced}\nunix_socket_dir =\nauth_user = ${server.username}\n${user}`;
}

/** Debian's PgBouncer in transaction mode, with few sessions of the server for all its clients. */
export class PgBouncer {
  #process: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    /** The database's URL through the pooler. */
    readonly url: string,
  ) {}

  /** @param serverUrl URL of the database, with a superuser: its role reads the passwords of the others */
  static async start(serverUrl: string): Promise<PgBouncer> {
    await requireProgram('pgbouncer');
    const [server, through] = [new URL(serverUrl), new URL(serverUrl)];
    const folder = await mkdtemp(join(tmpdir(), 'pesapost-pgbouncer-'));
    await chmod(folder, 0o711);
    const port = await freePort();
    through.port = String(port);
    const known = `"${server.username}" "${server.password}"\n`;
    await writeFile(join(folder, 'userlist.txt'), known);
    await writeFile(join(folder, 'pgbouncer.ini'), await configuration(server, port, folder));
    const pooler = new PgBouncer(folder, through.href);
    await pooler.start();
    return pooler;
  }

  async start(): Promise<void> {
    const file = join(this.folder, 'pgbouncer.ini');
    const lines: string[] = [];
    const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    this.#process = child;
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${lines.join('')}`);
        return this.asked((client) => client.query('select 1')).then(
          () => true,
          () => false,
        );
      },
      Boolean,
      { withinMs: 60_000 },
    );
  }

  /** Runs the work on a connection of its own to the pooler. */
  async asked<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 30_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** Ends it at once, and its clients' connections with it. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
