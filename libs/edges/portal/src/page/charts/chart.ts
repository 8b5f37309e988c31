import { type Minor } from '#domain/kernel';
import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { textsOf } from '../../text/texts-of.js';
import { definitions, moneyText, table } from '../parts.js';
import { fewLabels, margin, place, plotWidth, type Scale, short, size } from './scale.js';

/** The colour of a series, by its meaning. */
export type Tone = 'completed' | 'failed' | 'pending';

export interface Series {
  /** The name in the legend and in the table. */
  readonly name: string;
  readonly tone: Tone;
  /** A value for each of the chart's labels. */
  readonly values: readonly number[];
  /** Each value to the last digit, for the pointer and the table. */
  readonly texts: readonly string[];
}

/** A series of counts. */
export function counts(name: string, tone: Tone, values: readonly number[]): Series {
  return { name, tone, values, texts: values.map(String) };
}

/** A series of amounts. The drawing rounds them, but the texts do not. */
export function amounts(
  { name, tone }: Pick<Series, 'name' | 'tone'>,
  minor: readonly Minor[],
  currency: string,
): Series {
  const texts = minor.map((amount) => moneyText(amount, currency));
  return { name, tone, values: minor.map((amount) => Number(amount) / 100), texts };
}

/** Values over time, of one unit. */
export interface Chart {
  readonly title: string;
  /** The unit, such as `KES`; empty for a count. */
  readonly unit: string;
  /** A label for each point, oldest first. */
  readonly labels: readonly string[];
  /** One series, or several that are stacked. */
  readonly series: readonly [Series, ...Series[]];
  readonly language: Language;
}

/** With fewer points, the figures are shown without a drawing. */
const fewestPoints = 3;

/** A drawing with its title and legend, and the figures as a folded table. Few points are shown as figures only. */
export function chartFigure(chart: Chart, draw: () => Html): Html {
  const { title, series, labels } = chart;
  const legend = series.length === 1 ? undefined : legendOf(series);
  return html`<figure class="card chart">
    <figcaption>
      ${title}${chart.unit === '' ? undefined : html` <span class="soft">${chart.unit}</span>`}
    </figcaption>
    ${
      labels.length < fewestPoints
        ? figuresOf(chart)
        : html`${legend}
            <svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}">
              ${draw()}
            </svg>
            ${tableOf(chart)}`
    }
  </figure>`;
}

function legendOf(series: Chart['series']): Html {
  return html`<p class="legend">
    ${series.map(({ name, tone }) => html`<span><span class="key ${tone}" aria-hidden="true"></span> ${name}</span> `)}
  </p>`;
}

function figuresOf({ labels, series }: Chart): Html {
  return definitions(
    labels.map((label, index) => [
      label,
      series
        .map(({ name, texts }) => (series.length === 1 ? '' : `${name}: `) + (texts[index] ?? ''))
        .join(', '),
    ]),
  );
}

function tableOf({ title, labels, series, language }: Chart): Html {
  return html`<details>
    <summary>${textsOf({ language }).chartTable}</summary>
    ${table({
      caption: title,
      head: ['', ...series.map(({ name }) => ({ text: name, isNumber: true }) as const)],
      rows: labels
        .map((label, index) => [label, ...series.map(({ texts }) => texts[index])])
        .toReversed(),
      empty: html``,
    })}
  </details>`;
}

/** Grid lines with their figures, and a few of the labels below. */
export function axes({ labels }: Pick<Chart, 'labels'>, scale: Scale): Html {
  const { left } = margin;
  const lines = scale.ticks.map((tick) => {
    const y = scale.y(tick);
    return html`<path
        class="${tick === 0 ? 'zero' : 'grid'}"
        d="M${left} ${y}H${left + plotWidth}"
      />
      <text x="${left - 8}" y="${y + 4}" text-anchor="end">${short(tick)}</text>`;
  });
  const dates = fewLabels(labels).map(
    ([index, label]) =>
      html`<text x="${middleOf(index, labels.length)}" y="${size.height - 6}" text-anchor="middle"
        >${label}</text
      >`,
  );
  return html`${lines} ${dates}`;
}

/** The horizontal middle of a point's column. */
export function middleOf(index: number, count: number): number {
  return place(margin.left + ((index + 0.5) * plotWidth) / count);
}

/** A column of each point that shows its figures when the pointer is on it, and the last total as a direct label. */
export function targets({ labels, series }: Chart, scale: Scale): Html {
  const width = plotWidth / labels.length;
  const columns = labels.map((label, index) => {
    const told = series.map(({ name, texts }) => {
      const figure = texts[index] ?? '';
      return series.length === 1 ? figure : `${name}: ${figure}`;
    });
    const x = place(margin.left + index * width);
    const title = `${label}: ${told.join(', ')}`;
    return html`<rect class="target" x="${x}" y="0" width="${place(width)}" height="${size.height}">
      <title>${title}</title>
    </rect>`;
  });
  const last = series.reduce((sum, { values }) => sum + (values.at(-1) ?? 0), 0);
  const y = Math.max(12, scale.y(last) - 6);
  return html`<text class="last" x="${size.width - 2}" y="${y}" text-anchor="end"
      >${short(last)}</text
    >
    ${columns}`;
}
