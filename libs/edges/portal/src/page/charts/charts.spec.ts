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
import { fewLabels, height, margin, scaleOf, short } from './scale.js';

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
  figures: values.map((value) => `${value}.00`),
  sum: `${values.reduce((sum, value) => sum + value, 0)}.00`,
});
const drawings = [columnChart, lineChart];

describe('a chart', () => {
  it.each(drawings)(
    'says each figure to the last digit, for the pointer and in its table',
    (draw) => {
      const { text } = draw(chart([of([1200, 30, 850])], days));
      for (const [day, figure] of [
        ['23 Nov', '1200.00'],
        ['24 Nov', '30.00'],
        ['25 Nov', '850.00'],
      ]) {
        expect(text).toContain(`<title>${day}: KES ${figure}</title>`);
        expect(text).toContain(`<td class="number">${figure}</td>`);
      }
      expect(text).toMatch(/class="last"[^>]*>850</);
    },
  );

  it('has the unit once in the head of its table, no row of zero, and a sum if values add up', () => {
    const labels = ['22 Nov', ...days];
    const [columns = '', line = ''] = drawings.map(
      (draw) => draw(chart([of([5, 0, 7, 9])], labels)).text.split('<details')[1] ?? '',
    );
    expect(columns.match(/KES/g)).toHaveLength(1);
    expect(columns).toContain('completed (KES)');
    expect(columns).not.toContain('23 Nov');
    expect(columns).toMatch(/<tfoot>[^]*Sum[^]*21\.00/);
    expect(line).not.toContain('tfoot');
  });

  it.each(drawings)('shows fewer than three points that are not zero as figures', (draw) => {
    const few = draw(chart([of([5, 7])], days.slice(0, 2))).text;
    const zeros = draw(chart([of([0, 5, 0, 7, 0])], ['1', '2', '3', '4', '5'])).text;
    for (const text of [few, zeros]) {
      expect(text).not.toContain('<svg');
      expect(text.match(/<dt>/g)).toHaveLength(2);
      expect(text).toContain('KES 7.00');
    }
    expect(draw(chart([of([0, 0, 0])], days)).text).toContain('Nothing in this time');
  });

  it.each(drawings)('has places across in percent, so that its text never shrinks', (draw) => {
    const { text } = draw(chart([of([1, 2, 3])], days));
    const [drawing = ''] = /<svg class="drawing"[^>]*>/.exec(text) ?? [];
    expect(drawing).not.toContain('viewBox');
    for (const [, x] of text.matchAll(/<(?:text|rect)[^>]* x="([^"]+)"/g))
      expect(x === '-8' || x?.endsWith('%')).toBe(true);
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

  it('stays inside its frame and draws only numbers, for any values', () => {
    const value = fc.integer({ min: -9_000_000_000_000, max: 9_000_000_000_000 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 3, maxLength: 90 }), (values) => {
        const labels = values.map(String);
        fc.pre(values.filter((value) => value !== 0).length > 2);
        for (const { text } of [
          lineChart(chart([of(values)], labels)),
          columnChart(chart([of(values.map(Math.abs))], labels)),
        ]) {
          expect(text).not.toMatch(/NaN|Infinity|undefined/);
          for (const [, y] of text.matchAll(/ y="([^"]+)"/g)) {
            expect(Number(y)).toBeGreaterThanOrEqual(0);
            expect(Number(y)).toBeLessThanOrEqual(height);
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
          expect(scale.y(each)).toBeLessThanOrEqual(height - margin.bottom);
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

  it.each([3, 7, 24, 30, 90])('has at most four labels for %i points', (count) => {
    const labels = fewLabels(Array.from({ length: count }, (_, index) => index));
    expect(labels.length).toBeGreaterThanOrEqual(Math.min(count, 2));
    expect(labels.length).toBeLessThanOrEqual(4);
    expect(labels.at(-1)).toEqual([count - 1, count - 1]);
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
