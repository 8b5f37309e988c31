import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventually,
  type OwnServers,
  type Service,
  type Spawned,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Certificate, certificateIn } from '../servers/certificates.js';
import { makeEventStoreUser } from '../servers/event-store-users.js';
import { isReady } from '../servers/balancer.js';

/**
 * The service on an event store with TLS and a password, as the user with the fewest rights. Its certificate is then
 * replaced by wrong ones while the service runs, and by the right one again.
 */
const apps = ['api', 'projector', 'worker'] as const;
const [user, password] = ['pesapost', 'pl4in'];

let folder: string;
let right: Certificate;
let servers: OwnServers;
let service: Service;
let users: Awaited<ReturnType<typeof makeEventStoreUser>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-store-tls-'));
  right = await certificateIn(folder, 'right');
  servers = await startOwnServers();
  await serve(right);
  users = await makeEventStoreUser({
    ...right,
    adminUrl: urlOf('admin:changeit'),
    userUrl: urlOf(`${user}:${password}`),
  });
  service = await startService({
    ...servers.env,
    EVENTSTORE_URL: urlOf(`${user}:${password}`),
  });
}, 300_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the store again, with another certificate. */
async function serve({ certificate, key }: Certificate): Promise<void> {
  await servers.kill('eventstore');
  await servers.start('eventstore', {
    EMBEDDED_EVENTSTORE_TLS_CERT_FILE: certificate,
    EMBEDDED_EVENTSTORE_TLS_KEY_FILE: key,
    EMBEDDED_EVENTSTORE_USER: 'admin:changeit',
    EMBEDDED_EVENTSTORE_ORDINARY_USER: `${user}:${password}`,
  });
}

function urlOf(credentials: string, authority = right.authority): string {
  const { host } = new URL(servers.env.EVENTSTORE_URL);
  return `esdb://${credentials}@${host}?tls=true&tlsCAFile=${encodeURIComponent(authority)}`;
}

const collect = (reference: string) => service.merchant.collect({ reference });

async function completed(reference: string): Promise<void> {
  await eventually(
    () => service.merchant.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed',
  );
}

/** The lines about the certificate that a process wrote since it had this many. */
function reported({ lines }: Spawned, since: number): readonly string[] {
  return lines
    .slice(since)
    .filter((line) => line.includes('"certificate_refused"'))
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
}

it('a collection is paid and posted over TLS, with the rights of the least privileged user', async () => {
  expect((await collect('over-tls')).status).toBe(202);
  await completed('over-tls');
});

it('docker/eventstore-user.mjs creates that user as the admin, and a second run changes nothing', () => {
  const authorization = `Basic ${Buffer.from('admin:changeit').toString('base64')}`;
  const body = { loginName: user, fullName: 'PesaPost', groups: [], password };
  expect(users).toEqual([
    { authorization, body },
    { authorization, body },
  ]);
});

describe('a certificate that is replaced while the service runs', () => {
  it.each([
    ['has expired', { days: -1 }, /expired \(its own end: .*install a new one there/],
    [
      'names another host',
      { names: 'DNS:node1.example' },
      /names DNS:node1\.example, not 127\.0\.0\.1: write a host that it names/,
    ],
  ] as const)(
    'and %s: each process reports it in one line, and recovers by itself',
    async (name, differs, line) => {
      const running = apps.map((app) => service.child(app));
      const before = running.map(({ lines }) => lines.length);
      await serve(await certificateIn(folder, name, { ...differs, beside: right }));
      for (const [index, child] of running.entries()) {
        const said = await eventually(
          async () => {
            expect(await isReady(child)).toBe(false);
            return reported(child, before[index] ?? 0);
          },
          ({ length }) => length > 0,
          { everyMs: 500 },
        );
        expect(said).toEqual([expect.stringMatching(line)]);
      }
      expect((await collect(name.replaceAll(' ', '-'))).status).toBe(503);
      await serve(right);
      for (const child of running) await eventually(() => isReady(child), Boolean);
      expect(running.map((child, index) => reported(child, before[index] ?? 0).length)).toEqual([
        1, 1, 1,
      ]);
      const again = `${name.replaceAll(' ', '-')}-again`;
      expect((await collect(again)).status).toBe(202);
      await completed(again);
    },
  );
});

it('an authority missing from the file: each process waits, and continues once the file has it', async () => {
  const other = await certificateIn(folder, 'other');
  const file = join(folder, 'authority.pem');
  await cp(other.authority, file);
  const EVENTSTORE_URL = urlOf(`${user}:${password}`, file);
  const started = await Promise.all(
    apps.map((app) => service.startReplica(app, { EVENTSTORE_URL })),
  );
  for (const child of started) {
    const said = await eventually(
      () => Promise.resolve(reported(child, 0)),
      ({ length }) => length > 0,
    );
    expect(said).toEqual([
      expect.stringMatching(/"authority of right", which is not in .*authority\.pem.*put the/),
    ]);
    expect(await isReady(child)).toBe(false);
    expect(child.hasEnded()).toBe(false);
  }
  const words = ['merchant', 'create', '--name', 'Duka Mbili', '--reason', 'test', '--as', 'spec'];
  const { code, text } = await service.runCommand(words, { EVENTSTORE_URL });
  expect(code).toBe(1);
  // Node's own warning about an address as a TLS name may come first.
  expect(text).toMatch(/^EVENTSTORE_URL: .* is not in .*$/m);
  await cp(right.authority, file);
  for (const child of started) await eventually(() => isReady(child), Boolean);
  for (const child of started) child.signal('SIGTERM');
});

it('a wrong password ends each process with 1, and a line has the cause', async () => {
  const EVENTSTORE_URL = urlOf(`${user}:wrong`);
  for (const app of apps) {
    const child = service.spawnReplica(app, { EVENTSTORE_URL });
    expect(await child.ended).toBe(1);
    const fatal = child.lines.filter((line) => line.includes('"fatal"'));
    expect(fatal).toEqual([
      expect.stringMatching(/refuses the user or its password.*write user:password@/),
    ]);
    expect(child.lines.join('\n')).not.toContain('wrong@');
  }
});
