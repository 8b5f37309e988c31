import { escapeHtml } from '#shared/html';

/** One kind of thing, counted by day; `mark` is its class in the style. */
export interface Series {
  readonly name: string;
  readonly mark: string;
  /** One value for each day. */
  readonly values: readonly number[];
}

export interface Bars {
  /** An id, unique on the page. */
  readonly id: string;
  readonly title: string;
  /** YYYY-MM-DD, oldest first. */
  readonly days: readonly string[];
  /** Series, stacked from below in this order. */
  readonly series: readonly Series[];
  /** Days without known counts. They are hatched, because an empty day means something else. */
  readonly unknownDays?: ReadonlySet<string>;
}

const width = 760;
const height = 168;
const plot = { left: 48, right: 8, top: 12, bottom: 26 };
const innerWidth = width - plot.left - plot.right;
const innerHeight = height - plot.top - plot.bottom;
const base = plot.top + innerHeight;

/** A plot of stacked bars, one a day, as SVG that needs nothing outside itself. Each bar has a title with its numbers. */
export function barsPlot({ id, title, days, series, unknownDays = new Set() }: Bars): string {
  const totals = days.map((_day, at) => totalAt(series, at));
  const top = niceTop(Math.max(0, ...totals));
  const step = innerWidth / days.length;
  const bars = days.map((day, at) => {
    const x = plot.left + at * step;
    return unknownDays.has(day)
      ? `<rect class="unknown" x="${px(x)}" y="${plot.top}" width="${px(step)}" height="${innerHeight}"><title>${day}: not counted</title></rect>`
      : stack({ x, width: Math.max(1, step - 1.5), day, at }, series, top);
  });
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-text">
<title id="${id}-title">${escapeHtml(title)}</title>
<desc id="${id}-text">${escapeHtml(inWords(days, totals))}</desc>
${gridLines(top)}
${bars.join('')}
<line class="axis" x1="${plot.left}" x2="${width - plot.right}" y1="${base}" y2="${base}"/>
${dayLabels(days, step)}
</svg>`;
}

function stack(
  bar: { readonly x: number; readonly width: number; readonly day: string; readonly at: number },
  series: readonly Series[],
  top: number,
): string {
  let y = base;
  const parts: string[] = [];
  for (const { name, mark, values } of series) {
    const value = values[bar.at] ?? 0;
    if (value === 0) continue;
    const tall = (value / top) * innerHeight;
    y -= tall;
    parts.push(
      `<rect class="${mark}" x="${px(bar.x)}" y="${px(y)}" width="${px(bar.width)}" height="${px(tall)}"><title>${bar.day}: ${escapeHtml(name)} ${count(value)}</title></rect>`,
    );
  }
  return parts.join('');
}

function gridLines(top: number): string {
  return [0.5, 1]
    .map((share) => {
      const y = px(base - share * innerHeight);
      return `<line class="grid" x1="${plot.left}" x2="${width - plot.right}" y1="${y}" y2="${y}"/><text class="tick" x="${plot.left - 6}" y="${y}" dy="4" text-anchor="end">${count(top * share)}</text>`;
    })
    .join('');
}

const monthNames = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
];

/** Labels for the first day and each month's first. The label of the last day, which is today, is at the right. */
function dayLabels(days: readonly string[], step: number): string {
  const label = (at: number, day: string, anchor: string): string =>
    `<text class="tick" x="${px(plot.left + at * step)}" y="${base + 17}" text-anchor="${anchor}">${spoken(day)}</text>`;
  const last = days.length - 1;
  const firsts = days.flatMap((day, at) =>
    day.endsWith('-01') && at > 6 && at < last - 9 ? [label(at, day, 'middle')] : [],
  );
  return [
    label(0, days[0] ?? '', 'start'),
    ...firsts,
    label(days.length, days[last] ?? '', 'end'),
  ].join('');
}

/** `2027-11-02` as `2 Nov`. */
export function spoken(day: string): string {
  return `${parseInt(day.slice(8), 10)} ${monthNames[parseInt(day.slice(5, 7), 10) - 1] ?? ''}`;
}

function inWords(days: readonly string[], totals: readonly number[]): string {
  const all = totals.reduce((sum, value) => sum + value, 0);
  if (all === 0) return `None between ${days[0] ?? ''} and ${days.at(-1) ?? ''}.`;
  const max = Math.max(...totals);
  return `${count(all)} between ${days[0] ?? ''} and ${days.at(-1) ?? ''}, at most ${count(max)} a day, on ${days[totals.indexOf(max)] ?? ''}. The table below has the numbers.`;
}

function totalAt(series: readonly Series[], at: number): number {
  return series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
}

/** The next number that is easy to halve and to read: 2, 4, 6, 10, 20, 40 … */
export function niceTop(max: number): number {
  for (let magnitude = 1; ; magnitude *= 10)
    for (const times of [2, 4, 6, 10]) if (times * magnitude >= max) return times * magnitude;
}

function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const digits = new Intl.NumberFormat('en');

/** A number with a separator for thousands. */
export function count(value: number): string {
  return digits.format(value);
}
