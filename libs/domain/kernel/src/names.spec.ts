import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameName } from './names.js';

describe('names', () => {
  it.each([
    ['Asha', 'asha'],
    ['Renée', 'Rene\u0301e'],
    ['Renée', 'Rene\u034f\u0301e'],
    ['till 1', 'till\u200b1'],
    ['ΝΙΚΟΣ Β', 'ΝΙΚΟΣΒ'],
    ['ﬁscal', 'FISCAL'],
  ])('are the same if a reader may confuse them: %s, %s', (one, other) => {
    expect(isSameName(one, other)).toBe(true);
  });

  it('are different if they differ in a letter', () => {
    expect(isSameName('till 1', 'till 2')).toBe(false);
    expect(isSameName('Rene', 'René')).toBe(false);
  });

  it('are the same if they differ only by invisible characters and spaces, wherever these are', () => {
    const invisible = fc.constantFrom(' ', '\u034f', '\u200b', '\u00ad', '\u2060', '\ufe0f');
    const name = fc.array(fc.constantFrom('a', 'E', 'e\u0301', 'Σ', 'ß', 'İ', '1'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(name, fc.array(invisible, { maxLength: 8 }), (letters, hidden) => {
        const split = Array.from(letters.join(''))
          .map((letter, n) => letter + (hidden[n] ?? ''))
          .join('');
        expect(isSameName(letters.join(''), split)).toBe(true);
      }),
    );
  });
});
