import { html, type Html } from '#shared/html';
import { type Tone } from './chart.js';

interface Ranked {
  readonly label: Html | string;
  readonly value: number;
  /** The value to the last digit. */
  readonly exact: string;
}

/** Horizontal bars, longest first, each with its label and its figure in words: a list, so that it needs no table. */
export function rankingChart({
  title,
  tone,
  rows,
}: {
  readonly title: string;
  readonly tone: Tone;
  readonly rows: readonly Ranked[];
}): Html {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return html`<figure class="card chart">
    <figcaption>${title}</figcaption>
    <ol class="ranking">
      ${rows.map(
        ({ label, value, exact }) =>
          html`<li>
            <span>${label}</span> <b>${exact}</b>
            <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
              <rect class="${tone}" width="${Math.round((value / most) * 1000) / 10}" height="2" />
            </svg>
          </li>`,
      )}
    </ol>
  </figure>`;
}
