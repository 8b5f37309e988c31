import { expect, it } from '@jest/globals';
import { untilDue } from './until-due.js';

it('measures from the due time, and never from a time to come', async () => {
  const late = performance.now() - 5;
  expect(await untilDue(late)).toBe(late);
  for (let turn = 0; turn < 50; turn += 1) {
    const dueAt = performance.now() + turn / 10;
    const from = await untilDue(dueAt);
    expect(from).toBeLessThanOrEqual(Math.min(dueAt, performance.now()));
  }
});
