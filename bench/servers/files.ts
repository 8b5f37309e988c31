import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const blockBytes = 512;

/** What the folder's files take of the disk: holes in a file do not count. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    // A file may be gone between the listing and the look.
    files.map(({ parentPath, name }) =>
      lstat(join(parentPath, name)).then(
        ({ blocks }) => blocks * blockBytes,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((total, bytes) => total + bytes, 0);
}
