import { type Minor } from '#domain/kernel';
import { firstChannel } from '#domain/merchants';
import { html, type Html } from '#shared/html';
import { railNameOf } from '#shared/glossary';
import { type AccountRail, type ListedReconciliation } from '#views/reconciliations';
import { type Viewer } from '../../access/viewer.js';
import { figure, shortDay, shortTime, type WallClock } from '../../page/list-parts.js';
import { listTable } from '../../page/list-table.js';
import { emptyState, field, form, nextPage, notice, statusMark } from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Account, type Place } from '../place.js';
import { comparisonKey } from './comparison-key.js';

export interface DaysModel {
  readonly place: Place;
  readonly account: Account;
  readonly clock: WallClock;
  /** Days, the newest first, none in the future. */
  readonly days: readonly string[];
  /** Names of the merchant's people, by their ids. */
  readonly names: Names;
  readonly rails: readonly AccountRail[];
  /** The newest reconciliation of each day with each rail's statement, by `comparisonKey`. */
  readonly reconciled: ReadonlyMap<string, ListedReconciliation>;
  /** The figures of the days that have any; undefined if the views cannot answer at the moment. */
  readonly figures: ReadonlyMap<string, DayFigures> | undefined;
  /** A rail's money in less money out, minus the ledger's, as of each of the comparisons. */
  readonly differences: ReadonlyMap<string, Minor>;
  /** True if the viewer may compare days. */
  readonly mayClose: boolean;
  /** The last day of the next page, or undefined if there is none. */
  readonly earlier: string | undefined;
}

/** The completed payments of the ledger that began on a day. */
export interface DayFigures {
  readonly collectedMinor: Minor;
  readonly paidOutMinor: Minor;
}

/** The page that lists the days with their figures, and how each compares with the rail's statement (POR-28). */
export function daysPage(
  model: DaysModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { place, account, rails, days, earlier, figures } = model;
  const { days: words, common } = texts;
  const address = `${place.base}/days`;
  return html`<p class="soft">${words.intro(namesOf(rails, viewer.language))}</p>
    ${
      place.accounts.length > 1
        ? form(viewer, {
            action: address,
            method: 'get',
            isRow: true,
            look: 'secondary',
            submit: common.show,
            fields: [accountField(place, account, texts)],
          })
        : undefined
    }
    ${figures ? undefined : notice('warning', common.unavailable)}
    ${
      days.length === 0
        ? emptyState(words.empty.text, allDays(address, account, words), 'reconciliation')
        : daysTable(model, texts)
    }
    ${nextPage(earlier === undefined ? undefined : `${address}?${query({ account: account.accountNo, to: earlier })}`, words.earlier)}
    <p class="soft"><small>${words.byBeginning} ${common.zone(place.timezone)}</small></p>`;
}

function allDays(address: string, { accountNo }: Account, { newest }: MerchantTexts['days']): Html {
  return html`<a class="button secondary" href="${address}?${query({ account: accountNo })}"
    >${newest}</a
  >`;
}

function daysTable(model: DaysModel, texts: MerchantTexts): Html {
  const { account, days } = model;
  const { days: words, common } = texts;
  const amount = (text: string, style: string) => ({
    text: `${text} (${account.currency})`,
    style,
  });
  return listTable({
    caption: `${words.caption} ${account.accountNo}`,
    look: 'days',
    columns: [
      { text: common.day, style: 'ref', isHeading: true },
      amount(words.collected, 'amount-cell'),
      amount(words.paidOut, 'number out'),
      amount(words.difference, 'number more'),
      { text: common.status, style: 'status' },
      { text: words.reconciledBy, style: 'more' },
      { text: '', style: 'act' },
    ],
    rows: days.map((day) => row(day, model, texts)),
    foot: total(model, texts),
  });
}

/** A figure that is not known. */
const unknown = html`<span class="soft">–</span>`;

/** A rail whose statement the day is compared with, and the newest comparison. */
interface RailDay {
  readonly channel: string;
  readonly compared: ListedReconciliation | undefined;
}

/** The rails that can have money of a day: those that were enabled then, and those whose statement was compared. */
function railsOf(day: string, { rails, reconciled }: DaysModel): readonly RailDay[] {
  return rails
    .map(({ channel, since = day, until = day }) => ({
      channel,
      isEnabled: since <= day && day <= until,
      compared: reconciled.get(comparisonKey(day, channel)),
    }))
    .filter(({ isEnabled, compared }) => isEnabled || compared !== undefined);
}

/** The difference of a day that was compared with every rail's statement; else it is not known. */
function differenceOf(day: string, model: DaysModel): Minor | undefined {
  const each = railsOf(day, model).map(({ channel }) =>
    model.differences.get(comparisonKey(day, channel)),
  );
  return each.reduce<Minor | undefined>(
    (sum, of) => (sum === undefined || of === undefined ? undefined : sum + of),
    0n,
  );
}

function row(day: string, model: DaysModel, texts: MerchantTexts) {
  const { place, account, clock, names } = model;
  const { days: words } = texts;
  const rails = railsOf(day, model);
  const difference = differenceOf(day, model);
  const newest = rails
    .flatMap(({ compared }) => compared ?? [])
    .toSorted((one, other) => (one.recordedAt < other.recordedAt ? 1 : -1))[0];
  return [
    html`<a href="${dayAddress(place, account, day)}">${dayName(day, clock, words)}</a>`,
    ...amounts(figuresOf(day, model), model, texts),
    difference === undefined ? unknown : figure(difference),
    html`${rails.map((of) => {
      const mark = railStanding(of, day, clock, words);
      return rails.length === 1
        ? mark
        : html`<div><span class="soft">${railNameOf(of.channel)}</span> ${mark}</div>`;
    })}`,
    newest
      ? html`<span>${personName(newest.operator, names)}</span>,
          ${shortTime(newest.recordedAt, clock)}`
      : '',
    compareLink(day, model, words),
  ];
}

function railStanding(
  { compared }: RailDay,
  day: string,
  clock: WallClock,
  words: MerchantTexts['days'],
): Html {
  if (!compared) return statusMark('pending', words.notReconciled, 'neutral');
  return standing(compared.open, words, day !== clock.today && !compared.wasOver);
}

/** A day without payments has zeros; no day has figures if the views cannot answer. */
function figuresOf(day: string, { figures }: DaysModel): DayFigures | undefined {
  return figures && (figures.get(day) ?? { collectedMinor: 0n, paidOutMinor: 0n });
}

/** Collected and paid out. In a card on a phone each names itself. */
function amounts(
  of: DayFigures | undefined,
  { account: { currency } }: DaysModel,
  { days: words }: MerchantTexts,
): readonly Html[] {
  if (!of) return [unknown, unknown];
  return [
    html`<span class="unit">${currency} </span>${figure(of.collectedMinor)}`,
    html`<span class="unit">${words.paidOut} </span>${figure(of.paidOutMinor)}`,
  ];
}

/** The way to a comparison of a day that is over and was not compared since with some rail's statement. */
function compareLink(
  day: string,
  model: DaysModel,
  words: MerchantTexts['days'],
): Html | undefined {
  const { place, account, clock, mayClose } = model;
  const next = railsOf(day, model).find(({ compared }) => compared?.wasOver !== true);
  if (!mayClose || day === clock.today || !next) return undefined;
  return html`<a href="${dayAddress(place, account, day, next.channel)}#${uploadId}"
    >${words.close}<span class="away"> ${dayName(day, clock, words)}</span></a
  >`;
}

/** The sums of the days on the page; the difference of those that were compared. */
function total(model: DaysModel, texts: MerchantTexts): Html {
  const { days } = model;
  const known = days.flatMap((day) => figuresOf(day, model) ?? []);
  const sums = known.length === 0 ? undefined : known.reduce(add);
  const [collected, paidOut] = amounts(sums, model, texts);
  const shown = days.flatMap((day) => differenceOf(day, model) ?? []);
  const difference = shown.length === 0 ? unknown : figure(shown.reduce((sum, of) => sum + of, 0n));
  return html`<tr role="row">
    <th scope="row" role="rowheader" class="ref">${texts.days.total}</th>
    <td role="cell" class="amount-cell">${collected}</td>
    <td role="cell" class="number out">${paidOut}</td>
    <td role="cell" class="number more">${difference}</td>
    <td role="cell" class="more" colspan="3"></td>
  </tr>`;
}

function add(one: DayFigures, other: DayFigures): DayFigures {
  return {
    collectedMinor: one.collectedMinor + other.collectedMinor,
    paidOutMinor: one.paidOutMinor + other.paidOutMinor,
  };
}

/** The rails' names as a list in a sentence. */
function namesOf(rails: readonly AccountRail[], language: Viewer['language']): string {
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(
    rails.map(({ channel }) => railNameOf(channel)),
  );
}

/** The id of the step in which a day's statement is uploaded. */
export const uploadId = 'upload';

/** A day as people call it: "Today", or `27 Nov`. */
export function dayName(
  day: string,
  clock: Pick<WallClock, 'today' | 'language'>,
  { today }: Pick<MerchantTexts['days'], 'today'>,
): string {
  return day === clock.today ? today : shortDay(day, clock);
}

/** @param isEarly true if the comparison was made before the end of the day */
export function standing(open: number, words: MerchantTexts['days'], isEarly: boolean): Html {
  if (open > 0) return statusMark('late', `${words.open}: ${open}`);
  return isEarly ? statusMark('pending', words.closedEarly) : statusMark('matched', words.matched);
}

export function query(members: Readonly<Record<string, string>>): string {
  return new URLSearchParams(members).toString();
}

/** @param channel of the rail whose comparison is shown */
export function dayAddress(
  { base }: Place,
  { accountNo }: Account,
  day: string,
  channel: string = firstChannel,
): string {
  const rail = channel === firstChannel ? {} : { rail: channel };
  return `${base}/days/${day}?${query({ account: accountNo, ...rail })}`;
}

export function accountField(
  { accounts }: Place,
  { accountNo }: Pick<Account, 'accountNo'>,
  texts: MerchantTexts,
  hint?: string,
): Html {
  return field({
    name: 'account',
    label: texts.common.account,
    ...(hint !== undefined && { hint }),
    value: accountNo,
    options: accounts.map((of) => [of.accountNo, `${of.accountNo} (${of.currency})`]),
  });
}
