import { type Line, type Series } from '../measurement.js';
import { ascending, type Point } from '../statistics.js';

const size = { width: 640, height: 320 };
const margin = { left: 72, right: 24, top: 48, bottom: 48 };
/** With at most this many x values, each has a mark of its own. */
const maxMarks = 8;
/** Distinguishable for colour-blind readers too, and on light and dark pages. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f'];
const grey = '#7f7f7f';
const legendRow = 16;
const legendGap = 8;
const legendColumns = 3;
/** A long run has more samples than the picture has room for. */
const maxPoints = 200;
/** Points are drawn as dots if there are at most this many. */
const maxDots = 20;

/** A scale from figures to pixels, with the figures at which it is marked. */
interface Axis {
  readonly ticks: readonly number[];
  at(figure: number): number;
}

/** @returns the picture as SVG: lines with their points, marked axes and a legend; the same bytes for the same series */
export function plot({ title, x, y, lines, isLogarithmic }: Series): string {
  const points = lines.flatMap((line) => line.points);
  const legendHeight = legendRow * Math.ceil(lines.length / legendColumns);
  const height = size.height + legendGap + legendHeight;
  const inner = { right: size.width - margin.right, bottom: size.height - margin.bottom };
  const across = axis(
    points.map(([figure]) => figure),
    { from: margin.left, to: inner.right, isLogarithmic: isLogarithmic?.x, isAcross: true },
  );
  const up = axis(
    points.map(([, figure]) => figure),
    { from: inner.bottom, to: margin.top, isLogarithmic: isLogarithmic?.y, isAcross: false },
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="sans-serif" font-size="12" fill="${grey}">`,
    `<title>${escaped(title)}</title>`,
    text(margin.left, 18, title, 'font-size="14"'),
    ...up.ticks.flatMap((tick) => [
      `<path d="M${margin.left} ${px(up.at(tick))}H${inner.right}" stroke="${grey}" stroke-opacity="0.25"/>`,
      text(margin.left - 6, up.at(tick) + 4, label(tick), 'text-anchor="end"'),
    ]),
    ...across.ticks.map((tick) =>
      text(across.at(tick), inner.bottom + 16, label(tick), 'text-anchor="middle"'),
    ),
    `<path d="M${margin.left} ${margin.top}V${inner.bottom}H${inner.right}" stroke="${grey}" fill="none"/>`,
    text(inner.right, inner.bottom + 34, x, 'text-anchor="end"'),
    text(margin.left - 6, margin.top - 14, y, 'text-anchor="end"'),
    ...lines.map((line, index) => drawn(line, colourOf(index), across, up)),
    ...lines.flatMap((line, index) => legend(line, index)),
    '</svg>\n',
  ].join('\n');
}

function drawn({ points }: Line, colour: string, across: Axis, up: Axis): string {
  const places = thinned(points).map(([x, y]) => `${px(across.at(x))} ${px(up.at(y))}`);
  const dots = places.length <= maxDots ? places.map((place) => dot(place, colour)).join('') : '';
  return `<path d="M${places.join('L')}" stroke="${colour}" stroke-width="1.5" fill="none"/>${dots}`;
}

function dot(place: string, colour: string): string {
  const [x, y] = place.split(' ');
  return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;
}

function legend({ label: name }: Line, index: number): string[] {
  const column = (size.width - margin.left - margin.right) / legendColumns;
  const x = margin.left + (index % legendColumns) * column;
  const y = size.height + legendGap + Math.floor(index / legendColumns) * legendRow;
  return [
    `<path d="M${px(x)} ${y - 4}h14" stroke="${colourOf(index)}" stroke-width="3"/>`,
    text(x + 20, y, name),
  ];
}

/** Returns every n-th point, and always the last one. */
function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / maxPoints);
  return points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

function axis(
  figures: readonly number[],
  of: {
    readonly from: number;
    readonly to: number;
    readonly isLogarithmic: true | undefined;
    readonly isAcross: boolean;
  },
): Axis {
  const measured = [...new Set(figures)].sort(ascending);
  const round = of.isLogarithmic ? decades(figures) : roundTicks(figures, !of.isAcross);
  const ticks = of.isAcross && measured.length <= maxMarks ? measured : round;
  const scaled = (figure: number): number => (of.isLogarithmic ? Math.log10(figure) : figure);
  const [min, max] = [scaled(ticks[0] ?? 0), scaled(ticks.at(-1) ?? 1)];
  const span = max - min || 1;
  const at = (figure: number): number =>
    of.from + ((scaled(figure) - min) / span) * (of.to - of.from);
  return { ticks, at };
}

/** Returns between four and ten round figures that enclose all the others. */
export function roundTicks(figures: readonly number[], fromZero: boolean): number[] {
  const max = Math.max(...figures);
  const min = fromZero ? Math.min(0, ...figures) : Math.min(...figures);
  const raw = (max - min || Math.abs(max) || 1) / 5;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * ([1, 2, 5, 10].find((factor) => factor * decade >= raw) ?? 10);
  const first = Math.floor(min / step);
  const last = Math.max(first + 1, Math.ceil(max / step));
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** Returns the powers of ten that enclose all figures and, if these are few, their doubles and halves. */
export function decades(figures: readonly number[]): number[] {
  const positive = figures.filter((figure) => figure > 0);
  const [min, max] = [Math.min(...positive), Math.max(...positive)];
  const factors = max / min > 1000 ? [1] : [1, 2, 5];
  const first = Math.floor(Math.log10(min));
  const all = Array.from({ length: Math.ceil(Math.log10(max)) - first + 1 }, (_, index) =>
    factors.map((factor) => Number(`${factor}e${first + index}`)),
  ).flat();
  const below = all.findLastIndex((tick) => tick <= min);
  const above = all.findIndex((tick) => tick >= max);
  return all.slice(Math.max(0, below), above + 1);
}

function text(x: number, y: number, words: string, more = ''): string {
  return `<text x="${px(x)}" y="${px(y)}"${more === '' ? '' : ` ${more}`}>${escaped(words)}</text>`;
}

function label(figure: number): string {
  if (figure >= 1_000_000) return `${Number((figure / 1_000_000).toPrecision(3))}m`;
  if (figure >= 10_000) return `${Number((figure / 1000).toPrecision(3))}k`;
  return String(Number(figure.toPrecision(3)));
}

function colourOf(index: number): string {
  return colours[index % colours.length] ?? grey;
}

function px(figure: number): string {
  return String(Math.round(figure * 10) / 10);
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
