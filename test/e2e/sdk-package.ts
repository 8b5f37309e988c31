import { execFile } from 'node:child_process';
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
  const source = join(directory, 'source');
  const reader = join(directory, 'reader');
  await mkdir(source);
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    await copyFile(join(sdk, file), join(source, file));
  // Copy as much as a checkout has next to it, so that the list proves the omissions.
  await cp(join(sdk, 'src'), join(source, 'src'), { recursive: true });
  await cp(join(sdk, 'examples'), reader, { recursive: true });
  const tsc = packageDirectory('node_modules/typescript/bin/tsc');
  const config = join(sdk, 'tsconfig.build.json');
  await command(process.execPath, [tsc, '-p', config, '--outDir', join(source, 'dist')], sdk);
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

/** Runs a program in a folder and returns its output. @throws with its error output */
export async function command(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { HOME = '' } = process.env;
  const all = { ...inheritedEnvironment(), HOME, ...env };
  const options = { cwd, env: all, timeout: commandDeadlineMs };
  return (await run(program, words, options)).stdout;
}
