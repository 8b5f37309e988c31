import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, Loop, Metrics } from '#infra/runtime';
import { StallWatch } from './stall-watch.js';

it('a loop that completes no step is reported once, and once more when it does again', async () => {
  const [metrics, logger] = [new Metrics(), createLogger({ app: 'spec', level: 'silent' })];
  const lines: (readonly [string, string])[] = [];
  const note = (level: string) => (_details: object, message: string) =>
    lines.push([level, message]);
  const watch = new StallWatch(metrics, { error: note('error'), info: note('info') } as never);
  expect(watch.look()).toEqual([]);
  const held = Promise.withResolvers<'idle'>();
  const loop = new Loop({
    name: 'inbox',
    step: () => held.promise,
    idleMs: 600_000,
    maxBackoffMs: 1,
    stalledAfterMs: 1,
    logger,
    metrics,
  });
  loop.start();
  await sleep(10);
  expect([watch.look(), watch.look()]).toEqual([['inbox'], ['inbox']]);
  expect(lines).toEqual([['error', 'a loop completes no step']]);
  held.resolve('idle');
  await sleep(10);
  expect(watch.look()).toEqual([]);
  expect(lines.slice(1)).toEqual([['info', 'a loop completes its steps again']]);
  await loop.stop();
});
