import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, Supervised } from './supervised.js';

/** Fake processes that end on demand. */
class FakeProcesses {
  readonly starts: { readonly at: number; readonly end: (how: string) => void }[] = [];
  failures = 0;

  readonly start = (): Promise<Running> => {
    if (this.failures > 0) {
      this.failures -= 1;
      return Promise.reject(new Error('the port is taken'));
    }
    let end: (how: string) => void = () => undefined;
    const exited = new Promise<string>((resolve) => {
      end = resolve;
    });
    this.starts.push({ at: performance.now(), end });
    const stop = (): Promise<void> => {
      end('SIGTERM');
      return Promise.resolve();
    };
    return Promise.resolve({ pid: this.starts.length, exited, stop });
  };

  async untilStarts(count: number): Promise<void> {
    const giveUpAt = performance.now() + 60_000;
    while (this.starts.length < count && performance.now() < giveUpAt) await sleep(10);
    expect(this.starts).toHaveLength(count);
  }
}

describe('a supervised process', () => {
  let supervised: Supervised | undefined;
  const lines: string[] = [];
  const supervise = async (processes: FakeProcesses): Promise<Supervised> => {
    lines.length = 0;
    supervised = await Supervised.start(
      {
        name: 'pesapost-worker',
        logFile: 'worker.log',
        start: processes.start,
        say: (line) => lines.push(line),
      },
      new AbortController().signal,
    );
    return supervised;
  };
  afterEach(() => supervised?.stop());

  it('is started again within a second of its death, and one line reports that', async () => {
    const processes = new FakeProcesses();
    await supervise(processes);
    processes.starts[0]?.end('SIGKILL');
    // A second by this process's own timers: a busy machine delays both alike.
    const aSecondLater = sleep(1000).then(() => performance.now());
    await processes.untilStarts(2);
    expect(processes.starts[1]?.at).toBeLessThan(await aSecondLater);
    expect(lines).toEqual([
      'pesapost-worker ended (SIGKILL) and is started again; its log: worker.log',
    ]);
  });

  it('is retried if its start fails, with one line for the same failure', async () => {
    const processes = new FakeProcesses();
    await supervise(processes);
    processes.failures = 2;
    processes.starts[0]?.end('exit 1');
    await processes.untilStarts(2);
    expect(lines.filter((line) => line.includes('the port is taken'))).toHaveLength(1);
  });

  it('does not come back after it was stopped, even if it had just died', async () => {
    const processes = new FakeProcesses();
    const stopped = await supervise(processes);
    processes.starts[0]?.end('SIGKILL');
    await sleep(20);
    await stopped.stop();
    await sleep(1200);
    expect(processes.starts).toHaveLength(1);
    expect(stopped.isRunning).toBe(false);
  });

  it('is a failure for its caller if the first start fails', async () => {
    const processes = new FakeProcesses();
    processes.failures = 1;
    await expect(supervise(processes)).rejects.toThrow('the port is taken');
  });
});
