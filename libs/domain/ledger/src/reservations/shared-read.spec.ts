import { describe, expect, it } from '@jest/globals';
import { SharedRead } from './shared-read.js';

describe('a shared read', () => {
  it('begins after each request for it, one at a time, and no more often than that needs', async () => {
    const looks = new SharedRead<number>();
    let now = 0;
    let begun = 0;
    const look = async (): Promise<number> => {
      begun += 1;
      const seen = now;
      await Promise.resolve();
      return seen;
    };
    const first = looks.ask('a', look);
    now = 1;
    const meanwhile = Array.from({ length: 50 }, () => looks.ask('a', look));
    expect(await first).toBe(0);
    expect(new Set(await Promise.all(meanwhile))).toEqual(new Set([1]));
    expect(begun).toBe(2);
    now = 2;
    expect(await Promise.all([looks.ask('a', look), looks.ask('b', look)])).toEqual([2, 2]);
  });

  it('fails for those who shared it, and for no later caller', async () => {
    const looks = new SharedRead<string>();
    const away = () => Promise.reject(new Error('away'));
    const first = looks.ask('a', away);
    const next = looks.ask('a', () => Promise.resolve('back'));
    await expect(first).rejects.toThrow('away');
    expect(await next).toBe('back');
    expect(await looks.ask('a', () => Promise.resolve('later'))).toBe('later');
  });
});
