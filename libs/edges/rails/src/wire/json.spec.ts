import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseObject } from './json.js';

describe('the rail’s JSON', () => {
  it('keeps every number as its literal text, and leaves everything else unchanged', () => {
    const literal = fc.oneof(
      fc.maxSafeInteger().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom('1.00', '0.10', '-0', '1e2', '1.5E+10', '-2e-3', '20191219102115'),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('":1', ', 5', '\\"', '[1'),
    );
    const value = fc.oneof(
      literal,
      text.map((one) => JSON.stringify(one)),
    );
    const space = fc.constantFrom('', ' ', '\n\t');
    fc.assert(
      fc.property(text, fc.array(fc.tuple(value, literal)), space, (name, pairs, gap) => {
        const list = pairs.map(([one, number]) => `${gap}${one}${gap},${gap}${number}`);
        const json = `{${JSON.stringify(name)}${gap}:${gap}[${list.join(',')}]}`;
        const asText = (token: string): unknown =>
          token.startsWith('"') ? JSON.parse(token) : token;
        expect(parseObject(json)).toEqual({ [name]: pairs.flat().map(asText) });
      }),
    );
  });

  it.each(['{"a":01}', '{"a":1.}', '{1:2}', '{"a":1"b"}', '{"a":+1}', '[1]', '1', '{"a":1'])(
    '%s is none',
    (text) => {
      expect(parseObject(text)).toBeUndefined();
    },
  );
});
