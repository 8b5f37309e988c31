import { createHash } from 'node:crypto';
import { cp, lstat, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServerError } from './server-process.js';

/**
 * True if any user of the machine can reach the path, that is, can enter all folders above it. Postgres does not run as
 * root, so under root another user must reach its programs and its data.
 */
export async function reachableByAll(path: string): Promise<boolean> {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns a folder under /var/tmp (which outlives a restart) for a data directory that others cannot reach. */
export async function reachableHome(dataDir: string): Promise<string> {
  const hash = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  const home = join('/var/tmp', `pesapost-${hash}`);
  await mkdir(home, { recursive: true, mode: 0o711 });
  // The name is predictable and anybody may write to /var/tmp: never use a link or another user's folder.
  const found = await lstat(home);
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new ServerError(`${home} belongs to somebody else: remove it, or use another DATA_DIR`);
  await writeFile(join(dataDir, 'postgres-home'), `${home}\n`);
  return home;
}

/** Copies a package's folder to a place that all can reach, once per version. */
export async function copyOnce(from: string, to: string, version: string): Promise<void> {
  const mark = join(to, '.copied-version');
  if ((await readFile(mark, 'utf8').catch(() => '')) === version) return;
  await cp(from, to, { recursive: true, force: true, verbatimSymlinks: true });
  await writeFile(mark, version);
}
