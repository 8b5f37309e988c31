import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { helm, type HelmOutcome } from '../servers/helm.js';

/** The parts of rendered manifests that specs read. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly workingDir: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: Readonly<Record<string, unknown>>;
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

export interface SecretSource {
  readonly secret: {
    readonly name: string;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly restartPolicy: string;
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly projected?: { readonly sources: readonly SecretSource[] };
    readonly emptyDir?: unknown;
    readonly configMap?: unknown;
  }[];
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export const chartFolder = 'deploy/chart';

/** The values of a published example. */
export async function example(name: 'minimal' | 'production'): Promise<object> {
  return parse(await readFile(`${chartFolder}/examples/${name}.yaml`, 'utf8')) as object;
}

/** Runs `helm template` with values, each of which overrides those before it. */
export function rendering(...values: readonly object[]): Promise<HelmOutcome> {
  return withValues(values, (flags) =>
    helm('template', 'pesapost', chartFolder, '--namespace', 'payments', ...flags),
  );
}

/** Runs `helm lint` with values; warnings count as failures. */
export function linting(...values: readonly object[]): Promise<HelmOutcome> {
  return withValues(values, (flags) => helm('lint', '--strict', chartFolder, ...flags));
}

/** @throws Error with Helm's reason if the values are refused */
export async function rendered(...values: readonly object[]): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await rendering(...values);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** The text that an install prints; no cluster is asked. */
export async function notesWith(...values: readonly object[]): Promise<string> {
  const words = ['install', 'pesapost', chartFolder, '--namespace', 'payments'];
  const { stdout, stderr } = await withValues(values, (flags) =>
    helm(...words, '--dry-run=client', ...flags),
  );
  return stdout + stderr;
}

async function withValues<T>(
  values: readonly object[],
  use: (flags: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pesapost-chart-'));
  try {
    const flags = values.map(async (each, index) => {
      const file = join(folder, `${index}.yaml`);
      // JSON is YAML.
      await writeFile(file, JSON.stringify(each));
      return `--values=${file}`;
    });
    return await use(await Promise.all(flags));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

/** The pod that a Deployment or Job makes. */
export function podOf(manifest: Manifest): {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
} {
  return manifest.spec['template'] as ReturnType<typeof podOf>;
}

/** The only container of a Deployment or Job. */
export function containerOf(manifest: Manifest): Container {
  const [container, ...others] = podOf(manifest).spec.containers;
  if (!container || others.length > 0) throw new Error('one container a pod');
  return container;
}

/** The manifest of that kind and component, such as the Deployment of `api`. */
export function manifestOf(
  manifests: readonly Manifest[],
  kind: string,
  component: string,
): Manifest {
  const found = ofKind(manifests, kind).find(
    ({ metadata }) => metadata.name === `pesapost-${component}`,
  );
  if (!found) throw new Error(`no ${kind} of ${component}`);
  return found;
}
