import { describe, expect, it } from '@jest/globals';
import { money } from './money.js';

describe('an amount for people', () => {
  it.each([
    [25_000n, 'KES', 'KES 250.00 (25000)'],
    [5n, 'KES', 'KES 0.05 (5)'],
    [-10_001n, 'KES', 'KES -100.01 (-10001)'],
    [90_071_992_547_409_931n, 'KES', 'KES 900719925474099.31 (90071992547409931)'],
    [250n, 'UGX', 'UGX 250 (250)'],
  ])('%s %s reads %s, exact at any size', (amountMinor, currency, text) => {
    expect(money(amountMinor, currency)).toBe(text);
  });
});
