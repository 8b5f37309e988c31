import { describe, expect, it } from '@jest/globals';
import { Keyring } from '#shared/signing';
import { bearerSeal } from './bearer.js';

const key = (id: string, byte: number) => ({ id, bytes: Buffer.alloc(32, byte) });
const ours = bearerSeal(Keyring.from([key('k1', 7)]));

describe('the rail’s bearer token', () => {
  it('is sealed, never twice to the same text, and opens for a holder of the key', () => {
    const sealed = [ours.seal('token-1'), ours.seal('token-1')];
    expect(new Set(sealed).size).toBe(2);
    expect(sealed.join('')).not.toContain('token-1');
    expect(sealed.map((each) => ours.open(each))).toEqual(['token-1', 'token-1']);
    const rotated = bearerSeal(Keyring.from([key('k2', 8), key('k1', 7)]));
    expect(rotated.open(ours.seal('token-1'))).toBe('token-1');
  });

  it.each([
    ['another key', bearerSeal(Keyring.from([key('k2', 8)])).seal('token-1')],
    ['a key of the same name', bearerSeal(Keyring.from([key('k1', 8)])).seal('token-1')],
    ['no key', 'sealed:k1:AAAA'],
  ])('counts as none under %s', (_, sealed) => {
    expect(ours.open(sealed)).toBeUndefined();
  });

  it('is accepted in the open form that the previous release stored', () => {
    expect(ours.open('kPyfZIlPOEzJ8x')).toBe('kPyfZIlPOEzJ8x');
  });
});
