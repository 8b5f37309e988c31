import { expect, it } from '@jest/globals';
import { takeScreenshot } from './fixture.js';

it('a picture that is not drawn in time is tried again, five times at most', async () => {
  const failing = (times: number) => {
    let tries = 0;
    const screenshot = () => {
      tries += 1;
      return tries > times
        ? Promise.resolve(Buffer.alloc(0))
        : Promise.reject(new Error('not drawn'));
    };
    const kept = takeScreenshot({ screenshot }, 'none', 0);
    return kept.then(
      () => tries,
      (error: unknown) => [tries, (error as Error).message],
    );
  };
  expect(await failing(0)).toBe(1);
  expect(await failing(4)).toBe(5);
  expect(await failing(5)).toEqual([5, 'not drawn']);
});
