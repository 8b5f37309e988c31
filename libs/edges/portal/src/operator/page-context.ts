import { type Mode } from '#domain/kernel';
import { type Person, personId, personOf } from '#domain/people';
import { html, type Html } from '#shared/html';
import { rawTarget } from '#shared/http';
import { type Item } from '#desk/operators';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';
import { shortTime } from '../page/list-parts.js';
import { shortId, statusMark, timeText } from '../page/parts.js';
import { type OperatorTexts } from './operator-texts.js';

/** Facts that each of operators' pages is shown with. */
export interface PageContext {
  readonly viewer: Viewer;
  readonly texts: OperatorTexts;
  /** The platform's time zone. */
  readonly zone: string;
  /** The time of the request. */
  readonly now: Date;
  /** Names of people by their ids. A person who never signed in is not in it. */
  readonly names?: ReadonlyMap<string, string>;
  /** Names of merchants by their ids. An unknown merchant is not in it. */
  readonly merchants?: ReadonlyMap<string, string>;
}

/** Rows of a list; the link to the next ones is below it. */
export const pageSize = 50;

/** The currency that M-Pesa carries. */
export const railCurrency = 'KES';

export function itemHref({ type, key: { mode, merchantId, reference } }: Item): string {
  return `/portal/items/${[mode, merchantId, type, reference].map(encodeURIComponent).join('/')}`;
}

export function correctionHref({ mode, id }: { readonly mode: Mode; readonly id: string }): string {
  return `/portal/corrections/${mode}/${encodeURIComponent(id)}`;
}

/** A person by their name, if it is known, and the issuer's subject; or a name from before there was an issuer. */
export function who(id: string, { viewer, texts, names }: PageContext): Html {
  if (isViewer(id, viewer)) return html`<b>${texts.you}</b> (${viewer.name})`;
  const person = personOf(id);
  if (!person) return html`${id}`;
  const subject = subjectOf(person);
  const name = names?.get(id);
  return name === undefined ? subject : html`${name} ${subject}`;
}

/** A person's name with the end of the id, as plain text. Without a name, the whole id. */
export function whoText(id: string, { names }: PageContext): string {
  const name = names?.get(id);
  return name === undefined ? id : `${name} (…${id.slice(-6)})`;
}

/** The issuer's subject by its last characters, with the issuer as its title. */
export function subjectOf({ issuer, subject }: Person): Html {
  return html`<span title="${issuer}">${subject.length > 16 ? shortId(subject) : subject}</span>`;
}

/**
 * A merchant by its name, if it is known, and the end of its id: two merchants may have one name (POR-57). The whole id
 * is one click away.
 */
export function merchantName(id: string, { merchants }: PageContext): Html {
  const name = merchants?.get(id);
  return name === undefined ? html`<code>${id}</code>` : html`${name} ${shortId(id)}`;
}

/** The text of `merchantName` without markup. */
export function merchantText(id: string, { merchants }: PageContext): string {
  const name = merchants?.get(id);
  return name === undefined ? id : `${name} (${id})`;
}

export function isViewer(id: string, { person }: Viewer): boolean {
  return id === personId(person);
}

/** An instant as lists show it: the time today, else the day as well. The exact time is its title. */
export function when(instant: string | Date, { zone, now, viewer }: PageContext): Html {
  const today = timeText(now, zone).slice(0, 'YYYY-MM-DD'.length);
  return shortTime(instant, { timezone: zone, today, language: viewer.language });
}

/** Demo or live as a badge. */
export function modeMark(mode: Mode, { texts }: PageContext): Html {
  return statusMark(mode, texts.modes[mode], mode === 'demo' ? 'info' : 'good');
}

/** A duration in the largest unit that is exact enough. */
export function duration(seconds: number, { duration: words }: OperatorTexts): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return words.seconds(whole);
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return words.minutes(minutes);
  if (whole >= 172_800) return words.days(Math.round(whole / 86_400));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? words.hours(hours) : `${words.hours(hours)} ${words.minutes(rest)}`;
}

/** The time since an instant, with the exact time as its title. */
export function age(instant: string, { now, texts, zone }: PageContext): Html {
  const since = new Date(instant);
  const passed = duration((now.getTime() - since.getTime()) / 1000, texts);
  return html`<time datetime="${since.toISOString()}" title="${timeText(since, zone)}"
    >${passed}</time
  >`;
}

/** A command of the command line, for copying. */
export function command(text: string): Html {
  return html`<code>${text}</code>`;
}

/** A decision in the viewer's language. A decision of a later release has its own name. */
export function decisionWord(decision: string, texts: OperatorTexts): string {
  const words: Readonly<Record<string, string>> = texts.decisions;
  return words[decision] ?? decision;
}

/** The parameters after the question mark. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(rawTarget(request).query);
}
