import { execFile, execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '#testing';
import { packageDirectory } from '#infra/runtime';

const run = promisify(execFile);
const commandDeadlineMs = 60_000;
const sdk = packageDirectory('libs/sdk');

/** The SDK as a user has it: packed, and installed into a folder with the examples. */
export interface InstalledSdk {
  /** The reader's folder. */
  readonly directory: string;
  /** The package's files, as `npm pack --dry-run` lists them. */
  readonly packed: readonly string[];
  remove(): Promise<void>;
}

/** Builds, packs and installs without a network, and writes nothing into the repository. */
export async function installSdk(): Promise<InstalledSdk> {
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-sdk-'));
  const checkout = join(directory, 'checkout');
  const source = join(checkout, 'libs/sdk');
  const reader = join(directory, 'reader');
  // Copy as much as a checkout has next to it, so that the list proves the omissions.
  await mkdir(source, { recursive: true });
  await copyFile(packageDirectory('tsconfig.json'), join(checkout, 'tsconfig.json'));
  const isSource = (path: string) => path !== join(sdk, 'dist');
  await cp(sdk, source, { recursive: true, filter: isSource });
  await cp(join(sdk, 'examples'), reader, { recursive: true });
  const tools = packageDirectory('node_modules/.bin');
  const { PATH = '' } = process.env;
  await command('npm', ['run', 'build'], source, { PATH: `${tools}:${PATH}` });
  const pack = ['pack', '--ignore-scripts', '--json'];
  const packed = await command('npm', [...pack, '--dry-run'], source);
  const written = await command('npm', [...pack, '--pack-destination', directory], source);
  const [{ files } = { files: [] }] = JSON.parse(packed) as { files: { path: string }[] }[];
  const [{ filename } = { filename: '' }] = JSON.parse(written) as { filename: string }[];
  await writeFile(join(reader, 'package.json'), '{"type":"module","private":true}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await command('npm', [...install, join(directory, filename)], reader);
  return {
    directory: reader,
    packed: files.map(({ path }) => path).sort(),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Runs a program in a folder and returns its output. @throws with all that it printed */
export async function command(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { HOME = '' } = process.env;
  const all = { ...inheritedEnvironment(), HOME, ...env };
  const options = { cwd, env: all, timeout: commandDeadlineMs };
  const failed = (error: Error & { readonly stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error });
  };
  return (await run(program, words, options).catch(failed)).stdout;
}

/** The machine's own Node if it is version 20, otherwise the one that runs this. */
export function oldestNode(): string {
  try {
    const version = execFileSync('/usr/bin/node', ['--version'], { encoding: 'utf8' });
    return version.startsWith('v20.') ? '/usr/bin/node' : process.execPath;
  } catch {
    return process.execPath;
  }
}
