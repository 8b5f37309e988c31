import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, inheritedEnvironment, type OwnServers, startOwnServers } from '#testing';
import { compose, dotEnv, environmentIn, interpolated } from '../contract/compose.js';
import { composeCertificate, makeCertificates } from '../servers/compose-certificates.js';
import { makeEventStoreUser } from '../servers/event-store-users.js';
import { Haproxy, rendered } from '../servers/haproxy.js';
import { serveTls } from '../servers/postgres-tls.js';
import { requireProgram } from '../servers/program.js';

export const role = 'pesapost_of_compose';

interface Ports {
  readonly redis: string;
  readonly simulator: string;
  readonly api: string;
  readonly proxy: string;
}

/**
 * The servers of docker-compose.yml without an engine, set up by the repository's own scripts and configurations. Only
 * hosts, ports, folders and the database role are replaced.
 */
export class ComposeServers {
  #redis: ChildProcess | undefined;
  #proxy: Haproxy | undefined;

  private constructor(
    readonly servers: OwnServers,
    readonly folder: string,
    readonly ports: Ports,
  ) {}

  static async start(): Promise<ComposeServers> {
    await requireProgram('psql', 'postgresql-client');
    await requireProgram('curl', 'curl');
    const folder = await mkdtemp(join(tmpdir(), 'pesapost-compose-'));
    // The user of Postgres reads the authority.
    await chmod(folder, 0o711);
    const [redis, simulator, api, proxy] = [
      String(await freePort()),
      String(await freePort()),
      String(await freePort()),
      String(await freePort()),
    ];
    const ports = { redis, simulator, api, proxy };
    const servers = await startOwnServers();
    const started = new ComposeServers(servers, folder, ports);
    await makeCertificates(started.tls, dotEnv['BASE_URL'] ?? '');
    await started.#startEventStore();
    await started.#preparePostgres();
    await started.#startRedis();
    await started.#startProxy();
    return started;
  }

  /** The folder of the certificates. */
  get tls(): string {
    return join(this.folder, 'tls');
  }

  /** Replaces Compose's hosts and folders in a text. */
  here(value: string): string {
    const { host: database } = new URL(this.servers.env.DATABASE_URL);
    const { host: eventStore } = new URL(this.servers.env.EVENTSTORE_URL);
    return interpolated(value)
      .replace('@eventstore:2113', `@${eventStore}`)
      .replace(
        /pesapost(_owner)?:(\w+)@postgres:5432\/pesapost/,
        (_, owner = '', password) => `${role}${owner}:${password}@${database}/${role}`,
      )
      .replace('@redis:6379', `@127.0.0.1:${this.ports.redis}`)
      .replace('http://simulator:8099', `http://127.0.0.1:${this.ports.simulator}`)
      .replace(dotEnv['BASE_URL'] ?? '', `${dotEnv['BASE_URL']}:${this.ports.proxy}`)
      .replace('/authority/', `${this.tls}/authority/`)
      .replace(/^172\.29\.8\d\.\d+$|^proxy$/, '127.0.0.1');
  }

  /** The environment of Redis and of its health check. */
  redisEnvironment(): Record<string, string> {
    return { ...inheritedEnvironment(), ...environmentIn('redis') };
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop();
    const redis = this.#redis;
    if (redis) {
      const ended = once(redis, 'exit');
      redis.kill('SIGTERM');
      await ended;
    }
    await this.servers.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The embedded store, with the certificate and the users of Compose's. */
  async #startEventStore(): Promise<void> {
    const files = composeCertificate(this.tls, 'eventstore');
    const admin = environmentIn('eventstore')['EVENTSTORE_DEFAULT_ADMIN_PASSWORD'] ?? '';
    await this.servers.kill('eventstore');
    await this.servers.start('eventstore', {
      EMBEDDED_EVENTSTORE_TLS_CERT_FILE: files.certificate,
      EMBEDDED_EVENTSTORE_TLS_KEY_FILE: files.key,
      EMBEDDED_EVENTSTORE_USER: `admin:${admin}`,
      EMBEDDED_EVENTSTORE_ORDINARY_USER: `pesapost:${dotEnv['EVENTSTORE_PASSWORD'] ?? ''}`,
    });
    const { EVENTSTORE_ADMIN_URL = '', EVENTSTORE_URL = '' } =
      compose.services['eventstore-user']?.environment ?? {};
    await makeEventStoreUser({
      ...files,
      adminUrl: this.here(EVENTSTORE_ADMIN_URL),
      userUrl: this.here(EVENTSTORE_URL),
    });
  }

  /** Runs docker/postgres-roles.sql as Postgres' image does, then lets in only what docker/pg_hba.conf does. */
  async #preparePostgres(): Promise<void> {
    const file = join(this.folder, 'roles.sql');
    const sql = await readFile('docker/postgres-roles.sql', 'utf8');
    await writeFile(
      file,
      sql.replaceAll(
        /(\b(?:role|database|owner|to)|\\connect) pesapost(?=_owner\b|\b)/g,
        `$1 ${role}`,
      ),
    );
    const { PESAPOST_PASSWORD, PESAPOST_OWNER_PASSWORD } = environmentIn('postgres');
    const env = { ...process.env, PESAPOST_PASSWORD, PESAPOST_OWNER_PASSWORD };
    const { DATABASE_URL } = this.servers.env;
    const words = ['--set=ON_ERROR_STOP=1', '--no-psqlrc', `--file=${file}`, DATABASE_URL];
    await promisify(execFile)('psql', words, { env });
    const hba = rendered(await readFile('docker/pg_hba.conf', 'utf8'), {
      'hostssl pesapost  pesapost,pesapost_owner': `hostssl ${role} ${role},${role}_owner`,
      '172.29.81.0/24': '127.0.0.1/32',
    });
    await serveTls(DATABASE_URL, composeCertificate(this.tls, 'postgres'), hba);
  }

  async #startRedis(): Promise<void> {
    const [program = '', ...words] = compose.services['redis']?.command ?? [];
    await mkdir(join(this.folder, 'redis'));
    this.#redis = spawn(
      program,
      words.map((word) => word.replace('/redis.sh', 'docker/redis.sh')),
      {
        env: {
          ...this.redisEnvironment(),
          REDIS_PORT: this.ports.redis,
          TLS_FOLDER: join(this.tls, 'redis'),
          AUTHORITY_FOLDER: join(this.tls, 'authority'),
          DATA_FOLDER: join(this.folder, 'redis'),
          USERS_FILE: join(this.folder, 'users.acl'),
        },
        stdio: 'ignore',
      },
    );
  }

  async #startProxy(): Promise<void> {
    const configuration = rendered(await readFile('docker/haproxy.cfg', 'utf8'), {
      'bind :443': `bind 127.0.0.1:${this.ports.proxy}`,
      '/tls/pesapost.pem': join(this.tls, 'proxy/pesapost.pem'),
      '172.29.80.3:8080': `127.0.0.1:${this.ports.api}`,
    });
    this.#proxy = await Haproxy.start(this.folder, configuration, Number(this.ports.proxy));
  }
}
