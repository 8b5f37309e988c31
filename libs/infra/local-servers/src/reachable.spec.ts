import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyOnce, reachableByAll, reachableHome } from './reachable.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-reachable-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('a path', () => {
  it('is reachable by all users only if every folder above it lets them through', async () => {
    const inner = join(folder, 'a', 'b');
    await mkdir(inner, { recursive: true });
    expect(await reachableByAll(join(inner, 'data'))).toBe(true);
    await chmod(join(folder, 'a'), 0o700);
    expect(await reachableByAll(join(inner, 'data'))).toBe(false);
  });
});

describe('a home that all can reach', () => {
  it('is always the same for a data directory, is noted there, and is refused if it is another user’s', async () => {
    const home = await reachableHome(folder);
    try {
      expect(await reachableHome(folder)).toBe(home);
      expect(await readFile(join(folder, 'postgres-home'), 'utf8')).toBe(`${home}\n`);
      await rm(home, { recursive: true });
      await symlink('/tmp', home);
      await expect(reachableHome(folder)).rejects.toThrow(/belongs to somebody else/);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe('a copy', () => {
  it('is made once per version, links as links', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    await mkdir(from);
    await writeFile(join(from, 'lib.so.1'), 'one');
    await symlink('lib.so.1', join(from, 'lib.so'));
    await copyOnce(from, to, '1');
    await writeFile(join(from, 'lib.so.1'), 'two');
    await copyOnce(from, to, '1');
    expect(await readFile(join(to, 'lib.so'), 'utf8')).toBe('one');
    await copyOnce(from, to, '2');
    expect(await readFile(join(to, 'lib.so'), 'utf8')).toBe('two');
  });
});
