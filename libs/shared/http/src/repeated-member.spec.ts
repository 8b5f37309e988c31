import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatedMember } from './raw-request.js';

describe('a repeated member', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"b":{"a":1},"c":[{"a":1,"a":1}]}', 'a'],
    ['{"a" : {"x":1}, "a":[]}', 'a'],
    ['{"":1,"":2}', ''],
  ])('is reported by name: %s', (text, name) => {
    expect(repeatedMember(text)).toBe(name);
  });

  it.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"\\"a\\":1,","b":"{\\"a\\":"}',
    '["a","a"]',
    '"a"',
    '{}',
  ])('is not reported if each member occurs once: %s', (text) => {
    expect(repeatedMember(text)).toBeUndefined();
  });

  it('is found in any document exactly when one is added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (members) => {
        const names = Object.keys(members);
        const text = JSON.stringify(members);
        expect(repeatedMember(text)).toBeUndefined();
        const [first = ''] = names;
        expect(repeatedMember(`${text.slice(0, -1)},${JSON.stringify(first)}:0}`)).toBe(first);
      }),
    );
  });
});
