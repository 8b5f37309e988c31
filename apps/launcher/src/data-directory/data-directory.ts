import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { takeLock } from '#infra/process-lock';
import { type ServerUrls } from '../children/environment.js';
import { StartRefused } from '../refusal.js';

/** `DATA_DIR`, which holds all files of the embedded parts. */
export class DataDirectory {
  private constructor(readonly path: string) {}

  /**
   * Creates the directory if it is missing.
   * @throws StartRefused if it cannot be written
   */
  static async open(given: string): Promise<DataDirectory> {
    const directory = new DataDirectory(resolve(given));
    try {
      // Others may pass through it, because under root Postgres runs as another user; each folder in it is private to
      // its owner.
      await mkdir(directory.path, { recursive: true, mode: 0o711 });
      await mkdir(directory.join('logs'), { recursive: true, mode: 0o700 });
      const probe = directory.join(`.writable-${randomUUID()}`);
      await (await open(probe, 'wx', 0o600)).close();
      await rm(probe);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      throw new StartRefused(
        `DATA_DIR: ${directory.path} cannot be written (${code}): give this user the right to, or name another directory`,
        { cause: error },
      );
    }
    return directory;
  }

  join(...names: string[]): string {
    return join(this.path, ...names);
  }

  logFile(app: string): string {
    return this.join('logs', `${app}.log`);
  }

  /** Undefined if there is no such file. */
  async read(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.join(name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Writes a file that only this user can read. If the machine fails, the file has either the old content or the new.
   */
  async writeSecret(name: string, text: string): Promise<void> {
    const temporary = this.join(`${name}.new`);
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.join(name));
  }

  async remove(name: string): Promise<void> {
    await rm(this.join(name), { force: true });
  }
}

/**
 * Takes the directory for this process until the process ends in any way.
 * @returns a function that releases it
 * @throws StartRefused if a living process has it
 */
export async function lockDataDirectory(directory: DataDirectory): Promise<() => Promise<void>> {
  const taken = await takeLock(directory.join('launcher.lock'));
  if ('release' in taken) return taken.release;
  throw new StartRefused(
    taken.owner === 'several'
      ? `DATA_DIR: ${directory.path} is being taken by several starts at once: try again`
      : `DATA_DIR: ${directory.path} is in use by another npm start (pid ${taken.owner}): stop that one, or give this one a DATA_DIR and ports of its own`,
  );
}

/** A log and its predecessor together take at most twice this, plus what is written between two checks. */
export const maxLogBytes = 10 * 1024 * 1024;

/**
 * Copies a log that has grown too large to `<file>.1` and empties it in place. Its writers keep their descriptors,
 * which append.
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

const runFile = 'run.json';

/** The issuer of identities, for the command line. */
export interface RunIssuer {
  readonly url: string;
  /** The issuer's name for the command line. */
  readonly clientId: string;
  readonly stepUpAcr: readonly string[];
  /** The token that names the owner of this machine; absent if everybody signs in. */
  readonly ownerToken?: string;
}

/** Writes DATA_DIR/run.json: the addresses of this run's servers, and the settings that the command line needs. */
export function writeRunFile(
  directory: DataDirectory,
  urls: ServerUrls,
  given: {
    readonly allowPrivate: boolean;
    /** Undefined if people do not sign in. */
    readonly issuer: RunIssuer | undefined;
    /** The settings by name, as given. */
    readonly settings: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const run = {
    eventstore_url: urls.eventstore,
    database_url: urls.database,
    redis_url: urls.redis,
    webhook_allow_private: given.allowPrivate,
    oidc_issuer: given.issuer?.url,
    oidc_cli_client_id: given.issuer?.clientId,
    oidc_step_up_acr: given.issuer?.stepUpAcr,
    owner_token: given.issuer?.ownerToken,
    settings: given.settings,
  };
  return directory.writeSecret(runFile, `${JSON.stringify(run, null, 2)}\n`);
}

/** The addresses mean nothing after the servers stop. */
export function removeRunFile(directory: DataDirectory): Promise<void> {
  return directory.remove(runFile);
}
