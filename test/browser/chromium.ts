import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installByApt } from '../servers/apt.js';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** Folders in which package managers put browsers, besides the user's PATH. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/homebrew/bin'];
const macChrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Enough to download 100 MB over a slow line; for `beforeAll`. */
export const installDeadlineMs = 600_000;

/** A headless Chromium of the machine; if there is none and the user is root, apt installs it. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = (await findChromium()) ?? (await installChromium());
  return chromium.launch({
    executablePath,
    // Chromium refuses to run as root with its sandbox, and a container's /dev/shm is small.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
  });
}

async function findChromium(): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of [...candidates, macChrome]) if (await isExecutable(path)) return path;
  return undefined;
}

/** @throws Error that says what a person can do */
async function installChromium(): Promise<string> {
  try {
    await installByApt('chromium', installDeadlineMs);
  } catch {
    // Without apt, a network or the right to install, the message below says what a person can do.
  }
  const installed = await findChromium();
  if (installed === undefined)
    throw new Error('Chromium was not found: install it (apt-get install chromium) and try again');
  return installed;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
