import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { amounts, columnChart, counts } from '../../page/charts/index.js';
import { dayLabel } from '../../page/list-parts.js';
import { money } from '../../page/parts.js';
import { changeOf, type HomeFigures, rateOf } from './home-figures.js';
import { type HomeTexts } from './home-texts.js';

/** The figures of a currency: of a merchant, or of all merchants. */
export type MoneyFigures = HomeFigures & { readonly currency: string };

/** The lists that the tiles of a span lead to. */
export interface SpanLinks {
  readonly collected: string;
  readonly failed: string;
  readonly paidOut: string;
}

/** Tiles of collected money, the success rate and money paid out, each with its change. */
export function moneyTiles(
  { currency, now, before }: Omit<MoneyFigures, 'days'>,
  home: HomeTexts,
  links?: SpanLinks,
): Html {
  return html`${tile({
    label: home.collected,
    value: money(now.collectedMinor, currency),
    notes: [
      home.payments(now.collectedCount),
      changeText(changeOf(now.collectedMinor, before.collectedMinor), home),
    ],
    isWide: true,
    href: links?.collected,
  })}
  ${tile({
    label: home.successRate,
    value: rateText(now, home),
    notes: [rateNote(now, home), rateChange(now, before, home)],
    isWide: true,
    href: links?.failed,
  })}
  ${tile({
    label: home.paidOut,
    value: money(now.paidOutMinor, currency),
    notes: [
      home.payouts(now.paidOutCount),
      changeText(changeOf(now.paidOutMinor, before.paidOutMinor), home),
    ],
    isWide: true,
    href: links?.paidOut,
  })}`;
}

interface Tile {
  readonly label: string;
  readonly value: Html | string;
  readonly notes: readonly (string | undefined)[];
  /** True for a tile that is a line of its own on a phone. */
  readonly isWide?: boolean;
  /** The list that the figure sums up. */
  readonly href?: string | undefined;
}

/** One figure with its label and notes. All of a tile with a list is one link to it. */
export function tile({ label, value, notes, isWide, href }: Tile): Html {
  const style = isWide ? 'tile wide' : 'tile';
  const content = html`<p class="label">${label}</p>
    <p class="value">${value}</p>
    ${notes.map((note) => (note === undefined ? html`` : html`<p class="note">${note}</p>`))}`;
  return href === undefined
    ? html`<div class="${style}">${content}</div>`
    : html`<a class="${style}" href="${href}">${content}</a>`;
}

function changeText(change: bigint | undefined, home: HomeTexts): string {
  if (change === undefined) return home.noEarlier;
  if (change === 0n) return home.same;
  return change > 0n ? home.up(`${change} %`) : home.down(`${-change} %`);
}

const percent = (tenths: number): string => `${(tenths / 10).toFixed(1)} %`;

function rateText(now: HomeFigures['now'], home: HomeTexts): string {
  const rate = rateOf(now);
  if (rate !== undefined) return percent(rate);
  return now.finished === 0n ? '–' : home.ofFinished(now.completed, now.finished);
}

/** The two numbers behind a percentage. */
function rateNote(now: HomeFigures['now'], home: HomeTexts): string | undefined {
  if (now.finished === 0n) return home.noneFinished;
  return rateOf(now) === undefined ? undefined : home.ofFinished(now.completed, now.finished);
}

function rateChange(
  now: HomeFigures['now'],
  before: HomeFigures['now'],
  home: HomeTexts,
): string | undefined {
  const [current, former] = [rateOf(now), rateOf(before)];
  if (current === undefined || former === undefined) return undefined;
  const points = (current - former) / 10;
  return home.points(`${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`);
}

/** Two charts: what was collected each day, and how the day's payments ended. */
export function moneyCharts(
  { currency, days }: MoneyFigures,
  home: HomeTexts,
  language: Language,
): Html {
  const labels = days.map(({ day }) => dayLabel(day, language));
  const collected = days.map(({ collectedMinor }) => collectedMinor);
  const name = { name: home.collected, tone: 'completed' } as const;
  return html`${columnChart({
    title: home.collectedADay,
    unit: currency,
    labels,
    series: [amounts(name, collected, currency)],
    language,
  })}
  ${columnChart({
    title: home.outcomesADay,
    unit: '',
    labels,
    series: [
      counts(
        home.completed,
        'completed',
        days.map(({ completed }) => completed),
      ),
      counts(
        home.pending,
        'pending',
        days.map(({ pending }) => pending),
      ),
      counts(
        home.failed,
        'failed',
        days.map(({ failed }) => failed),
      ),
    ],
    language,
  })}`;
}
