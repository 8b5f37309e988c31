import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The release and the build of a program, such as `0.1.0+1f0c3e5a9b27`: the version of package.json and the beginning of
 * the program's digest. The program names its parts by their digests, so it covers them.
 * @param program path of the program; the version alone if there is no such file, as with `node --eval`
 */
export function buildOf(program: string | undefined = process.argv[1]): string {
  if (program !== process.argv[1]) return readBuild(program);
  own ??= readBuild(program);
  return own;
}

/** The build of this process: its program does not change while it runs, and each of its loggers asks for it. */
let own: string | undefined;

function readBuild(program: string | undefined): string {
  const { version } = JSON.parse(readFileSync(packageDirectory('package.json'), 'utf8')) as {
    readonly version: string;
  };
  if (program === undefined || !existsSync(program)) return version;
  const digest = createHash('sha256').update(readFileSync(program)).digest('hex');
  return `${version}+${digest.slice(0, 12)}`;
}

/** A directory of the package, from the sources or from dist. */
export function packageDirectory(...path: string[]): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!isPackageRoot(directory)) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('package.json of pesapost is not above this file');
    directory = parent;
  }
  return join(directory, ...path);
}

function isPackageRoot(directory: string): boolean {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return false;
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'pesapost';
}
