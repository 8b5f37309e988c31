import { MissingRight } from '#infra/eventstoredb';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EmbeddedStore } from './embedded-store.js';
import { makeCa } from './self-made-ca.js';
import { noted, openStore } from './subject.js';

/** A store with an admin and an ordinary user, who may append and read streams, but may read $all only once it is granted. */
let directory: string;
let server: EmbeddedStore;
let throwAway: ThrowAwayDatabase;

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  directory = await mkdtemp(join(tmpdir(), 'pesapost-rights-'));
  const { ca, certificate, key } = makeCa();
  await writeFile(join(directory, 'ca.pem'), ca);
  await writeFile(join(directory, 'server.pem'), certificate);
  await writeFile(join(directory, 'server.key'), key);
  server = await EmbeddedStore.start({
    EMBEDDED_EVENTSTORE_TLS_CERT_FILE: join(directory, 'server.pem'),
    EMBEDDED_EVENTSTORE_TLS_KEY_FILE: join(directory, 'server.key'),
    EMBEDDED_EVENTSTORE_USER: 'admin:changeit',
    EMBEDDED_EVENTSTORE_ORDINARY_USER: 'pesapost:pl4in',
  });
});

afterAll(async () => {
  await server.remove();
  await throwAway.drop();
  await rm(directory, { recursive: true });
});

function url(user: string): string {
  const file = encodeURIComponent(join(directory, 'ca.pem'));
  return `esdb://${user}@127.0.0.1:${server.port}?tls=true&tlsCAFile=${file}`;
}

async function rightsOf(user: string): Promise<unknown> {
  const { store } = openStore(url(user));
  try {
    return await store.requireRights(true).catch((error: unknown) => error);
  } finally {
    await store.dispose();
  }
}

/** Runs an app of the build until it ends. */
async function run(app: string, env: NodeJS.ProcessEnv) {
  const main = join(process.cwd(), `dist/apps/${app}/src/main.js`);
  const { DATABASE_URL: _, REDIS_URL: __, NODE_OPTIONS: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, PORT: '0', ADMIN_PORT: '0', SIMULATOR_PORT: '0', ...env },
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  const lines = (written: string) => written.split('\n').filter(Boolean);
  return { code, stdout: lines(stdout), stderr: lines(stderr) };
}

const missing = /^EVENTSTORE_URL: its user may not read \$all: as an admin, name it under \$acl/;

describe('a user who may append but not read $all', () => {
  it('gets one line that names the missing right and how to grant it', async () => {
    const error = await rightsOf('pesapost:pl4in');
    expect(error).toBeInstanceOf(MissingRight);
    expect((error as Error).message).toMatch(missing);
    expect((error as Error).message).not.toMatch(/\n|pl4in/);
  });

  it.each(['api', 'projector', 'worker'])(
    'ends the %s at its start with 1, and the reason is a line of its log',
    async (app) => {
      const { code, stdout, stderr } = await run(app, {
        EVENTSTORE_URL: url('pesapost:pl4in'),
        DATABASE_URL: throwAway.url,
        REDIS_URL: 'redis://127.0.0.1:1',
        MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
      });
      expect([code, stderr]).toEqual([1, []]);
      const fatal = stdout
        .map((line) => JSON.parse(line) as { level: string; msg: string })
        .filter(({ level }) => level === 'fatal');
      expect(fatal).toMatchObject([{ msg: expect.stringMatching(missing) as unknown }]);
    },
  );

  it('ends npm start before it has started anything', async () => {
    const dataDir = join(directory, 'data');
    const env = { EVENTSTORE_URL: url('pesapost:pl4in'), DATA_DIR: dataDir };
    const { code, stderr } = await run('launcher', env);
    expect([code, stderr]).toEqual([1, [expect.stringMatching(missing)]]);
    expect(await readdir(join(dataDir, 'logs')).catch(() => [])).toEqual([]);
  });
});

it('npm start names a certificate that it refuses, and starts nothing', async () => {
  await writeFile(join(directory, 'other-ca.pem'), makeCa().ca);
  const env = {
    EVENTSTORE_URL: url('admin:changeit').replace('ca.pem', 'other-ca.pem'),
    DATA_DIR: join(directory, 'data-of-other-ca'),
  };
  const { code, stderr } = await run('launcher', env);
  expect([code, stderr]).toEqual([
    1,
    [expect.stringMatching(/^EVENTSTORE_URL: the certificate of .* is not in .*other-ca\.pem/)],
  ]);
});

it('a refused password is named as the reason', async () => {
  const error = await rightsOf('pesapost:wrong');
  expect((error as Error).message).toMatch(/refuses the user or its password/);
});

/** Runs a command of the how-to's section "The smallest user" as the store's admin. */
async function grantByHowTo(): Promise<void> {
  const howTo = await readFile('docs/how-to/run-on-real-servers.md', 'utf8');
  const [, block = ''] = /```\n(EVENTSTORE_ADMIN_URL=[^]*?)\n```/.exec(howTo) ?? [];
  const address = 'esdb://admin:…@node1:2113?tls=true&tlsCAFile=ca.pem';
  expect(block).toContain(`'${address}'`);
  const command = block.replace(address, url('admin:changeit'));
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const env = { ...inherited, PATH: path };
  const shell = spawn('bash', ['-c', command], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const exited = once(shell, 'exit');
  expect(await text(shell.stderr)).not.toMatch(/error/i);
  expect(await exited).toEqual([0, null]);
}

it('the grant of the how-to is enough to append and to read $all, and asking for rights writes nothing', async () => {
  await grantByHowTo();
  expect(await rightsOf('pesapost:pl4in')).toBeUndefined();
  const { store } = openStore(url('pesapost:pl4in'));
  expect(await store.readStream('platform-rights')).toEqual([]);
  await store.append('merchant-m1', 'no_stream', [noted()]);
  expect(await store.head(['merchant-'])).toBeGreaterThan(0n);
  await store.dispose();
});
