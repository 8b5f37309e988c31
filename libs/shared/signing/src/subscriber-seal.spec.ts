import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SubscriberSeal } from './subscriber-seal.js';

const sealOf = (byte: number) => new SubscriberSeal(createSecretKey(Buffer.alloc(32, byte)));
const seal = sealOf(7);
const numbers = fc
  .tuple(fc.constantFrom('7', '1'), fc.stringMatching(/^[0-9]{8}$/))
  .map((parts) => parts.join(''));
const besides = fc.string({ maxLength: 40 });

describe('a subscriber’s number', () => {
  it('can be read only by the service, and only in its original place', () => {
    fc.assert(
      fc.property(numbers, besides, besides, (digits, beside, elsewhere) => {
        const sealed = seal.seal(digits, beside);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]{22}$/);
        expect(sealed).not.toContain(digits);
        expect(sealOf(7).seal(digits, beside)).toBe(sealed);
        expect(seal.open(sealed, beside)).toBe(digits);
        expect(seal.open(`${sealed}=`, beside)).toBeUndefined();
        expect(sealOf(8).open(sealed, beside)).toBeUndefined();
        if (elsewhere !== beside) expect(seal.open(sealed, elsewhere)).toBeUndefined();
      }),
    );
  });

  it('is not read from a text that others made', () => {
    fc.assert(
      fc.property(fc.string(), besides, (text, beside) => {
        expect(seal.open(text, beside)).toBeUndefined();
      }),
    );
  });
});
