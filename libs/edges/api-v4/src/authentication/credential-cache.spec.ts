import { rsaKeys } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { CredentialCache, readyCredential, type TokenHolder } from './caller.js';

const { publicKeyPem } = rsaKeys();

const holderOf = (credentialId: string): TokenHolder => ({
  credential: readyCredential(
    {
      credentialId,
      clientId: 'client',
      merchantId: 'merchant',
      mode: 'demo',
      holder: 'till',
      publicKeyPem,
      ipRanges: ['::1'],
    },
    { limit: 1, intervalMs: 1000, burst: 1 },
  ),
  expiresAtMs: 1,
});

/** Reads that end when the test says so. */
class Reads {
  readonly waiting: ((answer: TokenHolder | undefined | Error) => void)[] = [];
  count = 0;

  load = (): Promise<TokenHolder | undefined> => {
    this.count += 1;
    return new Promise((resolve, reject) => {
      this.waiting.push((answer) => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    });
  };

  async answer(answer: TokenHolder | undefined | Error): Promise<void> {
    this.waiting.shift()?.(answer);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const hash = Buffer.alloc(32, 1);
const first = holderOf('first');
let reads: Reads;
let nowMs: number;
let cache: CredentialCache;

beforeEach(() => {
  reads = new Reads();
  nowMs = 1000;
  cache = new CredentialCache({ load: reads.load, monotonicMs: () => nowMs });
});

async function warm(): Promise<void> {
  const found = cache.find(hash);
  await reads.answer(first);
  await found;
}

describe('the credential cache', () => {
  it('reads a token once for any number of callers', async () => {
    const all = Promise.all([cache.find(hash), cache.find(hash), cache.find(hash)]);
    await reads.answer(first);
    expect(await all).toEqual([first, first, first]);
    expect(await cache.find(hash)).toBe(first);
    expect(reads.count).toBe(1);
  });

  it('serves an entry of half a second while it reads again', async () => {
    await warm();
    nowMs += 500;
    expect(await cache.find(hash)).toBe(first);
    expect(await cache.find(hash)).toBe(first);
    expect(reads.count).toBe(2);
    const second = holderOf('first');
    await reads.answer(second);
    nowMs += 499;
    expect(await cache.find(hash)).toBe(second);
  });

  it('counts an entry’s age from when its reading began', async () => {
    const found = cache.find(hash);
    nowMs += 1000;
    await reads.answer(first);
    await found;
    void cache.find(hash);
    expect(reads.count).toBe(2);
  });

  it('serves nothing older than a second, even if Postgres is unavailable', async () => {
    await warm();
    nowMs += 999;
    expect(await cache.find(hash)).toBe(first);
    await reads.answer(new DependencyUnavailable('postgres', 'down'));
    nowMs += 1;
    const refused = expect(cache.find(hash)).rejects.toThrow(DependencyUnavailable);
    await reads.answer(new DependencyUnavailable('postgres', 'down'));
    await refused;
  });

  it('forgets a token that was found revoked', async () => {
    await warm();
    nowMs += 600;
    await cache.find(hash);
    await reads.answer(undefined);
    const found = cache.find(hash);
    await reads.answer(undefined);
    expect(await found).toBeUndefined();
  });

  it('remembers nothing of unknown tokens', async () => {
    for (let turn = 1; turn <= 2; turn += 1) {
      const found = cache.find(hash);
      await reads.answer(undefined);
      expect(await found).toBeUndefined();
      expect(reads.count).toBe(turn);
    }
  });

  it.each(['first', undefined])('reads again after an announcement of %s', async (announced) => {
    await warm();
    cache.forget(announced);
    void cache.find(hash);
    expect(reads.count).toBe(2);
  });

  it('keeps what another credential’s announcement does not concern', async () => {
    await warm();
    cache.forget('second');
    expect(await cache.find(hash)).toBe(first);
    expect(reads.count).toBe(1);
  });

  it('keeps nothing of a reading that an announcement overtook', async () => {
    const before = cache.find(hash);
    cache.forget('first');
    const after = cache.find(hash);
    await reads.answer(first);
    await before;
    await reads.answer(undefined);
    expect(await after).toBeUndefined();
    void cache.find(hash);
    expect(reads.count).toBe(3);
  });
});
