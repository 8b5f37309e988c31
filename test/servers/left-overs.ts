/** A run's own folder, and the removal of those that killed runs left behind. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const prefix = 'pesapost-test-';

/** Makes a folder in `parent` whose name contains the process of the run. Returns its path. */
export function makeRunFolder(parent: string, pid = process.pid): Promise<string> {
  return mkdtemp(join(parent, `${prefix}${pid}-`));
}

/**
 * Removes the folders of killed runs, which would otherwise take memory until the machine's next start. It reports
 * folders that cannot be removed, but does not fail: that is no reason to fail another run. Without `parent` it does
 * nothing.
 */
export async function removeLeftOvers(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const leftOver = names.filter((name) => name.startsWith(prefix) && !isRunning(name));
  for (const name of leftOver) await removeLeftOver(join(parent, name));
}

async function removeLeftOver(folder: string): Promise<void> {
  try {
    for (const path of await mountsIn(folder)) await promisify(execFile)('umount', ['-l', path]);
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    console.error(`${folder}, which a killed run left, cannot be removed: ${String(error)}`);
  }
}

/** The file systems that a spec had mounted, innermost first. Linux lists them; elsewhere none is mounted. */
async function mountsIn(folder: string): Promise<string[]> {
  const table = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const paths = table.split('\n').map((line) => line.split(' ')[1] ?? '');
  return paths.filter((path) => path.startsWith(`${folder}/`)).reverse();
}

function isRunning(name: string): boolean {
  try {
    return process.kill(Number(name.slice(prefix.length).split('-')[0]), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
