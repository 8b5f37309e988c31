import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { textsOf } from '../text/texts-of.js';
import { table } from './parts.js';

interface Point {
  readonly label: string;
  readonly value: number;
}

interface Chart {
  readonly title: string;
  readonly points: readonly Point[];
  /** The unit of the values, such as `s` or `%`. */
  readonly unit: string;
  readonly language?: Language;
}

const [width, height] = [400, 160];
/** Space for the figures of the axes. */
const [left, bottom] = [48, 20];
/** With more points, each would be only a pixel wide. */
const maxPoints = 200;

/** A bar chart of the values, with the figures as a table below. */
export function barChart(chart: Chart): Html {
  const { points, scale } = scaleOf(chart);
  const step = (width - left) / Math.max(points.length, 1);
  const bars = points.map(({ label, value }, index) => {
    const top = scale.y(value);
    const x = round(left + index * step + step * 0.1);
    return html`<rect
      class="bar"
      x="${x}"
      y="${top}"
      width="${round(step * 0.8)}"
      height="${round(height - bottom - top)}"
      ><title>${label}: ${value} ${chart.unit}</title></rect
    >`;
  });
  return figure(chart, html`${bars}`);
}

/** A line chart of values over time, with the figures as a table below. */
export function lineChart(chart: Chart): Html {
  const { points, scale } = scaleOf(chart);
  const step = (width - left) / Math.max(points.length - 1, 1);
  const places = points.map(
    ({ value }, index) => `${round(left + index * step)},${scale.y(value)}`,
  );
  return figure(chart, html`<polyline class="line" points="${places.join(' ')}" />`);
}

function scaleOf({ points: all }: Chart) {
  const points = all.slice(-maxPoints);
  const max = niceMax(Math.max(0, ...points.map(({ value }) => value)));
  const y = (value: number): number =>
    round((height - bottom) * (1 - Math.max(0, value) / max) * 0.95 + (height - bottom) * 0.05);
  return { points, scale: { max, y } };
}

/** The next number that is 1, 2 or 5 followed by zeros, so that the axis is easy to read. */
function niceMax(max: number): number {
  if (max <= 0 || !Number.isFinite(max)) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return ([1, 2, 5, 10].find((factor) => factor * power >= max) ?? 10) * power;
}

const round = (figure: number): number => Math.round(figure * 10) / 10;

function figure(chart: Chart, drawn: Html): Html {
  const { title, unit, language = 'en' } = chart;
  const { points, scale } = scaleOf(chart);
  const floor = height - bottom;
  const [first, last] = [points[0], points.at(-1)];
  const ends =
    first && last
      ? html`<text x="${left}" y="${height - 6}">${first.label}</text
          ><text x="${width}" y="${height - 6}" text-anchor="end">${last.label}</text>`
      : undefined;
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
      <path class="axis" d="M${left} ${scale.y(scale.max)}V${floor}H${width}" />
      <text x="${left - 4}" y="${scale.y(scale.max) + 8}" text-anchor="end">
        ${scale.max} ${unit}
      </text>
      <text x="${left - 4}" y="${floor}" text-anchor="end">0</text>
      ${drawn} ${ends}
    </svg>
    <details>
      <summary>${textsOf({ language }).chartTable}</summary>
      ${table({
        caption: title,
        head: ['', { text: unit, isNumber: true }],
        rows: points.map(({ label, value }) => [label, value]),
        empty: html``,
      })}
    </details>
  </figure>`;
}
