import { describe, expect, it } from '@jest/globals';
import { encodingOf } from './public-file.js';

describe('the encoding of a public file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0, gzip; q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ] as const)('for “%s” is %s', (accepted, encoding) => {
    expect(encodingOf(accepted)).toBe(encoding);
  });

  it('is none for a client that names none', () => {
    expect(encodingOf(undefined)).toBeUndefined();
  });
});
