import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compactTime, isCompactTime, portalTime } from './east-africa-time.js';

describe('East Africa Time', () => {
  it('is three hours ahead of UTC, into the next day and year', () => {
    const atMs = Date.parse('2025-12-31T21:05:09.999Z');
    expect(compactTime(atMs)).toBe('20260101000509');
    expect(portalTime(atMs)).toBe('01-01-2026 00:05:09');
  });

  it('every instant that is written is read as one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (atMs) => isCompactTime(compactTime(atMs))),
    );
  });

  it.each(['20260229000000', '20261301000000', '20260101240000', '2026010100000', '2026-01-01'])(
    '%s is no instant',
    (text) => {
      expect(isCompactTime(text)).toBe(false);
    },
  );
});
