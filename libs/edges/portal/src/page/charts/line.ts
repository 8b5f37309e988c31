import { html, type Html } from '#shared/html';
import { axes, type Chart, chartFigure, middleOf, targets } from './chart.js';
import { place, scaleOf } from './scale.js';

/** A line through the points of each series. */
export function lineChart(chart: Chart): Html {
  return chartFigure(chart, () => {
    const { labels, series } = chart;
    const values = series.flatMap((each) => each.values);
    const scale = scaleOf(values, chart.unit === '');
    const lines = series.map(({ tone, values }) => {
      const points = values.map(
        (value, index) => `${middleOf(index, labels.length)},${scale.y(value)}`,
      );
      return html`<polyline class="line ${tone}" points="${points.join(' ')}" />`;
    });
    return html`${axes(chart, scale)} ${lines} ${targets(chart, scale)}`;
  });
}

const spark = { width: 96, height: 24 } as const;

/** A line without axes, 96 by 24, beside a figure that says the same. @returns undefined for too few points */
export function sparkline(values: readonly number[], title: string): Html | undefined {
  if (values.length < 3) return undefined;
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const points = values.map((value, index) => {
    const x = place((index * spark.width) / (values.length - 1));
    const y = place(1 + (spark.height - 2) * (1 - (value - least) / (most - least || 1)));
    return `${x},${y}`;
  });
  return html`<svg
    class="spark"
    viewBox="0 0 ${spark.width} ${spark.height}"
    role="img"
    aria-label="${title}"
  >
    <polyline class="line completed" points="${points.join(' ')}" />
  </svg>`;
}
