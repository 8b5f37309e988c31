import { describe, expect, it } from '@jest/globals';
import { concurrently, DependencyUnavailable } from './index.js';

const away = () => new DependencyUnavailable('event store', 'it is away');

describe('work on many items at once', () => {
  /** Returns the failure of the whole if its items fail with these errors. */
  const failed = (...failures: readonly (Error | undefined)[]): Promise<unknown> =>
    concurrently(failures, 2, async (failure) => {
      await Promise.resolve();
      if (failure) throw failure;
    }).catch((error: unknown) => error);

  it('fails as its dependency does if that is away for all that fail, so the caller may retry', async () => {
    expect(await failed(away(), undefined, away(), away())).toBeInstanceOf(DependencyUnavailable);
  });

  it('fails with all that failed if one of them is a defect', async () => {
    const defect = new TypeError('a defect');
    const found = await failed(away(), undefined, defect);
    expect(found).toBeInstanceOf(AggregateError);
    expect((found as AggregateError).errors).toContain(defect);
  });

  it('fails with a single failure itself, once the others have ended', async () => {
    const ended: number[] = [];
    const defect = new TypeError('a defect');
    const whole = concurrently([1, 2, 3], 2, async (item) => {
      await Promise.resolve();
      if (item === 1) throw defect;
      ended.push(item);
    });
    await expect(whole).rejects.toBe(defect);
    expect(ended).toEqual([2, 3]);
  });
});
