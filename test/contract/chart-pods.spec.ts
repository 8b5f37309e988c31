import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings, railSettingNames, requireServers, settingNames } from '#infra/runtime';
import { requireHelm } from '../servers/helm.js';
import {
  containerOf,
  example,
  type Manifest,
  manifestOf,
  ofKind,
  podOf,
  rendered,
} from './chart.js';

/** The objects that the Helm chart renders for a company that takes live payments. */
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

/** The sample of a secret that live mode takes, by the name of its setting. */
const samples: Readonly<Record<string, string>> = {
  EVENTSTORE_URL: 'esdb://pesapost:p@node1:2113,node2:2113,node3:2113?tls=true',
  DATABASE_URL: 'postgres://pesapost:p@db:5432/pesapost?sslmode=verify-full',
  REDIS_URL: 'rediss://:p@redis:6379',
  MASTER_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

describe('a pod', () => {
  it('has settings that its process knows and that live mode accepts', () => {
    for (const manifest of withPods()) {
      const { env } = containerOf(manifest);
      const names = env.map(({ name }) => name.replace(/_FILE$/, ''));
      const known = new Set([...settingNames, ...railSettingNames, 'NODE_EXTRA_CA_CERTS']);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      const given = env.map(({ name, value }): [string, string] => {
        const secret = name.replace(/_FILE$/, '');
        return secret === name ? [name, value] : [secret, samples[secret] ?? 'secret'];
      });
      const withoutSeal = given.filter(([name]) => name !== 'AUDIT_SEAL_KEY');
      const settings = loadSettings(Object.fromEntries(withoutSeal));
      expect(requireServers(settings).redisUrl).toBe(samples['REDIS_URL']);
      expect(settings.rails.mpesa.live?.shortcode).toBe('600000');
    }
  });

  it('finds each secret as a file of an existing Secret, and no manifest contains one', () => {
    expect(ofKind(ours, 'Secret')).toEqual([]);
    for (const manifest of withPods()) {
      const { spec } = podOf(manifest);
      const { env, volumeMounts } = containerOf(manifest);
      const mount = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath;
      const sources = spec.volumes.find(({ name }) => name === 'secrets')?.projected?.sources ?? [];
      const files = sources.flatMap(({ secret }) => secret.items.map(({ path }) => path));
      const asked = env.filter(({ name }) => name.endsWith('_FILE'));
      expect(asked.map(({ value }) => value).sort()).toEqual(
        files.map((file) => `${String(mount)}/${file}`).sort(),
      );
      expect(asked.map(({ name }) => name).sort()).toEqual(
        files.map((file) => `${file}_FILE`).sort(),
      );
    }
  });

  it('gives the schema owner’s role only to the migration and the projector', () => {
    const databases = withPods().map((manifest) => {
      const { sources = [] } = podOf(manifest).spec.volumes[0]?.projected ?? {};
      const found = sources.filter(({ secret }) =>
        secret.items.some(({ path }) => path === 'DATABASE_URL'),
      );
      return [manifest.metadata.name, found.map(({ secret }) => secret.name)];
    });
    expect(Object.fromEntries(databases)).toEqual({
      ...Object.fromEntries(deployed.map((name) => [`pesapost-${name}`, ['pesapost']])),
      'pesapost-projector': ['pesapost-owner'],
      'pesapost-migrate': ['pesapost-owner'],
      'pesapost-command': ['pesapost'],
    });
  });

  it('connects the processes past a pooler, except the owner’s, whose URL is the server’s', async () => {
    const pooled = { secrets: { keys: { DATABASE_DIRECT_URL: 'direct-url' } } };
    const behind = await rendered(production, pooled);
    for (const manifest of [...ofKind(behind, 'Deployment'), ...ofKind(behind, 'Job')]) {
      const { env } = containerOf(manifest);
      const { sources = [] } = podOf(manifest).spec.volumes[0]?.projected ?? {};
      const files = sources.flatMap(({ secret }) => secret.items.map(({ path }) => path));
      const isOwners = /-(projector|migrate)$/.test(manifest.metadata.name);
      expect([
        env.some(({ name }) => name === 'DATABASE_DIRECT_URL_FILE'),
        files.includes('DATABASE_DIRECT_URL'),
      ]).toEqual([!isOwners, !isOwners]);
    }
  });

  it('has only the rights that the restricted pod standard allows, and writes in two folders', () => {
    for (const manifest of withPods()) {
      const { spec } = podOf(manifest);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      const { securityContext, volumeMounts } = containerOf(manifest);
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const writable = spec.volumes.filter(({ emptyDir }) => emptyDir).map(({ name }) => name);
      const paths = volumeMounts.filter(({ name }) => writable.includes(name));
      expect(paths.map(({ mountPath }) => mountPath)).toEqual(['/tmp', '/data']);
      expect(volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
    }
    for (const manifest of ofKind(ours, 'Deployment'))
      expect(podOf(manifest).spec.restartPolicy).toBe('Always');
  });

  it('is killed only after its remaining work may be done, for any settings', async () => {
    const slow = {
      settings: { DRAIN_DELAY: '1500ms', RAIL_PUSH_TIMEOUT: '2m' },
      api: { preStopSeconds: 7 },
    };
    for (const [manifests, drain, push] of [
      [await rendered(minimal), 5, 10],
      [await rendered(minimal, slow), 2, 120],
    ] as const)
      for (const name of deployed) {
        const manifest = manifestOf(manifests, 'Deployment', name);
        const sleep = containerOf(manifest).lifecycle?.preStop.sleep.seconds ?? 0;
        const grace = podOf(manifest).spec.terminationGracePeriodSeconds ?? 0;
        expect(grace).toBeGreaterThan(sleep + drain + push + 5);
      }
  });

  it('is ready for callbacks with Postgres alone, and for everything else with all stores', () => {
    const probes = deployed.map((name) => {
      const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(
        manifestOf(ours, 'Deployment', name),
      );
      const admin = ports?.find((port) => port.name === 'admin')?.containerPort;
      expect(admin).toBe(9464);
      const found = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
      return [name, found.map((get) => `${String(get?.port)} ${String(get?.path)}`)];
    });
    const live = 'admin /health/live';
    expect(Object.fromEntries(probes)).toEqual({
      projector: [live, live, 'admin /health/ready'],
      worker: [live, live, 'admin /health/ready'],
      api: [live, live, 'admin /health/ready'],
      rails: [live, live, 'admin /health/ready/rails'],
    });
  });
});

type Selected = { readonly matchLabels: Readonly<Record<string, string>> };

describe('the objects that select pods', () => {
  const labels = () =>
    ofKind(ours, 'Deployment').map(
      (manifest) => [manifest.metadata.name, podOf(manifest).metadata.labels] as const,
    );
  const foundBy = (selector: Readonly<Record<string, string>>) =>
    labels()
      .filter(([, found]) =>
        Object.entries(selector).every(([name, value]) => found[name] === value),
      )
      .map(([name]) => name);

  it('select the pods of their own name', () => {
    for (const manifest of ofKind(ours, 'Deployment'))
      expect(foundBy((manifest.spec['selector'] as Selected).matchLabels)).toEqual([
        manifest.metadata.name,
      ]);
    const services = ofKind(ours, 'Service');
    expect(services.map(({ metadata }) => metadata.name)).toEqual([
      'pesapost-api',
      'pesapost-rails',
    ]);
    for (const { metadata, spec } of services)
      expect(foundBy(spec['selector'] as Record<string, string>)).toEqual([metadata.name]);
    const budgets = ofKind(ours, 'PodDisruptionBudget');
    expect(budgets).toHaveLength(deployed.length);
    for (const { metadata, spec } of budgets) {
      expect(foundBy((spec['selector'] as Selected).matchLabels)).toEqual([metadata.name]);
      expect(spec).toMatchObject({ maxUnavailable: 1 });
    }
  });

  it('route callbacks to the rails service, and everything else to the API', () => {
    const [ingress] = ofKind(ours, 'Ingress');
    expect(ingress?.spec['rules']).toMatchObject([
      {
        http: {
          paths: [
            { path: '/rails', backend: { service: { name: 'pesapost-rails' } } },
            { path: '/', backend: { service: { name: 'pesapost-api' } } },
          ],
        },
      },
    ]);
  });

  it('scale the API by its processor time, or by the metrics that a company gives', async () => {
    const [found, ...others] = ofKind(ours, 'HorizontalPodAutoscaler');
    expect(others).toEqual([]);
    expect(found?.spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'pesapost-api' },
      metrics: [{ type: 'ContainerResource', containerResource: { name: 'cpu' } }],
    });
    expect(manifestOf(ours, 'Deployment', 'api').spec).not.toHaveProperty('replicas');
    const metric = { metric: { name: 'requests' }, target: { type: 'AverageValue' } };
    const metrics = [{ type: 'Pods', pods: metric }];
    const own = await rendered(production, { api: { autoscaling: { metrics } } });
    expect(ofKind(own, 'HorizontalPodAutoscaler')[0]?.spec).toMatchObject({ metrics });
    const fixed = { api: { replicas: 4, autoscaling: { enabled: false } } };
    const byHand = await rendered(production, fixed);
    expect(ofKind(byHand, 'HorizontalPodAutoscaler')).toEqual([]);
    expect(manifestOf(byHand, 'Deployment', 'api').spec).toMatchObject({ replicas: 4 });
  });
});

interface Rule {
  readonly from?: readonly unknown[];
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; except: string[] } }[];
  readonly ports: readonly { readonly port: string | number }[];
}

describe('network policies', () => {
  const rulesOf = (name: string, direction: 'ingress' | 'egress') =>
    (ofKind(ours, 'NetworkPolicy').find(({ metadata }) => metadata.name === name)?.spec[
      direction
    ] ?? []) as readonly Rule[];
  const portsOf = (rules: readonly Rule[]) =>
    rules.flatMap(({ ports }) => ports.map(({ port }) => port));

  it('let the proxies reach the public port, and Prometheus the admin port', () => {
    expect(portsOf(rulesOf('pesapost', 'ingress'))).toEqual(['admin']);
    expect(portsOf(rulesOf('pesapost-public', 'ingress'))).toEqual(['http']);
    for (const name of ['pesapost', 'pesapost-public'])
      for (const { from } of rulesOf(name, 'ingress')) expect(from).not.toEqual([]);
  });

  it('let a pod reach the stores and, beyond them, only public addresses', () => {
    expect(portsOf(rulesOf('pesapost', 'egress'))).toEqual([53, 53, 2113, 5432, 6379]);
    const [internet] = rulesOf('pesapost-internet', 'egress');
    expect(internet?.ports).toEqual([{ protocol: 'TCP', port: 443 }]);
    const blocks = internet?.to?.map(({ ipBlock }) => ipBlock);
    expect(blocks?.map((block) => block?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks?.[0]?.except).toContain('169.254.0.0/16');
    expect(blocks?.[1]?.except).toContain('fc00::/7');
  });

  it('let the migration reach only Postgres, before anything else of the release exists', () => {
    expect(portsOf(rulesOf('pesapost-migrate', 'egress'))).toEqual([53, 53, 5432]);
    const hooks = ours.filter(({ metadata }) =>
      metadata.annotations?.['helm.sh/hook']?.startsWith('pre-install'),
    );
    const weights = hooks.map(({ kind, metadata }) => [
      kind,
      Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0),
    ]);
    expect(Object.fromEntries(weights)).toEqual({ NetworkPolicy: -10, Job: 0 });
    // The chart's own account does not exist then.
    const job = manifestOf(ours, 'Job', 'migrate');
    expect(podOf(job).spec.serviceAccountName).toBe('default');
  });
});
