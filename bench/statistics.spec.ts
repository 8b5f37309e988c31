import { describe, expect, it } from '@jest/globals';
import { meanOf, quantile, slopeOf, spreadOf } from './statistics.js';

describe('a quantile', () => {
  it('is the min value that so large a share does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.01, 0.5, 0.99, 0.999, 1].map((share) => quantile(hundred, share))).toEqual([
      1, 1, 50, 99, 100, 100,
    ]);
  });

  it('is the value itself for one value, and not a number for none', () => {
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('the spread of some runs', () => {
  it('has the median, the minimum and the maximum, in whatever order the runs are', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, min: 1, max: 5 });
    expect(spreadOf([10, 9])).toEqual({ median: 9.5, min: 9, max: 10 });
    expect(spreadOf([2])).toEqual({ median: 2, min: 2, max: 2 });
  });
});

describe('a slope', () => {
  it('is that of the line through the points', () => {
    const line = [0, 1, 2, 3].map((x) => [x, 5 - 2 * x] as const);
    expect(slopeOf(line)).toBeCloseTo(-2);
  });

  it('lies between points that are on no line', () => {
    expect(slopeOf([1, 3, 2, 4].map((y, x) => [x, y] as const))).toBeCloseTo(0.8);
  });

  it('is zero for fewer than two points', () => {
    expect(slopeOf([[1, 1]])).toBe(0);
    expect(slopeOf([])).toBe(0);
  });
});

it('a mean is the sum divided by the number of values', () => {
  expect(meanOf([1, 2, 6])).toBe(3);
});
