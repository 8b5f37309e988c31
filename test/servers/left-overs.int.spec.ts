import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { makeRunFolder, removeLeftOvers } from './left-overs.js';

const run = promisify(execFile);
const mountTmpfs = (path: string) => run('mount', ['-t', 'tmpfs', 'tmpfs', path]);
let parent: string;
let deadPid: number;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'left-overs-'));
  const ended = spawn('true');
  await once(ended, 'exit');
  deadPid = ended.pid ?? 0;
});

afterEach(() => rm(parent, { recursive: true, force: true }));

it('removes only the folder of a run that has ended', async () => {
  const gone = await makeRunFolder(parent, deadPid);
  await writeFile(join(gone, 'postgres.log'), 'the last line');
  const running = await makeRunFolder(parent);
  await mkdir(join(parent, 'of-somebody-else'));
  await removeLeftOvers(parent);
  expect((await readdir(parent)).sort()).toEqual(['of-somebody-else', basename(running)].sort());
});

it('removes a folder with a mounted file system that is still in use', async () => {
  const small = join(await makeRunFolder(parent, deadPid), 'small-disk');
  await mkdir(small);
  await mountTmpfs(small);
  const user = spawn('sleep', ['60'], { cwd: small });
  try {
    await removeLeftOvers(parent);
    expect(await readdir(parent)).toEqual([]);
  } finally {
    user.kill('SIGKILL');
  }
});

it('continues if a folder cannot be removed', async () => {
  await mountTmpfs(parent);
  try {
    const gone = await makeRunFolder(parent, deadPid);
    await run('mount', ['-o', 'remount,ro', parent]);
    await removeLeftOvers(parent);
    expect(await readdir(parent)).toEqual([basename(gone)]);
  } finally {
    await run('umount', [parent]);
  }
});

it('does nothing if there is no such folder', async () => {
  await expect(removeLeftOvers(join(parent, 'absent'))).resolves.toBeUndefined();
});
