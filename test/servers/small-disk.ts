import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface SmallDisk {
  readonly path: string;
  readonly grow: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * Mounts a file system that fills up, for the process alone. Mounting needs root, which CI has.
 * @param pid of a server, which may run as another user: that one owns the folder
 */
export async function mountSmallDisk(pid: number, bytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'pesapost-small-disk-'));
  const mount = async (...how: string[]): Promise<void> => {
    await promisify(execFile)('mount', [...how, 'tmpfs', path]);
  };
  const { uid } = await stat(`/proc/${pid}`);
  await mount('-t', 'tmpfs', '-o', `size=${bytes},uid=${uid},mode=700`);
  return {
    path,
    grow: () => mount('-o', 'remount,size=512m'),
    end: async () => {
      await promisify(execFile)('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}
