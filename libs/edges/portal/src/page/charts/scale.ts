/** Height of a chart in CSS pixels. Its width is the page's, so places across it are in percent. */
export const height = 200;
/** Space for the figures of the axes, in CSS pixels. */
export const margin = { top: 22, bottom: 28 } as const;

const plotHeight = height - margin.top - margin.bottom;

/** A value axis that includes zero. */
export interface Scale {
  /** Values of the grid lines: zero and at most four more. */
  readonly ticks: readonly number[];
  /** The vertical place of a value. */
  y(value: number): number;
}

/** Rounds a place to a tenth of a unit, which no one can see. */
export function place(figure: number): number {
  return Math.round(figure * 10) / 10;
}

/** Most steps between the lowest and the highest grid line. */
const maxSteps = 3;

/**
 * The axis for these values. Its steps are 1, 2, 2.5 or 5 followed by zeros.
 * @param isWhole true for counts, so that no grid line has a fraction
 */
export function scaleOf(values: readonly number[], isWhole = false): Scale {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = niceStep((most - least || 1) / maxSteps, isWhole);
  const [low, high] = [Math.floor(least / step) * step, Math.ceil((most || step) / step) * step];
  const ticks = Array.from(
    { length: Math.round((high - low) / step) + 1 },
    (_, index) => low + index * step,
  );
  const y = (value: number): number =>
    place(margin.top + plotHeight * (1 - (value - low) / (high - low)));
  return { ticks, y };
}

function niceStep(least: number, isWhole: boolean): number {
  const step = isWhole ? Math.max(1, least) : least;
  const power = 10 ** Math.floor(Math.log10(step));
  const factors = isWhole ? [1, 2, 5] : [1, 2, 2.5, 5];
  return (factors.find((factor) => factor * power >= step) ?? 10) * power;
}

const magnitudes = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const;

/** A figure in few characters: `1.2M`, `850`, `−40K`. */
export function short(value: number): string {
  const size = Math.abs(value);
  const [unit, letter] = magnitudes.find(([least]) => size >= least) ?? [1, ''];
  const text = (size / unit).toFixed(size / unit >= 100 ? 0 : 1).replace(/\.0$/, '');
  return `${value < 0 ? '−' : ''}${text}${letter}`;
}

/** The last label and at most three before it, evenly apart, with their places in the list: a phone has room for four. */
export function fewLabels<Label>(labels: readonly Label[]): readonly (readonly [number, Label])[] {
  const every = Math.max(1, Math.ceil(labels.length / 4));
  return labels
    .map((label, index) => [index, label] as const)
    .filter(([index]) => (labels.length - 1 - index) % every === 0);
}
