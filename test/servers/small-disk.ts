import { execFile } from 'node:child_process';
import { cp, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

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
    await run('mount', [...how, 'tmpfs', path]);
  };
  const { uid } = await stat(`/proc/${pid}`);
  await mount('-t', 'tmpfs', '-o', `size=${bytes},uid=${uid},mode=700`);
  return {
    path,
    grow: () => mount('-o', 'remount,size=512m'),
    end: async () => {
      await run('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}

/** A disk that a test fills and makes room on, while processes use it. */
export interface FillableDisk {
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** Call it before the folder is removed. The processes that used it have ended. */
  end(): Promise<void>;
}

const diskBytes = 64 * 2 ** 20;

/**
 * Gives a folder, whose content stays, a disk of its own. Call it while no process uses the folder.
 * @throws if this process may not mount
 */
export async function diskOf(folder: string): Promise<FillableDisk> {
  const content = await mkdtemp(join(tmpdir(), 'pesapost-content-'));
  const { uid, gid } = await stat(folder);
  await cp(folder, content, { recursive: true, preserveTimestamps: true });
  await run('mount', [
    ...['-t', 'tmpfs', '-o', `size=${diskBytes},uid=${uid},gid=${gid},mode=700`],
    ...['tmpfs', folder],
  ]);
  await cp(content, folder, { recursive: true, preserveTimestamps: true });
  await rm(content, { recursive: true });
  const filler = join(folder, 'filler');
  return {
    fill: () => fillWith(filler),
    makeRoom: () => rm(filler),
    end: async () => {
      await run('umount', [folder]);
    },
  };
}

/** Writes until no byte is free, first in large pieces. */
async function fillWith(filler: string): Promise<void> {
  const file = await open(filler, 'w');
  try {
    for (const bytes of [2 ** 20, 4096, 1])
      for (let isFull = false; !isFull;)
        isFull = await file.write(Buffer.alloc(bytes, 1)).then(
          () => false,
          (error: unknown) => {
            if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return true;
            throw error;
          },
        );
  } finally {
    await file.close();
  }
}

/**
 * The same fault without a mount, for a process of Node: the system lets it write no byte to any file. Other programs
 * end by the signal that Node ignores.
 */
export function writeLimitOf(pid: () => number): FillableDisk {
  const limit = async (bytes: string): Promise<void> => {
    await run('prlimit', ['--pid', String(pid()), `--fsize=${bytes}:`]);
  };
  return {
    fill: () => limit('0'),
    makeRoom: () => limit('unlimited'),
    end: () => Promise.resolve(),
  };
}
