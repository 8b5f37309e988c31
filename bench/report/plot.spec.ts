import { describe, expect, it } from '@jest/globals';
import { type Series } from '../measurement.js';
import { decades, plot, roundTicks } from './plot.js';

const series: Series = {
  name: 'rate',
  title: 'creates <a second> & more',
  x: 'in flight',
  y: 'creates/s',
  lines: [
    { label: 'service', points: [16, 64, 512].map((x, index) => [x, 300 + 50 * index] as const) },
    { label: 'floor', points: [16, 64, 512].map((x, index) => [x, 2000 + index] as const) },
  ],
};

/** Returns the pixels of a line's points. */
function placesOf(svg: string, line: number): (readonly [number, number])[] {
  const paths = [...svg.matchAll(/<path d="M([^"]+)" stroke="#[^"]+" stroke-width="1.5"/g)];
  return (paths[line]?.[1] ?? '').split('L').map((place) => {
    const [x = '', y = ''] = place.split(' ');
    return [Number(x), Number(y)] as const;
  });
}

describe('a plot', () => {
  it('draws each line through all of its points, more to the right and upwards', () => {
    const [first, second, third] = placesOf(plot(series), 0);
    expect(placesOf(plot(series), 1)).toHaveLength(3);
    expect(first?.[0]).toBeLessThan(second?.[0] ?? 0);
    expect(second?.[0]).toBeLessThan(third?.[0] ?? 0);
    expect(first?.[1]).toBeGreaterThan(third?.[1] ?? 0);
  });

  it('has equal steps for equal factors if it is logarithmic', () => {
    const [a, b] = placesOf(plot({ ...series, isLogarithmic: { x: true } }), 0);
    const [c, d] = placesOf(plot({ ...series, isLogarithmic: { x: true } }), 0).slice(1);
    expect((b?.[0] ?? 0) - (a?.[0] ?? 0)).toBeGreaterThan(0);
    // 16 to 64 is a factor of 4, 64 to 512 one of 8: two doublings and three.
    expect(((d?.[0] ?? 0) - (c?.[0] ?? 0)) / ((b?.[0] ?? 0) - (a?.[0] ?? 0))).toBeCloseTo(1.5, 1);
  });

  it('keeps words from being read as tags, and names all lines', () => {
    const svg = plot(series);
    expect(svg).toContain('creates &lt;a second> &amp; more');
    expect(svg).toContain('>service</text>');
    expect(svg).toContain('>floor</text>');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('reduces a long run to some two hundred points, and keeps the last one', () => {
    const points = Array.from({ length: 5010 }, (_, x) => [x, x] as const);
    const places = placesOf(plot({ ...series, lines: [{ label: 'rate', points }] }), 0);
    expect(places.length).toBeLessThanOrEqual(202);
    // 5,010 points are thinned by 26, which does not divide them. The last one is still there.
    const [before, last] = places.slice(-2).map(([x]) => x);
    expect(last).toBeGreaterThan(before ?? Number.NaN);
  });

  it('stays in its frame with one point, or with points that are all alike', () => {
    for (const points of [
      [[1, 0]],
      [[1, 5]],
      [
        [0, 0],
        [0, 0],
      ],
    ] as const)
      expect(plot({ ...series, lines: [{ label: 'one', points }] })).not.toMatch(/NaN|Infinity/);
  });
});

describe('the marks of an axis', () => {
  it('are round and hold all figures between them', () => {
    expect(roundTicks([0, 437], true)).toEqual([0, 100, 200, 300, 400, 500]);
    expect(roundTicks([437, 440], true)).toEqual([0, 100, 200, 300, 400, 500]);
    expect(roundTicks([100, 104], false)).toEqual([100, 101, 102, 103, 104]);
  });

  it('are powers of ten, with their doubles and halves if those are few', () => {
    expect(decades([3, 40])).toEqual([2, 5, 10, 20, 50]);
    expect(decades([10_000, 10_000_000])).toEqual([
      1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7,
    ]);
    expect(decades([1, 1_000_000])).toEqual([1, 10, 100, 1000, 1e4, 1e5, 1e6]);
    expect(decades([0, 50])).toEqual([50]);
  });
});
