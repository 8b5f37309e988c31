import { type Minor } from '#domain/kernel';
import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { countText } from '../../text/count-text.js';
import { textsOf } from '../../text/texts-of.js';
import { definitions, moneyText } from '../parts.js';
import { fewLabels, height, place, type Scale, short } from './scale.js';

/** The colour of a series, by its meaning. */
export type Tone = 'completed' | 'failed' | 'pending';

export interface Series {
  /** The name in the legend and in the table. */
  readonly name: string;
  readonly tone: Tone;
  /** A value for each of the chart's labels. */
  readonly values: readonly number[];
  /** Each value to the last digit with its currency, for the pointer. */
  readonly texts: readonly string[];
  /** Each value to the last digit, for a table whose head names the unit. */
  readonly figures: readonly string[];
  /** The sum of the values to the last digit. */
  readonly sum: string;
}

/** A series of counts. */
export function counts(name: string, tone: Tone, values: readonly number[]): Series {
  const texts = values.map(countText);
  const sum = values.reduce((total, value) => total + value, 0);
  return { name, tone, values, texts, figures: texts, sum: countText(sum) };
}

/** A series of amounts. The drawing rounds them, but the texts do not. */
export function amounts(
  { name, tone }: Pick<Series, 'name' | 'tone'>,
  minor: readonly Minor[],
  currency: string,
): Series {
  const figureOf = (amount: Minor): string => moneyText(amount, '').trimStart();
  return {
    name,
    tone,
    values: minor.map((amount) => Number(amount) / 100),
    texts: minor.map((amount) => moneyText(amount, currency)),
    figures: minor.map(figureOf),
    sum: figureOf(minor.reduce((total, amount) => total + amount, 0n)),
  };
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

/** With fewer points that are not zero, the figures are shown without a drawing. */
const fewestPoints = 3;

interface Drawing {
  readonly draw: () => Html;
  /** True if the values add up: sums of days do, balances at the end of days do not. */
  readonly hasSum: boolean;
}

/**
 * A drawing with its title and legend, and the figures as a folded table. Few points that are not zero are shown as
 * figures only.
 */
export function chartFigure(chart: Chart, { draw, hasSum }: Drawing): Html {
  const { title, series } = chart;
  const legend = series.length === 1 ? undefined : legendOf(series);
  const points = pointsOf(chart);
  return html`<figure class="card chart">
    <figcaption>
      ${title}${chart.unit === '' ? undefined : html` <span class="soft">${chart.unit}</span>`}
    </figcaption>
    ${
      points.length < fewestPoints
        ? figuresOf(chart, points)
        : html`${legend}
            <svg class="drawing" height="${height}" role="img" aria-label="${title}">
              <svg class="plot" x="48" width="86%" height="${height}">${draw()}</svg>
            </svg>
            ${tableOf(chart, { points, hasSum })}`
    }
  </figure>`;
}

/** The places of the points that are not zero, oldest first. */
function pointsOf({ labels, series }: Chart): readonly number[] {
  return [...labels.keys()].filter((index) => series.some(({ values }) => values[index] !== 0));
}

function legendOf(series: Chart['series']): Html {
  return html`<p class="legend">
    ${series.map(({ name, tone }) => html`<span><span class="key ${tone}" aria-hidden="true"></span> ${name}</span> `)}
  </p>`;
}

function figuresOf({ labels, series, language }: Chart, points: readonly number[]): Html {
  if (points.length === 0) return html`<p class="soft">${textsOf({ language }).chartEmpty}</p>`;
  return definitions(
    points.map((index) => [
      labels[index] ?? '',
      series
        .map(({ name, texts }) => (series.length === 1 ? '' : `${name}: `) + (texts[index] ?? ''))
        .join(', '),
    ]),
  );
}

/** The figures of points that are not zero, the newest first, with their sum. */
function tableOf(
  { title, unit, labels, series, language }: Chart,
  { points, hasSum }: { readonly points: readonly number[]; readonly hasSum: boolean },
): Html {
  const words = textsOf({ language });
  const inUnit = (name: string): string => (unit === '' ? name : `${name} (${unit})`);
  return html`<details>
    <summary>${words.chartTable}</summary>
    <div class="scroll" role="group" aria-label="${title}" tabindex="0">
      <table>
        <caption class="away">
          ${title}
        </caption>
        <thead>
          <tr>
            <td></td>
            ${series.map(({ name }) => html`<th scope="col" class="number">${inUnit(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${points.toReversed().map(
            (index) =>
              html`<tr>
                <th scope="row">${labels[index]}</th>
                ${series.map(({ figures }) => html`<td class="number">${figures[index]}</td>`)}
              </tr>`,
          )}
        </tbody>
        ${
          hasSum
            ? html`<tfoot>
                <tr>
                  <th scope="row">${words.chartSum}</th>
                  ${series.map(({ sum }) => html`<td class="number">${sum}</td>`)}
                </tr>
              </tfoot>`
            : undefined
        }
      </table>
    </div>
  </details>`;
}

/** A place across the plot, in percent of its width. */
export function percent(part: number): string {
  return `${place(part * 100)}%`;
}

/** Grid lines with their figures, and a few of the labels below. */
export function axes({ labels }: Pick<Chart, 'labels'>, scale: Scale): Html {
  const lines = scale.ticks.map((tick) => {
    const y = scale.y(tick);
    return html`<line
        class="${tick === 0 ? 'zero' : 'grid'}"
        x1="0"
        x2="100%"
        y1="${y}"
        y2="${y}"
      />
      <text x="-8" y="${y + 4}" text-anchor="end">${short(tick)}</text>`;
  });
  const dates = fewLabels(labels).map(
    ([index, label]) =>
      html`<text
        x="${index === labels.length - 1 ? '100%' : percent(middleOf(index, labels.length))}"
        y="${height - 6}"
        text-anchor="${index === labels.length - 1 ? 'end' : 'middle'}"
        >${label}</text
      >`,
  );
  return html`${lines} ${dates}`;
}

/** The horizontal middle of a point's column, as a part of the plot's width. */
export function middleOf(index: number, count: number): number {
  return (index + 0.5) / count;
}

/** A column of each point that shows its figures when the pointer is on it, and the last total as a direct label. */
export function targets({ labels, series }: Chart, scale: Scale): Html {
  const width = percent(1 / labels.length);
  const columns = labels.map((label, index) => {
    const told = series.map(({ name, texts }) => {
      const figure = texts[index] ?? '';
      return series.length === 1 ? figure : `${name}: ${figure}`;
    });
    const title = `${label}: ${told.join(', ')}`;
    return html`<rect
      class="target"
      x="${percent(index / labels.length)}"
      y="0"
      width="${width}"
      height="${height}"
    >
      <title>${title}</title>
    </rect>`;
  });
  const last = series.reduce((sum, { values }) => sum + (values.at(-1) ?? 0), 0);
  const y = Math.max(12, scale.y(last) - 6);
  return html`<text class="last" x="100%" y="${y}" text-anchor="end">${short(last)}</text>
    ${columns}`;
}
