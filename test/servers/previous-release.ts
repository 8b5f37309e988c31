import { execFile } from 'node:child_process';
import { mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';

const run = promisify(execFile);
const buildDeadlineMs = 600_000;

/**
 * Builds the last release that the changelog names, as it was in the commit that added its heading. It uses the packages
 * of this release.
 * @returns its folder, which the caller removes
 * @throws Error if the repository's history is missing
 */
export async function previousRelease(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pesapost-previous-'));
  const archive = join(home, 'release.tar');
  await git('archive', '--output', archive, await releasedCommit());
  await run('tar', ['--extract', '--file', archive, '--directory', home]);
  await symlink(packageDirectory('node_modules'), join(home, 'node_modules'));
  const how = { cwd: home, timeout: buildDeadlineMs };
  await run(process.execPath, [join(home, 'node_modules/@nestjs/cli/bin/nest.js'), 'build'], how);
  await run(process.execPath, [join(home, 'scripts/bundle.mjs')], how);
  return home;
}

async function releasedCommit(): Promise<string> {
  const changelog = await readFile(packageDirectory('CHANGELOG.md'), 'utf8');
  const heading = /^## \d+\.\d+\.\d+$/m.exec(changelog)?.[0];
  if (heading === undefined) throw new Error('CHANGELOG.md names no release');
  const commits = await git('log', '--format=%H', '-S', heading, '--', 'CHANGELOG.md');
  const first = commits.trim().split('\n').at(-1);
  if (first === undefined || first === '')
    throw new Error(`no commit adds "${heading}": fetch the whole history (git fetch --unshallow)`);
  return first;
}

async function git(...words: readonly string[]): Promise<string> {
  return (await run('git', words, { cwd: packageDirectory() })).stdout;
}
