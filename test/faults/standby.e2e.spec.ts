import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PostgresServer, freePort } from '#infra/local-servers';
import {
  eventually,
  FaultyLink,
  MerchantClient,
  type OwnServers,
  type Service,
  spawnChild,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Certificate, certificateIn } from '../servers/certificates.js';
import { serveTls } from '../servers/postgres-tls.js';
import { expectAgreement, settled } from './agreed.js';
import { underLoad } from './load.js';
import { asked, copyCluster } from './postgres-backup.js';
import { steadyAgain } from './steady.js';

/**
 * A primary and its synchronous standby, both with TLS that the service verifies. Lists come from the standby. Then the
 * primary is killed under load, the standby is promoted, and the address leads to it.
 */
let folder: string;
let certificate: Certificate;
let servers: OwnServers;
let standby: PostgresServer;
let link: FaultyLink;
let service: Service;
/** The API whose lists come from the standby. */
let reader: MerchantClient;

const withTls = (url: string, authority = certificate.authority): string =>
  `${url}?sslmode=verify-full&sslrootcert=${authority}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-standby-'));
  // The standby's user reads the authority.
  await chmod(folder, 0o711);
  certificate = await certificateIn(folder, 'postgres');
  servers = await startOwnServers({
    wal_level: 'replica',
    max_wal_senders: '4',
    hot_standby: 'on',
  });
  await serveTls(servers.env.DATABASE_URL, certificate);
  standby = await startStandby();
  await asked(servers.env.DATABASE_URL, async (client) => {
    await client.query(`alter system set synchronous_standby_names = 'standby'`);
    await client.query('select pg_reload_conf()');
  });
  link = await FaultyLink.to(servers.env.DATABASE_URL);
  service = await startService({
    ...servers.env,
    DATABASE_URL: withTls(link.through(servers.env.DATABASE_URL)),
  });
  const child = await service.startReplica('api', { DATABASE_READ_URL: withTls(standby.url) });
  reader = service.merchant.at(`http://127.0.0.1:${String(child.ports.port)}`);
}, 300_000);
afterAll(async () => {
  await service.stop();
  await link.close();
  await standby.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startStandby(): Promise<PostgresServer> {
  const primary = new URL(servers.env.DATABASE_URL);
  // Beside the primary's own folder, so that its user may enter it.
  const dataDir = join(dirname(servers.eventStoreDirectory), 'standby');
  await mkdir(dataDir);
  await chmod(dataDir, 0o711);
  await writeFile(join(dataDir, 'postgres.password'), primary.password, { mode: 0o600 });
  await copyCluster(primary.href, join(dataDir, 'postgres'), 'standby.signal');
  const conninfo = [
    `host=${primary.hostname} port=${primary.port} user=${primary.username}`,
    `password=${primary.password} application_name=standby`,
    `sslmode=verify-full sslrootcert=${certificate.authority}`,
    // No certificate of its own: otherwise libpq looks in the home of the user who started it, which it cannot enter.
    `sslcert=${join(folder, 'none')}`,
  ].join(' ');
  return PostgresServer.start({
    dataDir,
    logFile: join(folder, 'standby.log'),
    port: await freePort(),
    settings: {
      max_connections: '200',
      max_wal_senders: '4',
      wal_level: 'replica',
      hot_standby: 'on',
      hot_standby_feedback: 'on',
      primary_conninfo: conninfo,
    },
  });
}

const list = (client: MerchantClient, position?: string) =>
  client.send('GET', '/api/v4/transactions?limit=100', {
    ...(position !== undefined && { headers: { 'x-pp-min-position': position } }),
  });

describe('TLS', () => {
  it('is verified on every connection of the service', async () => {
    const { rows } = await asked(servers.env.DATABASE_URL, (client) =>
      client.query<{ ssl: boolean; count: string }>(
        `select ssl, count(*)::text from pg_stat_ssl join pg_stat_activity using (pid)
           where application_name like 'pesapost%' or application_name in ('api', 'worker', 'projector')
           group by ssl`,
      ),
    );
    expect(rows.map(({ ssl }) => ssl)).toEqual([true]);
  });

  it('with another authority stops the start in one line, which says why', async () => {
    const other = await certificateIn(folder, 'other');
    const process = spawnChild('projector', {
      ...service.env,
      DATABASE_URL: withTls(servers.env.DATABASE_URL, other.authority),
      ADMIN_PORT: '0',
    });
    expect(await process.ended).toBe(1);
    const last = JSON.parse(process.lines.at(-1) ?? '{}') as { readonly msg?: string };
    expect(last.msg).toMatch(/certificate/);
  });
});

describe('lists from a standby', () => {
  it('are as new as the position that the caller names, or 503', async () => {
    const created = await service.merchant.collect({ reference: 'listed' });
    const position = created.headers.get('x-pp-ledger-position') ?? '';
    const shown = await eventually(
      () => list(reader, position),
      ({ status }) => status === 200,
    );
    expect(JSON.stringify(shown.body)).toContain('"listed"');
  });

  it('are refused while the standby is behind, and served again once it has caught up', async () => {
    await asked(standby.url, (client) => client.query('select pg_wal_replay_pause()'));
    const created = await service.merchant.collect({ reference: 'behind' });
    const position = created.headers.get('x-pp-ledger-position') ?? '';
    await eventually(
      () => list(service.merchant, position),
      ({ status }) => status === 200,
    );
    const refused = await list(reader, position);
    expect(refused).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    await asked(standby.url, (client) => client.query('select pg_wal_replay_resume()'));
    const shown = await eventually(
      () => list(reader, position),
      ({ status }) => status === 200,
    );
    expect(JSON.stringify(shown.body)).toContain('"behind"');
  });
});

it('a primary killed under load: the standby takes over, and nothing that was acknowledged is lost', async () => {
  const sinceMs = performance.now();
  const { references } = await underLoad(
    { name: 'failover', forMs: 9000, atLeast: 30, merchants: [service.merchant] },
    async () => {
      await servers.kill('postgres');
      await asked(standby.url, (client) => client.query('select pg_promote()'));
      link.turnTo(standby.url);
    },
  );
  await steadyAgain(service, sinceMs);
  const found = await settled(service, references);
  expectAgreement(found, references);
}, 300_000);
