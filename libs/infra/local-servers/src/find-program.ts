import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Where package managers put servers, besides the PATH of the user who runs us. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** @returns the first of the programs that is there, the names in the order of preference */
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

/** PATH, and where package managers put servers that a user's PATH may lack. */
function searchedFolders(): readonly string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders];
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
