import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '#shared/signing';
import { z } from 'zod';
import { type Issuer } from './issuer.js';
import { type Tokens } from './known-issuer.js';
import { Refused } from './refused.js';

/** A sign-in that this user keeps. */
export interface KeptSignIn extends Tokens {
  /** The text whose SHA-256 names the session in the records. It stays the same when the tokens are renewed. */
  readonly session: string;
}

/** Another process renews for no longer than its two calls of the issuer may take. */
const lockMs = 30_000;

const fileShape = z.record(
  z.string(),
  z.union([
    // The identity token alone, as every release before wrote it.
    z.string(),
    z.object({ id_token: z.string(), refresh_token: z.string(), session: z.string() }),
  ]),
);
type Entries = z.output<typeof fileShape>;

/** A new sign-in. Without a refresh token its identity token names the session, as in the releases before. */
export function keptOf({ idToken, refreshToken }: Tokens): KeptSignIn {
  const session = refreshToken === undefined ? idToken : newSecret();
  return { idToken, refreshToken, session };
}

/** The user's own file of sign-ins, by issuer. */
function file(): { readonly folder: string; readonly path: string; readonly lock: string } {
  const home = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const folder = join(home, 'pesapost');
  return {
    folder,
    path: join(folder, 'identities.json'),
    lock: join(folder, 'identities.lock'),
  };
}

async function readEntries(): Promise<Entries> {
  const text = await readFile(file().path, 'utf8').catch(() => '{}');
  try {
    return fileShape.parse(JSON.parse(text));
  } catch {
    // If the file is damaged, no one is signed in, and the next sign-in writes it again.
    return {};
  }
}

/** @returns undefined if this user keeps no sign-in at the issuer */
export async function readSignIn({ url }: Pick<Issuer, 'url'>): Promise<KeptSignIn | undefined> {
  const { [url]: entry } = await readEntries();
  if (entry === undefined) return undefined;
  if (typeof entry === 'string') return keptOf({ idToken: entry, refreshToken: undefined });
  const { id_token: idToken, refresh_token: refreshToken, session } = entry;
  return { idToken, refreshToken, session };
}

/**
 * Keeps a sign-in in a file that only this user can read.
 * @param kept undefined to remove it
 */
export async function keepSignIn(
  { url }: Pick<Issuer, 'url'>,
  kept: KeptSignIn | undefined,
): Promise<void> {
  const { folder, path } = file();
  const { [url]: _before, ...others } = await readEntries();
  const entries = kept === undefined ? others : { ...others, [url]: entryOf(kept) };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(entries)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, path);
}

function entryOf({ idToken, refreshToken, session }: KeptSignIn): Entries[string] {
  if (refreshToken === undefined) return idToken;
  return { id_token: idToken, refresh_token: refreshToken, session };
}

/**
 * Does the work while no other process of this user does. An issuer may take each refresh token once.
 * @throws Refused if another process holds the lock for too long
 */
export async function alone<T>(work: () => Promise<T>): Promise<T> {
  const { folder, lock } = file();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const givesUpAtMs = Date.now() + 2 * lockMs;
  const own = `${Date.now()} ${newSecret()}`;
  while (!(await isLocked(lock, own))) {
    if (Date.now() > givesUpAtMs)
      throw new Refused([`another command renews your sign-in: try again, or remove ${lock}`]);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    // Another process may have taken over a lock that was held for too long.
    if ((await contentOf(lock)) === own) await rm(lock, { force: true });
  }
}

/**
 * True if this process has the lock now. It takes over the lock of a process that was killed. The lock contains its time,
 * because the file system may have another clock.
 * @param own the lock's content if this process has it
 */
async function isLocked(lock: string, own: string): Promise<boolean> {
  const mine = `${lock}.${newSecret()}`;
  await writeFile(mine, own, { mode: 0o600, flag: 'wx' });
  try {
    await link(mine, lock);
    return true;
  } catch {
    const found = await contentOf(lock);
    if (found !== undefined && Date.now() - Number.parseInt(found, 10) > lockMs)
      await moveAway(lock, found);
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

/** Removes a stale lock, or puts it back if another process had replaced it meanwhile. */
async function moveAway(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.${newSecret()}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await contentOf(aside);
  if (moved !== undefined && moved !== stale) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
