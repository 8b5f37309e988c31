import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AddressRanges,
  backoffMs,
  formatRate,
  isAddressRange,
  parseDurationMs,
  parseRate,
} from './index.js';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['800ms', 800],
    ['75s', 75_000],
    ['5m', 300_000],
    ['48h', 172_800_000],
    ['30d', 2_592_000_000],
    ['-2h', -7_200_000],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', '5', '5 m', '1.5h', '5M', '1h30m', 'ms', '999999999999d', '--5s'])(
    '%j is none',
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );
});

describe('a rate', () => {
  it('is read back unchanged from its text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_999_999 }),
        fc.constantFrom(1000, 60_000, 3_600_000),
        fc.integer({ min: 1, max: 9_999_999 }),
        (limit, intervalMs, burst) => {
          const rate = { limit, intervalMs, burst };
          expect(parseRate(formatRate(rate))).toEqual(rate);
        },
      ),
    );
  });

  it('without a burst lets one interval’s worth through at once', () => {
    expect(parseRate('60/m')).toEqual({ limit: 60, intervalMs: 60_000, burst: 60 });
  });

  it.each(['', '0/s', '1/d', '1.5/s', '100', '100/s burst 0', '100/s 200', '-1/s'])(
    '%j is none',
    (text) => {
      expect(parseRate(text)).toBeUndefined();
    },
  );
});

describe('address ranges', () => {
  it.each(['127.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', '::/0'])(
    'accept %s',
    (text) => {
      expect(isAddressRange(text)).toBe(true);
    },
  );

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0/8',
    '::/129',
    'host',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    '::ffff:10.0.0.1/95',
    '0::ffff:a00:1/0',
  ])('refuse %j', (text) => {
    expect(isAddressRange(text)).toBe(false);
    expect(() => new AddressRanges([text])).toThrow(RangeError);
  });

  it('contain the addresses within them, each family for itself', () => {
    const ranges = new AddressRanges(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32']);
    for (const address of ['10.1.255.255', '192.0.2.7', '2001:db8::1'])
      expect(ranges.has(address)).toBe(true);
    for (const address of ['10.2.0.0', '192.0.2.8', '2001:db9::', 'nonsense', ''])
      expect(ranges.has(address)).toBe(false);
    expect(new AddressRanges([]).has('127.0.0.1')).toBe(false);
  });

  it.each(['::/1', '::/80', '::fffe:0:0/95', '::/0'])(
    'for IPv6 contain no IPv4 address, however wide: %s',
    (range) => {
      const ranges = new AddressRanges([range]);
      expect(ranges.has('196.201.214.200')).toBe(false);
      expect(ranges.has('::1')).toBe(range !== '::fffe:0:0/95');
    },
  );

  it('for IPv4-mapped IPv6 are those for IPv4, in every spelling', () => {
    const ranges = new AddressRanges(['::ffff:10.1.0.0/112', '0:0:0:0:0:ffff:c000:207']);
    for (const address of ['10.1.255.255', '192.0.2.7', '::ffff:10.1.0.1'])
      expect(ranges.has(address)).toBe(true);
    for (const address of ['10.2.0.0', '192.0.2.8', '::ffff:10.2.0.1'])
      expect(ranges.has(address)).toBe(false);
  });
});

describe('a back-off', () => {
  it('doubles up to its most, with at most half taken off', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), (attempt) => {
        const full = Math.min(5000, 100 * 2 ** (attempt - 1));
        const ms = backoffMs(attempt, 100, 5000);
        expect(ms).toBeGreaterThanOrEqual(full / 2);
        expect(ms).toBeLessThanOrEqual(full);
      }),
    );
  });
});
