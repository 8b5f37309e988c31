import { html, type Html } from '#shared/html';
import { axes, type Chart, chartFigure, middleOf, targets } from './chart.js';
import { height, place, scaleOf } from './scale.js';

/** Units across the drawing of the lines, which is stretched to the plot's width. */
const across = 1000;

/** A line through the points of each series. */
export function lineChart(chart: Chart): Html {
  const draw = (): Html => {
    const { labels, series } = chart;
    const values = series.flatMap((each) => each.values);
    const scale = scaleOf(values, chart.unit === '');
    const lines = series.map(({ tone, values }) => {
      const points = values.map(
        (value, index) => `${place(middleOf(index, labels.length) * across)},${scale.y(value)}`,
      );
      return html`<polyline class="line ${tone}" points="${points.join(' ')}" />`;
    });
    return html`${axes(chart, scale)}
      <svg
        width="100%"
        height="${height}"
        viewBox="0 0 ${across} ${height}"
        preserveAspectRatio="none"
      >
        ${lines}
      </svg>
      ${targets(chart, scale)}`;
  };
  return chartFigure(chart, { draw, hasSum: false });
}
