import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.js';

const run = promisify(execFile);
const deadlineMs = 300_000;

/** The command of a server: the program, and its environment. */
export interface ServerProgram {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Packages with the server, each with its program next to it; newer systems have the second. */
const packages = [
  { server: 'redis-server', all: ['redis-server', 'redis-tools'] },
  { server: 'valkey-server', all: ['valkey-server', 'valkey-tools'] },
] as const;

/** Libraries that must be the system's own, and exist on each system that has apt. */
const systemLibraries = /^(libc6|libgcc-s1|libstdc\+\+6|libsystemd0|libelogind0)$/;

/**
 * Redis without root: on Debian and Ubuntu, any user may download packages and unpack them. The download stays in the
 * folder, and runs from there with the libraries that came with it.
 * @param onDownload called before a download
 * @returns undefined if that is impossible: no apt, no network, a package that does not run here
 */
export async function unpackedRedis(
  folder: string,
  onDownload: (what: string) => void,
): Promise<ServerProgram | undefined> {
  const kept = await programIn(folder);
  if (kept) return kept;
  const [apt, dpkg] = await Promise.all([findProgram(['apt-get']), findProgram(['dpkg-deb'])]);
  if (apt === undefined || dpkg === undefined) return undefined;
  const fresh = `${folder}.new`;
  for (const { all } of packages)
    try {
      await rm(fresh, { recursive: true, force: true });
      onDownload(`apt-get download ${all[0]}`);
      await unpack(await download(apt, join(fresh, 'packages'), all), dpkg, join(fresh, 'root'));
      if (!(await programIn(fresh))) continue;
      await rm(folder, { recursive: true, force: true });
      await rename(fresh, folder);
      return await programIn(folder);
    } catch {
      // If the system lacks the package, or has no network, the next one is tried; at the end, a message says what to
      // install.
    }
  await rm(fresh, { recursive: true, force: true });
  return undefined;
}

/** @returns the server that was unpacked there, if it runs */
async function programIn(folder: string): Promise<ServerProgram | undefined> {
  const root = join(folder, 'root');
  const names = packages.map(({ server }) => server);
  const command = await findProgram(names, [join(root, 'usr', 'bin')]);
  if (command === undefined) return undefined;
  const libraries = await libraryFolders(root);
  const env = { LD_LIBRARY_PATH: libraries.join(':') };
  return run(command, ['--version'], { env: { ...process.env, ...env }, timeout: 10_000 }).then(
    () => ({ command, env }),
    () => undefined,
  );
}

/** The folders of Debian's multiarch, such as usr/lib/x86_64-linux-gnu. */
async function libraryFolders(root: string): Promise<string[]> {
  const found = await Promise.all(
    [join(root, 'lib'), join(root, 'usr', 'lib')].map(async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return [folder, ...entries.filter((e) => e.isDirectory()).map((e) => join(folder, e.name))];
    }),
  );
  return found.flat();
}

/** @returns the files, in the folder */
async function download(
  apt: string,
  folder: string,
  names: readonly string[],
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // apt's own lists may be missing, as in container images, and only root may write there.
  const own = ['State', 'Cache'].map((kind) => `-oDir::${kind}=${join(folder, kind)}`);
  const status = '-oDir::State::status=/var/lib/dpkg/status';
  const options = { cwd: folder, timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024 };
  const withOptions = async (more: readonly string[]): Promise<void> => {
    const { stdout } = await run(apt.replace(/apt-get$/, 'apt-cache'), [
      ...more,
      ...['depends', '--no-recommends', '--no-suggests', '--no-conflicts', '--no-breaks'],
      ...['--no-replaces', '--no-enhances', '--no-pre-depends', ...names],
    ]);
    const libraries = [...stdout.matchAll(/Depends: (lib\S+|lua-\S+)/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => !systemLibraries.test(name));
    await run(apt, [...more, 'download', ...new Set([...names, ...libraries])], options);
  };
  await withOptions([]).catch(async () => {
    for (const kind of ['State/lists/partial', 'Cache/archives/partial'])
      await mkdir(join(folder, kind), { recursive: true });
    await run(apt, [...own, status, 'update'], options);
    await withOptions([...own, status]);
  });
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith('.deb')).map((file) => join(folder, file));
}

async function unpack(files: readonly string[], dpkg: string, root: string): Promise<void> {
  for (const file of files) {
    await run(dpkg, ['--extract', file, root], { timeout: deadlineMs });
    await rm(file);
  }
}
