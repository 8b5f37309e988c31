import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from './lock.js';
import { identify } from './process-identity.js';

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-lock-'));
  lock = join(folder, 'owner.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { pid } = process;

/** This process's start, as the launcher and the event store of earlier releases wrote it. */
async function earlierForms(): Promise<{ ofLauncher: string; ofStore: string }> {
  const { startedAt, started } = (await identify(pid)) ?? { startedAt: '', started: '' };
  return { ofLauncher: startedAt, ofStore: started };
}

describe('a lock that an earlier release wrote', () => {
  it('is held while its process runs, whichever of two programs wrote it', async () => {
    const { ofLauncher, ofStore } = await earlierForms();
    for (const owner of [
      { pid, startedAt: ofLauncher },
      { pid, started: ofStore },
    ]) {
      await writeFile(lock, JSON.stringify(owner));
      expect(await takeLock(lock)).toEqual({ owner: pid });
    }
  });

  it('is taken over if its pid belongs to another process by now', async () => {
    for (const owner of [
      { pid, startedAt: 'another boot/1' },
      { pid, started: '1' },
    ]) {
      await writeFile(lock, JSON.stringify(owner));
      const taken = await takeLock(lock);
      expect(taken).toHaveProperty('release');
      if ('release' in taken) await taken.release();
      expect(await readdir(folder)).toEqual([]);
    }
  });
});

it('a lock names its owner in both forms that earlier releases read', async () => {
  const { ofLauncher, ofStore } = await earlierForms();
  await takeLock(lock);
  const written = JSON.parse(await readFile(lock, 'utf8')) as object;
  expect(written).toEqual({ pid, startedAt: ofLauncher, started: ofStore });
});

const onLinux = process.platform === 'linux' ? it : it.skip;
onLinux(
  'the form of the event store is the ticks of /proc, of the launcher with the boot',
  async () => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    expect(await earlierForms()).toEqual({ ofLauncher: `${boot.trim()}/${ticks}`, ofStore: ticks });
  },
);
