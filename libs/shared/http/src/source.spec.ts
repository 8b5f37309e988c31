import { describe, expect, it } from '@jest/globals';
import { sourceOf } from './callers.js';

describe('the source that shares a limit', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['1::', '1:0:0:0'],
    [undefined, 'unknown'],
  ])('%s belongs to %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});
