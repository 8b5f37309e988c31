import { describe, expect, it } from '@jest/globals';
import { cachedFor } from './index.js';

describe('a cached value', () => {
  it('is requested once by concurrent callers, and again after its time, even if it fails', async () => {
    let calls = 0;
    const work = (): Promise<number> => {
      calls += 1;
      return calls === 1 ? Promise.resolve(1) : Promise.reject(new Error('away'));
    };
    const long = cachedFor(60_000, work);
    expect(await Promise.all([long(), long(), long()])).toEqual([1, 1, 1]);
    expect(calls).toBe(1);
    const short = cachedFor(-1, work);
    await expect(short()).rejects.toThrow('away');
    await expect(short()).rejects.toThrow('away');
    expect(calls).toBe(3);
  });
});
