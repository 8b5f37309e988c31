import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatMinor,
  instantFromMs,
  isMinorText,
  msFromInstant,
  parseMinor,
  writeJson,
} from './index.js';

describe('amounts as text', () => {
  it('come back unchanged at any size', () => {
    fc.assert(fc.property(fc.bigInt(), (amount) => parseMinor(formatMinor(amount)) === amount));
  });

  it('are written to JSON as integers with all their digits', () => {
    expect(writeJson({ amount_minor: 9_007_199_254_740_993n })).toBe(
      '{"amount_minor":9007199254740993}',
    );
  });

  it('leave the rest of the JSON exactly as JSON.stringify writes it', () => {
    const toJSON = (): string => 'own';
    const values = fc.oneof(fc.jsonValue(), fc.object({ withDate: true }), fc.constant({ toJSON }));
    fc.assert(
      fc.property(values, (value) => {
        expect(writeJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each(['', '01', '+1', '1.0', '1e3', ' 1', '-0', '0x10', '１'])('never include %j', (text) => {
    expect(isMinorText(text)).toBe(false);
    expect(() => parseMinor(text)).toThrow(RangeError);
  });
});

describe('instants', () => {
  it('sort as text as they sort in time', () => {
    const ms = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
    fc.assert(fc.property(ms, ms, (a, b) => a < b === instantFromMs(a) < instantFromMs(b)));
  });

  it('are what ECMAScript writes, whichever was written before', () => {
    const ms = fc.oneof(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.integer({ min: 1_790_000_000_000, max: 1_790_000_003_000 }),
    );
    fc.assert(
      fc.property(fc.array(ms, { maxLength: 20 }), (all) => {
        expect(all.map(instantFromMs)).toEqual(all.map((each) => new Date(each).toISOString()));
      }),
    );
    expect(() => instantFromMs(Number.NaN)).toThrow(RangeError);
  });

  it('keep their milliseconds', () => {
    expect(instantFromMs(1_790_000_000_007)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.007Z$/);
    expect(msFromInstant(instantFromMs(1_790_000_000_007))).toBe(1_790_000_000_007);
  });
});
