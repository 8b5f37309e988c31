import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import {
  type Child,
  type CommandOutcome,
  emptyDatabase,
  eventually,
  freePort,
  MerchantClient,
  onboardMerchant,
  type OwnServers,
  startChild,
  startCommandLine,
  startOwnServers,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  containerOf,
  example,
  type Manifest,
  manifestOf,
  type PodSpec,
  podOf,
  type Probe,
  rendered,
} from '../contract/chart.js';
import { type ChartIngress, serveIngress } from './chart-ingress.js';

/**
 * The chart without a cluster: each rendered command runs with its rendered environment, and its Secrets are files. Only
 * hosts, ports and the folders of mounts are replaced.
 */
const run = promisify(execFile);
const deployed = ['projector', 'worker', 'rails', 'api'] as const;

let servers: OwnServers;
let directory: string;
let manifests: readonly Manifest[];
let simulator: Child;
let ingress: ChartIngress;
let database: string;
let migrated: CommandOutcome;
const children = new Map<string, Child>();

beforeAll(async () => {
  servers = await startOwnServers();
  directory = await mkdtemp(join(tmpdir(), 'pesapost-chart-'));
  database = await emptyDatabase(servers.env.DATABASE_URL);
  const simulatorPort = await freePort();
  simulator = await startChild('daraja-simulator', {
    SIMULATOR_PORT: `${simulatorPort}`,
    DATA_DIR: join(directory, 'simulator'),
  });
  const portOf = (component: string) => children.get(component)?.ports.port;
  ingress = await serveIngress(() => manifests, portOf);
  manifests = await rendered(await example('minimal'), {
    settings: {
      BASE_URL: ingress.url,
      TRUSTED_PROXIES: '127.0.0.1',
      DRAIN_DELAY: '1s',
      RAIL_MPESA_DEMO_URL: `http://127.0.0.1:${simulatorPort}`,
      RAIL_MPESA_DEMO_SHORTCODE: '174379',
      RAIL_MPESA_DEMO_CALLBACK_IPS: '127.0.0.1',
      RAIL_MPESA_DEMO_STEP: '1',
    },
    ingress: { enabled: true, host: 'pay.example', tlsSecret: 'pay-example' },
    secrets: {
      keys: {
        RAIL_MPESA_DEMO_PASSKEY: 'demo-passkey',
        RAIL_MPESA_DEMO_CONSUMER_KEY: 'demo-consumer-key',
        RAIL_MPESA_DEMO_CONSUMER_SECRET: 'demo-consumer-secret',
      },
    },
    trust: { existingConfigMap: 'private-authority' },
    owner: { existingSecret: 'pesapost-owner' },
  });
  migrated = await outcomeOf('migrate');
  for (const name of deployed) children.set(name, await startPod(name));
}, 660_000);
afterAll(async () => {
  for (const child of [...children.values(), simulator]) {
    child.signal('SIGTERM');
    await child.ended;
  }
  await ingress.stop();
  await servers.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The Secrets of the namespace, as an operator makes them. */
function secretsOf(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { EVENTSTORE_URL, REDIS_URL } = servers.env;
  return {
    pesapost: {
      'eventstore-url': EVENTSTORE_URL,
      'database-url': database,
      'redis-url': REDIS_URL,
      'master-key': `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      'demo-passkey': 'simulator-passkey',
      'demo-consumer-key': 'simulator-key',
      'demo-consumer-secret': 'simulator-secret',
    },
    'pesapost-owner': { 'database-url': database },
  };
}

/** The files of a pod's volumes by volume; a volume for writing has none. */
function filesOf(volume: PodSpec['volumes'][number]): Readonly<Record<string, string>> {
  if (volume.configMap) return { 'ca.crt': rootCertificates[0] ?? '' };
  const items = (volume.projected?.sources ?? []).flatMap(({ secret }) =>
    secret.items.map(({ key, path }) => {
      const content = secretsOf()[secret.name]?.[key];
      if (content === undefined) throw new Error(`${secret.name} has no ${key}`);
      return [path, content] as const;
    }),
  );
  return Object.fromEntries(items);
}

/** Makes the pod's volumes as folders. @returns its environment, with the mounts' paths replaced by those of the folders */
async function environmentOf(manifest: Manifest): Promise<Record<string, string>> {
  const { volumes } = podOf(manifest).spec;
  const { name, env, volumeMounts } = containerOf(manifest);
  const folderOf = (mountPath: string) => join(directory, name, mountPath);
  for (const mount of volumeMounts) {
    const folder = folderOf(mount.mountPath);
    await mkdir(folder, { recursive: true });
    const volume = volumes.find((each) => each.name === mount.name);
    for (const [file, content] of Object.entries(volume ? filesOf(volume) : {}))
      await writeFile(join(folder, file), content);
  }
  const here = (value: string) => {
    const mount = volumeMounts.find(({ mountPath }) => `${value}/`.startsWith(`${mountPath}/`));
    return mount ? join(directory, name, value) : value;
  };
  return {
    ...Object.fromEntries(env.map((each) => [each.name, here(each.value)])),
    ...onlyWriting(folderOf('/tmp'), folderOf('/data')),
    PORT: '0',
    ADMIN_PORT: '0',
  };
}

/** Node refuses to write elsewhere, as a read-only root filesystem does. */
function onlyWriting(tmp: string, data: string): Record<string, string> {
  const options = [
    '--permission',
    '--allow-addons',
    '--allow-worker',
    '--allow-fs-read=*',
    ...[tmp, data].map((folder) => `--allow-fs-write=${folder}/`),
  ];
  return { NODE_OPTIONS: options.join(' '), TMPDIR: tmp, NODE_COMPILE_CACHE: '' };
}

async function startPod(component: string): Promise<Child> {
  const manifest = manifestOf(manifests, 'Deployment', component);
  const [program, main = ''] = containerOf(manifest).command;
  expect(program).toBe('node');
  const [, app = ''] = /^dist\/apps\/(\w+)\/src\/main\.js$/.exec(main) ?? [];
  return startChild(app, await environmentOf(manifest));
}

/** Runs the command of a rendered Job to its end. */
async function outcomeOf(component: string): Promise<CommandOutcome> {
  const manifest = manifestOf(manifests, 'Job', component);
  const [program, main, ...words] = containerOf(manifest).command;
  expect([program, main]).toEqual(['node', 'dist/apps/cli/src/main.js']);
  return startCommandLine(await environmentOf(manifest), words);
}

/** The answer to a probe, as the kubelet asks for it. */
async function probed(component: string, probe: Probe | undefined): Promise<number> {
  const { adminPort } = children.get(component)?.ports ?? {};
  return fetch(`http://127.0.0.1:${String(adminPort)}${probe?.httpGet.path ?? ''}`).then(
    ({ status }) => status,
    () => 0,
  );
}

const containerIn = (component: string) =>
  containerOf(manifestOf(manifests, 'Deployment', component));
const readiness = (component: string) => probed(component, containerIn(component).readinessProbe);

describe('the rendered Deployments', () => {
  it('start, run, and become ready by their own probes', async () => {
    for (const name of deployed) {
      const { startupProbe, livenessProbe } = containerIn(name);
      expect(await probed(name, startupProbe)).toBe(200);
      expect(await probed(name, livenessProbe)).toBe(200);
      expect(
        await eventually(
          () => readiness(name),
          (status) => status === 200,
        ),
      ).toBe(200);
    }
  });

  it('accept a payment whose callback arrives by its own route', async () => {
    const env = await environmentOf(manifestOf(manifests, 'Job', 'command'));
    const merchant = new MerchantClient(ingress.url, await onboardMerchant(env));
    const signedIn = () =>
      merchant.signIn().then(
        () => true,
        () => false,
      );
    await eventually(signedIn, Boolean);
    await merchant.collect({ reference: 'CHART-1' });
    const paid = await eventually(
      () => merchant.get('/api/v4/collections/CHART-1'),
      ({ body }) => body['status'] === 'completed',
      { withinMs: 60_000, everyMs: 200 },
    );
    expect(paid.body['status']).toBe('completed');
    const { routed } = ingress;
    const callbacks = routed.filter(([, path]) => path.startsWith('/rails/'));
    expect(callbacks.map(([component]) => component)).toEqual(['rails']);
    const others = routed.filter(([, path]) => !path.startsWith('/rails/'));
    expect(new Set(others.map(([component]) => component))).toEqual(new Set(['api']));
  });

  it('accept callbacks while Redis is down, and do not restart because a store is down', async () => {
    await servers.kill('redis');
    try {
      const statuses = await eventually(
        () => Promise.all(['api', 'rails'].map(readiness)),
        ([api, rails]) => api === 503 && rails === 200,
      );
      expect(statuses).toEqual([503, 200]);
      for (const name of deployed)
        expect([name, await probed(name, containerIn(name).livenessProbe)]).toEqual([name, 200]);
      const url = `${ingress.url}/rails/${'ab'.repeat(60)}`;
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(200);
    } finally {
      await servers.start('redis');
    }
    await eventually(
      () => readiness('api'),
      (status) => status === 200,
    );
  });

  it('exit 0 within their grace period, and write only to volumes', async () => {
    for (const name of deployed) {
      const spare = await startPod(name);
      const { terminationGracePeriodSeconds: grace = 0 } = podOf(
        manifestOf(manifests, 'Deployment', name),
      ).spec;
      const sleep = containerIn(name).lifecycle?.preStop.sleep.seconds ?? 0;
      const begun = performance.now();
      spare.signal('SIGTERM');
      expect([name, await spare.ended]).toEqual([name, 0]);
      expect((performance.now() - begun) / 1000).toBeLessThan(grace - sleep);
      expect(spare.lines.filter((line) => line.includes('ERR_ACCESS_DENIED'))).toEqual([]);
      expect(await readdir(join(directory, name, 'data'))).toEqual([]);
    }
  });
});

describe('the rendered Jobs', () => {
  it('migrate the records of an empty database before any process starts', () => {
    expect(migrated).toMatchObject({ code: 0 });
    expect(migrated.stdout).toContain('ran 0001_records.sql');
  });

  it('report the state of every part', async () => {
    const { code, stdout } = await outcomeOf('command');
    expect(code).toBe(0);
    for (const part of ['postgres', 'event store', 'redis', 'api (2), projector, worker'])
      expect(stdout).toContain(part);
  });
});

it('a process that writes outside its volumes is stopped by an error', async () => {
  const manifest = manifestOf(manifests, 'Deployment', 'worker');
  const env = await environmentOf(manifest);
  const write = (folder: string) =>
    run(process.execPath, ['-e', `fs.writeFileSync('${folder}/x', '')`], { env });
  await write(String(env['DATA_DIR']));
  await rm(join(String(env['DATA_DIR']), 'x'));
  await expect(write(directory)).rejects.toThrow('ERR_ACCESS_DENIED');
});
