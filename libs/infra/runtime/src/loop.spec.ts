import { describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, Loop, type LoopOptions, Metrics, stalledLoops } from './index.js';

function loopOf(step: LoopOptions['step'], options: Partial<LoopOptions> = {}) {
  const metrics = new Metrics();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  const loop = new Loop({
    name: 'spec',
    step,
    idleMs: 20,
    maxBackoffMs: 20,
    logger,
    metrics,
    ...options,
  });
  const errors = async (): Promise<string> =>
    (await metrics.registry.metrics()).match(/^pesapost_loop_errors_total\{.*\} (\d+)$/m)?.[1] ??
    '';
  return { loop, errors, stalled: () => stalledLoops(metrics) };
}

/** Waits until the condition is true; the test's own deadline ends a wait in vain. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(1);
}

describe('a loop', () => {
  it('continues at once while there is work, and rests when there is none', async () => {
    let steps = 0;
    const { loop } = loopOf(
      () => {
        steps += 1;
        return Promise.resolve(steps < 50 ? 'busy' : 'idle');
      },
      { idleMs: 60_000 },
    );
    loop.start();
    loop.start();
    await until(() => steps === 50);
    await sleep(20);
    expect(steps).toBe(50);
    loop.wake();
    await until(() => steps === 51);
    await loop.stop();
  });

  it('continues after failures, and counts them', async () => {
    let steps = 0;
    const { loop, errors } = loopOf(() => {
      steps += 1;
      return steps <= 3 ? Promise.reject(new Error('no')) : Promise.resolve('idle');
    });
    expect(await errors()).toBe('');
    loop.start();
    await until(() => steps > 3);
    expect(await errors()).toBe('3');
    await loop.stop();
  });

  it('waits for the step in flight when it is stopped, and starts no other', async () => {
    const seen: string[] = [];
    const { loop } = loopOf(async (signal) => {
      seen.push('begin');
      await sleep(60);
      seen.push(signal.aborted ? 'end, told to stop' : 'end');
      return 'busy';
    });
    loop.start();
    await until(() => seen.length === 1);
    await loop.stop();
    expect(seen).toEqual(['begin', 'end, told to stop']);
    loop.start();
    await sleep(80);
    expect(seen).toHaveLength(2);
  });

  it('is not held up for ever by a step that hangs', async () => {
    const { loop } = loopOf(() => new Promise(() => undefined), { stopDeadlineMs: 50 });
    loop.start();
    const started = performance.now();
    await loop.stop();
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it.each([
    ['hangs', () => new Promise<never>(() => undefined)],
    ['fails each time', () => Promise.reject(new Error('no'))],
  ])('is stalled if its step %s, until it is stopped', async (_how, step) => {
    const { loop, stalled } = loopOf(step, { stalledAfterMs: 30, stopDeadlineMs: 1 });
    loop.start();
    expect(stalled()).toEqual([]);
    await until(() => stalled().length > 0);
    expect(stalled()).toEqual(['spec']);
    await loop.stop();
    expect(stalled()).toEqual([]);
  });

  it('is not stalled while it rests or completes steps, however long, nor after a step that failed', async () => {
    let steps = 0;
    const { loop, stalled } = loopOf(
      () => {
        steps += 1;
        return steps === 1 ? Promise.reject(new Error('no')) : Promise.resolve('idle');
      },
      { stalledAfterMs: 0, idleMs: 60_000 },
    );
    loop.start();
    await until(() => steps === 2);
    await sleep(20);
    expect(stalled()).toEqual([]);
    expect(stalledLoops(new Metrics())).toEqual([]);
    await loop.stop();
  });

  it('is stalled after five minutes, unless its steps may take longer', () => {
    const hangs = () => new Promise<never>(() => undefined);
    const [quick, slow] = [loopOf(hangs), loopOf(hangs, { stalledAfterMs: 600_000 })];
    const startedAt = performance.now();
    for (const { loop } of [quick, slow]) loop.start();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(startedAt + 299_000);
    expect([quick.stalled(), slow.stalled()]).toEqual([[], []]);
    clock.mockReturnValue(startedAt + 330_000);
    expect([quick.stalled(), slow.stalled()]).toEqual([['spec'], []]);
    clock.mockRestore();
  });

  it('lets others run while it is busy', async () => {
    const { loop } = loopOf(() => Promise.resolve('busy'));
    loop.start();
    const started = performance.now();
    await sleep(10);
    expect(performance.now() - started).toBeLessThan(60_000);
    await loop.stop();
  });
});
