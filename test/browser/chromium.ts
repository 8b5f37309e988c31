import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installByApt } from '../servers/apt.js';

/** It has no windows of its own to draw, so a page costs half the processor time of the whole browser's. */
const shell = 'chromium-headless-shell';
const browsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** Folders in which package managers put browsers, besides the user's PATH. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/homebrew/bin'];
const macChrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** Enough to download 100 MB over a slow line; for `beforeAll`. */
export const installDeadlineMs = 600_000;

/**
 * A headless Chromium of the machine. If the user is root, apt installs what is missing: the shell, or else the browser.
 * @throws Error that says what a person can do
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath =
    (await find([shell])) ??
    (await install(shell)) ??
    (await find(browsers)) ??
    (await install('chromium'));
  if (executablePath === undefined)
    throw new Error('Chromium was not found: install it (apt-get install chromium) and try again');
  return chromium.launch({
    executablePath,
    // Chromium refuses to run as root with its sandbox, and a container's /dev/shm is small.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
  });
}

async function find(names: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of [...candidates, macChrome]) if (await isExecutable(path)) return path;
  return undefined;
}

/** @returns undefined without apt, a network or the right to install */
async function install(name: string): Promise<string | undefined> {
  await installByApt(name, installDeadlineMs).catch(() => undefined);
  return find([name]);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
