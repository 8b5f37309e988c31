/** @param sorted ascending @param share 0.5 for the median */
export function quantile(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

/** The middle value of a few runs, and their range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @returns the spread of the values, in any order; the median of an even number is between the middle two */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted(ascending);
  const [below, above] = [quantile(sorted, 0.5), sorted[Math.floor(sorted.length / 2)]];
  return {
    median: (below + (above ?? Number.NaN)) / 2,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

export type Point = readonly [x: number, y: number];

/**
 * Fits a line through the points by least squares.
 * @returns how much y grows with each unit of x; 0 for fewer than two points
 */
export function slopeOf(points: readonly Point[]): number {
  const meanX = meanOf(points.map(([x]) => x));
  const meanY = meanOf(points.map(([, y]) => y));
  const over = sumOf(points, ([x, y]) => (x - meanX) * (y - meanY));
  const under = sumOf(points, ([x]) => (x - meanX) ** 2);
  return under === 0 ? 0 : over / under;
}

export function meanOf(values: readonly number[]): number {
  return sumOf(values, (value) => value) / values.length;
}

export function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

export function ascending(left: number, right: number): number {
  return left - right;
}
