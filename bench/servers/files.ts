import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const blockBytes = 512;

/** Returns the disk space of the folder's files; holes in a file do not count. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    // A file may be gone between the listing and its reading.
    files.map(({ parentPath, name }) =>
      lstat(join(parentPath, name)).then(
        ({ blocks }) => blocks * blockBytes,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((total, bytes) => total + bytes, 0);
}
