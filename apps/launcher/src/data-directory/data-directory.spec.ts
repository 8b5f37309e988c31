import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '#infra/process-lock';
import { boundLog, DataDirectory, lockDataDirectory, writeRunFile } from './data-directory.js';
import { masterKeyOf } from './master-key.js';

describe('the data directory', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pesapost-launcher-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): Promise<DataDirectory> => DataDirectory.open(join(folder, 'data'));

  it('is created if it is missing, with logs that only the owner can read', async () => {
    const directory = await open();
    expect((await stat(directory.join('logs'))).mode & 0o777).toBe(0o700);
  });

  it('is refused in one line that names the setting if it cannot be written', async () => {
    await writeFile(join(folder, 'data'), 'a file');
    await expect(open()).rejects.toThrow(/^DATA_DIR: .* cannot be written \(E[A-Z]+\): [^\n]*$/);
  });

  it('writes secrets for the owner alone, also over a file that all could read', async () => {
    const directory = await open();
    await writeFile(directory.join('demo.json'), 'old');
    await chmod(directory.join('demo.json'), 0o644);
    await directory.writeSecret('demo.json', 'new');
    expect((await stat(directory.join('demo.json'))).mode & 0o777).toBe(0o600);
    expect(await directory.read('demo.json')).toBe('new');
    expect(await directory.read('nothing')).toBeUndefined();
  });

  it('informs the command line of the running servers and of the settings that it shares', async () => {
    const directory = await open();
    const urls = { eventstore: 'esdb://store', database: 'postgres://records', redis: 'redis://' };
    const settings = { V4_GA_DATE: '2026-02-15' };
    await writeRunFile(directory, urls, { allowPrivate: true, issuer: undefined, settings });
    expect(JSON.parse((await directory.read('run.json')) ?? '')).toEqual({
      eventstore_url: urls.eventstore,
      database_url: urls.database,
      redis_url: urls.redis,
      webhook_allow_private: true,
      settings,
    });
  });

  describe('lock', () => {
    it('is refused to a second start while the first runs, and free after it', async () => {
      const directory = await open();
      const release = await lockDataDirectory(directory);
      await expect(lockDataDirectory(directory)).rejects.toThrow(
        new RegExp(`in use by another npm start \\(pid ${process.pid}\\)`),
      );
      await release();
      await (
        await lockDataDirectory(directory)
      )();
      expect(await readdir(directory.path)).toEqual(['logs']);
    });

    it('is taken over from a dead process', async () => {
      const directory = await open();
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      const identity = await identify(child.pid ?? 0);
      await writeFile(directory.join('launcher.lock'), JSON.stringify(identity));
      await expect(lockDataDirectory(directory)).rejects.toThrow('in use');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await lockDataDirectory(directory);
    });

    it('is taken over from a process whose number was given out again', async () => {
      const directory = await open();
      const other = { pid: process.pid, startedAt: 'another boot/1' };
      await writeFile(directory.join('launcher.lock'), JSON.stringify(other));
      await lockDataDirectory(directory);
    });

    it('is taken over if a crash left it torn', async () => {
      const directory = await open();
      await writeFile(directory.join('launcher.lock'), '{"pid":');
      await lockDataDirectory(directory);
      const found = JSON.parse(await readFile(directory.join('launcher.lock'), 'utf8')) as object;
      expect(found).toEqual(await identify(process.pid));
    });
  });

  describe('master key', () => {
    it('is created once, for the owner alone, and kept', async () => {
      const directory = await open();
      const made = await masterKeyOf(directory, undefined);
      expect(made.text).toMatch(/^made-by-npm-start:[A-Za-z0-9+/]{43}=$/);
      expect((await stat(directory.join('master.key'))).mode & 0o777).toBe(0o600);
      expect((await masterKeyOf(directory, '')).text).toBe(made.text);
    });

    it('is the setting if there is one, and then no file is created', async () => {
      const directory = await open();
      expect((await masterKeyOf(directory, 'k9:setting')).text).toBe('k9:setting');
      expect(await directory.read('master.key')).toBeUndefined();
    });

    it('is forgotten if it was created for data of another key, but never if it was kept', async () => {
      const directory = await open();
      const made = await masterKeyOf(directory, undefined);
      await (await masterKeyOf(directory, undefined)).forget();
      expect(await directory.read('master.key')).toContain(made.text);
      await made.forget();
      expect(await directory.read('master.key')).toBeUndefined();
    });

    it('is refused, not replaced, if its file is damaged', async () => {
      const directory = await open();
      await directory.writeSecret('master.key', 'k1:torn');
      await expect(masterKeyOf(directory, undefined)).rejects.toThrow(/^MASTER_KEY: .* is damaged/);
      expect(await directory.read('master.key')).toBe('k1:torn');
    });
  });

  it('keeps a log and the one before it, and no more', async () => {
    const directory = await open();
    const file = directory.logFile('api');
    await boundLog(file, 10);
    await writeFile(file, 'short');
    await boundLog(file, 10);
    expect(await readFile(file, 'utf8')).toBe('short');
    for (const text of ['the first long log', 'the second long log']) {
      await writeFile(file, text);
      await boundLog(file, 10);
      expect(await readFile(file, 'utf8')).toBe('');
      expect(await readFile(`${file}.1`, 'utf8')).toBe(text);
    }
    expect((await readdir(directory.join('logs'))).sort()).toEqual(['api.log', 'api.log.1']);
  });
});
