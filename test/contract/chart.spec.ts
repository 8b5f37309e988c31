import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { railSettingNames, secretNames, settingNames } from '#infra/runtime';
import { parse } from 'yaml';
import { helm, requireHelm } from '../servers/helm.js';
import {
  chartFolder,
  containerOf,
  example,
  linting,
  type Manifest,
  manifestOf,
  notesWith,
  ofKind,
  rendered,
  rendering,
} from './chart.js';
import { faultsOf } from './kubernetes-schemas.js';

/** The Helm chart, linted and rendered by Helm itself, without a cluster. */
const root = process.cwd();
const text = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

let minimal: object;
let production: object;
let ours: readonly Manifest[];

beforeAll(async () => {
  await requireHelm();
  [minimal, production] = [await example('minimal'), await example('production')];
  ours = await rendered(production);
}, 660_000);

const deployed = ['projector', 'worker', 'api', 'rails'];
const withPods = () => [...ofKind(ours, 'Deployment'), ...ofKind(ours, 'Job')];

describe('the chart', () => {
  it('is valid for Helm, with each example and without optional values', async () => {
    const closed = { networkPolicy: { enabled: false }, migrate: { enabled: false } };
    for (const values of [[minimal], [production], [minimal, closed]]) {
      const { code, stdout, stderr } = await linting(...values);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
      expect(ofKind(await rendered(...values), 'Deployment')).toHaveLength(deployed.length);
    }
  });

  it('renders only what Kubernetes’ own schemas allow, without additional fields', async () => {
    const scaled = { rails: { autoscaling: { enabled: true } }, api: { preStopSeconds: 0 } };
    const settled = {
      pods: { nodeSelector: { pool: 'payments' }, tolerations: [{ key: 'pool' }] },
    };
    for (const values of [[minimal], [production], [production, scaled, settled]])
      for (const manifest of await rendered(...values))
        expect([manifest.metadata.name, faultsOf(manifest)]).toEqual([manifest.metadata.name, []]);
  });

  it('is checked by schemas that find a wrong type, a missing field and an unknown one', () => {
    const broken = structuredClone(manifestOf(ours, 'Deployment', 'api')) as unknown as {
      spec: { replica: number; selector?: unknown; template: { spec: Record<string, unknown> } };
    };
    broken.spec.replica = 3;
    delete broken.spec.selector;
    broken.spec.template.spec['terminationGracePeriodSeconds'] = '25s';
    expect(faultsOf(broken as unknown as Manifest)).toEqual(
      expect.arrayContaining([
        '/spec required',
        '/spec/replica unknown',
        '/spec/template/spec/terminationGracePeriodSeconds type',
      ]),
    );
  });

  it('has the version of the package, and runs programs that exist', () => {
    const { version } = JSON.parse(text('package.json')) as { readonly version: string };
    const { appVersion } = parse(text(`${chartFolder}/Chart.yaml`)) as Record<string, string>;
    expect(appVersion).toBe(version);
    const folder = /^WORKDIR (\S+)$/m.exec(text('Dockerfile'))?.[1];
    for (const manifest of withPods()) {
      const { command, workingDir } = containerOf(manifest);
      expect([command[0], workingDir]).toEqual(['node', folder]);
      expect(text(String(command[1]).replace('dist/', '').replace('.js', '.ts'))).toBeTruthy();
    }
  });
});

describe('values', () => {
  const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
    'no image': [{ image: { repository: '' } }, /image\/repository/],
    'no Secret': [{ secrets: { existingSecret: '' } }, /existingSecret/],
    'a value that does not exist': [{ api: { replica: 3 } }, /replica/],
    'a setting that does not exist': [{ settings: { BASEURL: 'x' } }, /BASEURL/],
    'a secret among the settings': [{ settings: { MASTER_KEY: 'k1:x' } }, /MASTER_KEY/],
    'a setting of the chart’s own': [{ settings: { ADMIN_PORT: '1' } }, /ADMIN_PORT/],
    'a setting for tests alone': [{ settings: { CLOCK_OFFSET: '1d' } }, /CLOCK_OFFSET/],
    'a setting that is a number': [
      { settings: { DATABASE_POOL_WRITE: 6 } },
      /DATABASE_POOL_WRITE.*string/s,
    ],
    'a duration that is none': [{ settings: { DRAIN_DELAY: '5 s' } }, /DRAIN_DELAY/],
    'a base URL without a scheme': [{ settings: { BASE_URL: 'pay.example' } }, /BASE_URL/],
    'no proxies': [{ settings: { TRUSTED_PROXIES: null } }, /TRUSTED_PROXIES/],
    'a closed public port': [{ networkPolicy: { proxies: [] } }, /proxies/],
    'a secret that is none': [{ secrets: { keys: { LOG_LEVEL: 'x' } } }, /LOG_LEVEL/],
    'an ingress without a certificate': [
      { ingress: { enabled: true, host: 'pay.example' } },
      /tlsSecret/,
    ],
    'no replica': [{ worker: { replicas: 0 } }, /worker\/replicas/],
    'more replicas at least than at most': [
      { api: { autoscaling: { minReplicas: 9, maxReplicas: 8 } } },
      /minReplicas/,
    ],
    'a digest that is none': [{ image: { digest: 'sha256:1' } }, /digest/],
  };

  it.each(Object.entries(refused))('are rejected with %s', async (_name, [values, why]) => {
    const { code, stderr } = await rendering(minimal, values);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(why);
  });

  it('are rejected as a whole if nothing is set', async () => {
    const { code, stderr } = await rendering();
    expect(code).not.toBe(0);
    for (const name of ['repository', 'BASE_URL', 'TRUSTED_PROXIES', 'existingSecret', 'proxies'])
      expect(stderr).toContain(name);
  });

  it('take every setting that a person may choose, each secret as a file', () => {
    const own =
      /^(HOST|PORT|ADMIN_HOST|ADMIN_PORT|DATA_DIR|MIGRATIONS|EMBEDDED_SERVERS|SIMULATOR_.*)$/;
    const forTests = ['CLOCK_OFFSET', 'CRASH_AT'];
    const plain = [...settingNames, ...railSettingNames].filter(
      (name) => !own.test(name) && !secretNames.includes(name) && !forTests.includes(name),
    );
    const { properties } = JSON.parse(text(`${chartFolder}/values.schema.json`)) as {
      readonly properties: {
        readonly settings: { readonly properties: object };
        readonly secrets: { readonly properties: { readonly keys: { properties: object } } };
      };
    };
    expect(Object.keys(properties.settings.properties).sort()).toEqual([...plain].sort());
    const { keys } = properties.secrets.properties;
    expect(Object.keys(keys.properties).sort()).toEqual([...secretNames].sort());
  });
});

/** The flags of Helm that a page shows. */
const flagsIn = (page: string) =>
  [...text(page).matchAll(/--set '?([^\s'\\]+)'?/g)].map(([, flag = '']) => flag);

describe('a release', () => {
  it('accepts the values that the guide sets', async () => {
    const flags = flagsIn('docs/how-to/run-on-kubernetes.md');
    expect(flags.length).toBeGreaterThan(4);
    const given = [...new Set(flags)].map((flag) => `--set=${flag}`);
    const file = `--values=${chartFolder}/examples/production.yaml`;
    const { code, stderr } = await helm('template', 'pesapost', chartFolder, file, ...given);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('counts the connections that Postgres must allow, as the guide does', async () => {
    const values = {
      api: { replicas: 2, autoscaling: { enabled: false } },
      rails: { replicas: 1 },
      worker: { replicas: 2 },
      projector: { replicas: 2 },
    };
    const file = await notesWith(minimal, values);
    // 61 as in the guide to real servers, and one more pod of each kind while a release is replaced.
    expect(file).toContain(`Postgres must allow ${61 + 13 + 13 + 7 + 4} connections`);
  });

  it('migrates separately from the processes, or with them if there is no Job', async () => {
    const migrations = (manifests: readonly Manifest[]) =>
      ofKind(manifests, 'Deployment').map(
        (manifest) => containerOf(manifest).env.find(({ name }) => name === 'MIGRATIONS')?.value,
      );
    expect(new Set(migrations(ours))).toEqual(new Set(['apart']));
    const without = await rendered(minimal, { migrate: { enabled: false } });
    expect(new Set(migrations(without))).toEqual(new Set(['at-start']));
    expect(ofKind(without, 'Job').map(({ metadata }) => metadata.name)).toEqual([
      'pesapost-command',
    ]);
  });

  it('replaces one component at a time if each has its own tag', async () => {
    const staged = { image: { tag: '2' }, worker: { tag: '1' }, api: { tag: '1' } };
    const manifests = await rendered(production, staged, { rails: { tag: '1' } });
    const tags = [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')].map(
      (manifest) => [manifest.metadata.name, containerOf(manifest).image.split(':').at(-1)],
    );
    expect(Object.fromEntries(tags)).toEqual({
      'pesapost-projector': '2',
      'pesapost-worker': '1',
      'pesapost-api': '1',
      'pesapost-rails': '1',
      'pesapost-migrate': '2',
      'pesapost-command': '2',
    });
  });
});
