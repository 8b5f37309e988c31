import { type Minor } from '#domain/kernel';
import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { icon } from './icons.js';
import { moneyText, timeText } from './parts.js';

/** The day and zone by which short times are written, and their language. */
export interface WallClock {
  readonly timezone: string;
  /** YYYY-MM-DD in the zone. */
  readonly today: string;
  readonly language: Language;
}

const months: Readonly<Record<Language, readonly string[]>> = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  sw: ['Jan', 'Feb', 'Mac', 'Apr', 'Mei', 'Jun', 'Jul', 'Ago', 'Sep', 'Okt', 'Nov', 'Des'],
};

/** A day (`YYYY-MM-DD`) without its year, as an axis shows it: `25 Nov`. */
export function dayLabel(day: string, language: Language): string {
  const [, month = '', date = ''] = day.split('-');
  const name = months[language].find((_, index) => index + 1 === Number(month)) ?? month;
  return `${date.replace(/^0/, '')} ${name}`;
}

/** A day as `25 Nov`, or `25 Nov 2025` if it is not of this year. */
export function shortDay(
  day: string,
  { today, language }: Pick<WallClock, 'today' | 'language'>,
): string {
  const [year = ''] = day.split('-');
  const text = dayLabel(day, language);
  return today.startsWith(`${year}-`) ? text : `${text} ${year}`;
}

/** An instant as `17:33` today, else `25 Nov 17:33`. The exact time is its title. */
export function shortTime(instant: string | Date, clock: WallClock): Html {
  const date = typeof instant === 'string' ? new Date(instant) : instant;
  const exact = timeText(date, clock.timezone);
  const [day = '', time = ''] = exact.split(' ');
  const minutes = time.slice(0, 5);
  const shown = day === clock.today ? minutes : `${shortDay(day, clock)} ${minutes}`;
  return html`<time datetime="${date.toISOString()}" title="${exact}">${shown}</time>`;
}

/** An instant to the second, for a page of one item that names the zone once: `28 Nov 2026, 10:18:32`. */
export function exactTime(instant: string, { timezone, language }: WallClock): Html {
  const date = new Date(instant);
  const title = timeText(date, timezone);
  const [day = '', time = ''] = title.split(' ');
  const [year = ''] = day.split('-');
  return html`<time datetime="${date.toISOString()}" title="${title}"
    >${dayLabel(day, language)} ${year}, ${time}</time
  >`;
}

/** The clock's part of a time to the second: `17:33:05`. */
export function secondsOf(instant: string, timezone: string): Html {
  const date = new Date(instant);
  const title = timeText(date, timezone);
  const [, time = ''] = title.split(' ');
  return html`<time datetime="${date.toISOString()}" title="${title}">${time}</time>`;
}

/** The short name of a zone at an instant: `EAT`. */
export function zoneAt(instant: string, timezone: string): string {
  return timeText(new Date(instant), timezone).split(' ')[2] ?? '';
}

/** The clock's part of a time: `17:33`. */
export function clockTime(date: Date, timezone: string): string {
  const [, time = ''] = timeText(date, timezone).split(' ');
  return time.slice(0, 5);
}

/** An amount without its currency, for a column whose head names the currency: `1,234.50`. */
export function figure(minor: Minor): Html {
  return html`<span class="money">${moneyText(minor, '').trimStart()}</span>`;
}

/** The currency of all rows, or undefined if they have several or there is no row. */
export function onlyCurrency(rows: readonly { readonly currency: string }[]): string | undefined {
  const [first, ...others] = new Set(rows.map(({ currency }) => currency));
  return others.length === 0 ? first : undefined;
}

/** A text with a button that copies it. The stylesheet hides the button if scripts are off. */
export function copyable(text: string, label: string): Html {
  return html`<span class="copyable"
    ><span>${text}</span
    ><button type="button" class="copy" data-copy="${text}" title="${label}">
      ${icon('copy')}<span class="away">${label}</span>
    </button></span
  >`;
}

/**
 * A list's form of filters, which a phone folds into a chip.
 * @param set the number of filters in use
 */
export function foldedFilters(
  fields: Html,
  {
    label,
    set,
    isOpen = false,
  }: { readonly label: string; readonly set: number; readonly isOpen?: boolean },
): Html {
  return html`<details class="fold chip" ${isOpen ? html`open` : undefined}>
    <summary>${label}${set > 0 ? html` (${set})` : undefined}</summary>
    ${fields}
  </details>`;
}
