import { html, type Html } from '#shared/html';
import { type Chart } from './chart.js';
import { place } from './scale.js';

/** Size of a small drawing inside a line of text. */
const spark = { width: 96, height: 24 } as const;

/** A line without axes beside a figure that says the same. @returns undefined for too few points */
export function sparkline(values: readonly number[], title: string): Html | undefined {
  if (values.length < 3) return undefined;
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const points = values.map((value, index) => {
    const x = place((index * spark.width) / (values.length - 1));
    const y = place(1 + (spark.height - 2) * (1 - (value - least) / (most - least || 1)));
    return `${x},${y}`;
  });
  return drawing(title, html`<polyline class="line completed" points="${points.join(' ')}" />`);
}

/** A value above zero is at least this high, so that one failure among thousands of successes is visible. */
const leastHeight = 2;

/** Stacked columns without axes beside figures that say the same. Each column has its figures as its title. */
export function sparkColumns({
  title,
  labels,
  series,
}: Pick<Chart, 'title' | 'labels' | 'series'>): Html {
  const totals = labels.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const room = spark.height - 2 - leastHeight * series.length;
  const unit = room / Math.max(1, ...totals);
  const step = spark.width / labels.length;
  const columns = labels.map((label, index) => {
    const x = place(index * step);
    let top = spark.height - 1;
    const bars = series
      .filter(({ values }) => (values[index] ?? 0) > 0)
      .map(({ tone, values }) => {
        const height = place(leastHeight + (values[index] ?? 0) * unit);
        top = place(top - height);
        const width = place(step * 0.75);
        return html`<rect
          class="${tone}"
          x="${x}"
          y="${top}"
          width="${width}"
          height="${height}"
        />`;
      });
    const told = series.map(({ name, texts }) => `${name}: ${texts[index] ?? ''}`).join(', ');
    return html`${bars}<rect
        class="target"
        x="${x}"
        y="0"
        width="${place(step)}"
        height="${spark.height}"
        ><title>${label}: ${told}</title></rect
      >`;
  });
  const base = spark.height - 0.5;
  return drawing(title, html`<path class="zero" d="M0 ${base}H${spark.width}" />${columns}`);
}

function drawing(title: string, content: Html): Html {
  return html`<svg
    class="spark"
    viewBox="0 0 ${spark.width} ${spark.height}"
    role="img"
    aria-label="${title}"
  >
    ${content}
  </svg>`;
}
