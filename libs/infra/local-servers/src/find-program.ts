import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Folders in which package managers put servers, besides the user's PATH. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** @returns the first of the programs that exists, the names in the order of preference */
export async function findProgram(
  names: readonly string[],
  folders: readonly string[] = searchedFolders(),
): Promise<string | undefined> {
  for (const name of names)
    for (const folder of folders) {
      const path = join(folder, name);
      if (folder !== '' && (await isExecutable(path))) return path;
    }
  return undefined;
}

/** PATH, and the folders of package managers that a user's PATH may lack. */
function searchedFolders(): readonly string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders];
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
