import { copyFile, stat, truncate } from 'node:fs/promises';

/** A log and the one before it: twice this at most, and what is written between two looks. */
export const maxLogBytes = 10 * 1024 * 1024;

/**
 * Moves a log that has grown too large to `<file>.1` and empties it in place: its writers append through a
 * descriptor of their own, whoever rotates.
 */
export async function boundLog(file: string, maxBytes = maxLogBytes): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}
