import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor.js';

const position = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

describe('a cursor', () => {
  it('is read back as the position that it was made of', () => {
    fc.assert(
      fc.property(position, (value) => {
        expect(decodeCursor(encodeCursor(value))).toBe(value);
      }),
    );
  });

  it('fits a query as it is', () => {
    fc.assert(
      fc.property(position, (value) => {
        expect(encodeCursor(value)).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
    );
  });

  it('is malformed when a character is changed, added or taken away', () => {
    const change = fc.record({
      at: fc.nat(17),
      to: fc.constantFrom(
        ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'),
      ),
    });
    fc.assert(
      fc.property(position, change, (value, { at, to }) => {
        const cursor = encodeCursor(value);
        fc.pre(cursor[at] !== to);
        const changed = cursor.slice(0, at) + to + cursor.slice(at + 1);
        expect(decodeCursor(changed)).toBeUndefined();
        expect(decodeCursor(cursor.slice(0, at) + to + cursor.slice(at))).toBeUndefined();
        expect(decodeCursor(cursor.slice(0, at) + cursor.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('is no other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeCursor(text)).toBeUndefined();
      }),
    );
  });

  it.each(['', ' ', '=', '0', '-1', '12345', 'null', 'a+b/c=='])('is not %j', (text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });

  it('is malformed with padding or white space', () => {
    const cursor = encodeCursor(42n);
    expect(decodeCursor(`${cursor}==`)).toBeUndefined();
    expect(decodeCursor(` ${cursor}`)).toBeUndefined();
  });

  it('stays readable in all releases to come', () => {
    expect(decodeCursor('AQAAAAAAAAAqzcg7Ng')).toBe(42n);
  });
});
