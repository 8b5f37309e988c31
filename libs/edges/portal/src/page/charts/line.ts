import { html, type Html } from '#shared/html';
import { axes, type Chart, chartFigure, middleOf, targets } from './chart.js';
import { scaleOf } from './scale.js';

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
