import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foreignMarkup, hostile } from '#testing';
import {
  amounts,
  columnChart,
  counts,
  lineChart,
  rankingChart,
  type Series,
  sparkColumns,
  sparkline,
} from './index.js';
import { fewLabels, margin, scaleOf, short, size } from './scale.js';

const chart = (series: readonly [Series, ...Series[]], labels: readonly string[]) => ({
  title: 'Collected a day',
  unit: 'KES',
  labels,
  series,
  language: 'en' as const,
});
const days = ['23 Nov', '24 Nov', '25 Nov'];
const of = (values: readonly number[], tone: Series['tone'] = 'completed'): Series => ({
  name: tone,
  tone,
  values,
  texts: values.map((value) => `KES ${value}.00`),
});
const drawings = [columnChart, lineChart];

describe('a chart', () => {
  it.each(drawings)(
    'says each figure to the last digit, for the pointer and in its table',
    (draw) => {
      const { text } = draw(chart([of([1200, 0, 850])], days));
      for (const [day, figure] of [
        ['23 Nov', 'KES 1200.00'],
        ['24 Nov', 'KES 0.00'],
        ['25 Nov', 'KES 850.00'],
      ]) {
        expect(text).toContain(`<title>${day}: ${figure}</title>`);
        expect(text).toMatch(new RegExp(`<td[^>]* class="number">${figure}</td>`));
      }
      expect(text).toMatch(/class="last"[^>]*>850</);
    },
  );

  it.each(drawings)('shows fewer than three points as figures, without a drawing', (draw) => {
    const { text } = draw(chart([of([5, 7])], days.slice(0, 2)));
    expect(text).not.toContain('<svg');
    expect(text).toContain('KES 7.00');
  });

  it('has a legend only if there is more than one series, and stacks them', () => {
    const one = columnChart(chart([of([1, 2, 3])], days)).text;
    const two = columnChart(chart([of([10, 10, 10]), of([5, 5, 5], 'failed')], days)).text;
    expect(one).not.toContain('legend');
    expect(two).toContain('legend');
    const tops = (tone: string) =>
      [...two.matchAll(new RegExp(`class="${tone}" x="[^"]+" y="([^"]+)"`, 'g'))].map(([, y]) =>
        Number(y),
      );
    expect(Math.max(...tops('failed'))).toBeLessThan(Math.min(...tops('completed')));
  });

  it('shows a hostile text as text', () => {
    const series: readonly [Series, ...Series[]] = [{ ...of([1, 2, 3]), name: hostile }];
    const given = { ...chart(series, [hostile, 'b', 'c']), title: hostile, unit: hostile };
    const rows = [{ label: hostile, value: 1, exact: hostile }];
    for (const { text } of [
      columnChart(given),
      lineChart(given),
      rankingChart({ title: hostile, tone: 'failed', rows }),
    ])
      expect(foreignMarkup(text)).toEqual([]);
  });

  it('draws amounts of any size, and says them to the cent', () => {
    const minor = [90_071_992_547_409_931n, 5n, -1n];
    const series = [amounts({ name: 'Balance', tone: 'completed' }, minor, 'KES')] as const;
    const { text } = lineChart(chart(series, days));
    expect(text).toContain('KES 900,719,925,474,099.31');
    expect(text).toContain('KES −0.01');
  });

  it('stays inside its frame and draws numbers only, whatever the values', () => {
    const value = fc.integer({ min: -9_000_000_000_000, max: 9_000_000_000_000 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 3, maxLength: 90 }), (values) => {
        const labels = values.map(String);
        for (const { text } of [
          lineChart(chart([of(values)], labels)),
          columnChart(chart([of(values.map(Math.abs))], labels)),
        ]) {
          expect(text).not.toMatch(/NaN|Infinity|undefined/);
          for (const [, y] of text.matchAll(/ y="([^"]+)"/g)) {
            expect(Number(y)).toBeGreaterThanOrEqual(0);
            expect(Number(y)).toBeLessThanOrEqual(size.height);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the value axis', () => {
  it('includes zero, all values, and at most five grid lines', () => {
    const value = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 50 }), (values) => {
        const scale = scaleOf(values);
        const { ticks } = scale;
        expect(ticks.some((tick) => Math.abs(tick) < 1e-6)).toBe(true);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThanOrEqual(6);
        for (const each of values) {
          expect(scale.y(each)).toBeGreaterThanOrEqual(margin.top);
          expect(scale.y(each)).toBeLessThanOrEqual(size.height - margin.bottom);
        }
      }),
    );
  });

  it('has whole grid lines for counts', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1 }), (values) => {
        expect(scaleOf(values, true).ticks.every(Number.isInteger)).toBe(true);
      }),
    );
  });

  it.each([
    [0, '0'],
    [850, '850'],
    [1200, '1.2K'],
    [1_000_000, '1M'],
    [1_234_567, '1.2M'],
    [-40_000, '−40K'],
    [250_000_000_000, '250B'],
  ])('says %i as %s', (value, shown) => {
    expect(short(value)).toBe(shown);
  });

  it.each([3, 7, 24, 30, 90])('has at most six labels for %i points', (count) => {
    const labels = fewLabels(Array.from({ length: count }, (_, index) => index));
    expect(labels.length).toBeGreaterThanOrEqual(Math.min(count, 3));
    expect(labels.length).toBeLessThanOrEqual(6);
  });
});

describe('small columns', () => {
  it('stay in their drawing, and show one failure among many successes', () => {
    const value = fc.nat(2_000_000);
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 48 }), (points) => {
        const text = sparkColumns({
          title: 'attempts',
          labels: points.map((_, index) => String(index)),
          series: [
            counts(
              'good',
              'completed',
              points.map(([good]) => good),
            ),
            counts(
              'bad',
              'failed',
              points.map(([, bad]) => bad),
            ),
          ],
        }).text;
        const bars = [
          ...text.matchAll(
            /class="(?:completed|failed)"\s+x="[^"]*"\s+y="([^"]*)"\s+width="[^"]*"\s+height="([^"]*)"/g,
          ),
        ];
        expect(bars).toHaveLength(points.flat().filter((one) => one > 0).length);
        for (const [, y, height] of bars) {
          expect(Number(y)).toBeGreaterThanOrEqual(0);
          expect(Number(height)).toBeGreaterThanOrEqual(1.9);
          expect(Number(y) + Number(height)).toBeLessThanOrEqual(24);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a sparkline', () => {
  it('is drawn for three points and more, with words for who cannot see it', () => {
    expect(sparkline([1, 2], 'a day')).toBeUndefined();
    expect(sparkline([0, 0, 0], 'attempts')?.text).toMatch(/aria-label="attempts"/);
    expect(sparkline([0, 0, 0], 'attempts')?.text).not.toContain('NaN');
  });
});
