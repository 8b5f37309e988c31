import { html, type Html } from '#shared/html';
import { axes, type Chart, chartFigure, counts, percent, targets, type Tone } from './chart.js';
import { place, type Scale, scaleOf } from './scale.js';

/** A column for each point; several series are stacked, the first one at the bottom. */
export function columnChart(chart: Chart): Html {
  const draw = (): Html => {
    const { labels, series } = chart;
    const totals = labels.map((_, index) =>
      series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    );
    const scale = scaleOf(totals, chart.unit === '');
    const drawn = labels.map((_, index) => stack(chart, index, scale));
    return html`${axes(chart, scale)} ${drawn} ${targets(chart, scale)}`;
  };
  return chartFigure(chart, { draw, hasSum: true });
}

function stack({ labels, series }: Chart, index: number, scale: Scale): Html {
  const step = 1 / labels.length;
  const x = percent((index + 0.15) * step);
  let base = 0;
  const bars: Html[] = [];
  for (const { tone, values } of series) {
    const value = values[index] ?? 0;
    if (value !== 0) {
      const top = scale.y(base + value);
      const height = place(scale.y(base) - top);
      bars.push(
        html`<rect
          class="${tone}"
          x="${x}"
          y="${top}"
          width="${percent(step * 0.7)}"
          height="${height}"
        />`,
      );
    }
    base += value;
  }
  return html`${bars}`;
}

/** A chart of counts of one kind. */
export function countChart({
  title,
  points,
  language,
  tone = 'completed',
}: {
  readonly title: string;
  readonly points: readonly { readonly label: string; readonly value: number }[];
  readonly language: Chart['language'];
  readonly tone?: Tone;
}): Html {
  const labels = points.map(({ label }) => label);
  const values = points.map(({ value }) => value);
  return columnChart({ title, unit: '', labels, series: [counts(title, tone, values)], language });
}
