import { type Minor } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type ListedReconciliation } from '#views/reconciliations';
import { type Viewer } from '../../access/viewer.js';
import { figure, shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyState, field, form, nextPage, statusMark, table } from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Account, type Place } from '../place.js';

export interface DaysModel {
  readonly place: Place;
  readonly account: Account;
  readonly clock: WallClock;
  /** Days, the newest first, none in the future. */
  readonly days: readonly string[];
  /** Names of the merchant's people, by their ids. */
  readonly names: Names;
  /** The newest reconciliation of each day. */
  readonly reconciled: ReadonlyMap<string, ListedReconciliation>;
  /** The figures of days that are known. */
  readonly figures: ReadonlyMap<string, DayFigures>;
  /** The last day of the next page, or undefined if there is none. */
  readonly earlier: string | undefined;
}

/** A day's figures, as of its newest comparison. */
export interface DayFigures {
  readonly collectedMinor: Minor;
  readonly paidOutMinor: Minor;
  /** M-Pesa's money in less money out, minus the ledger's. */
  readonly differenceMinor: Minor;
}

/** The page that lists the days with their figures, and how each compares with the rail's statement (POR-28). */
export function daysPage(
  model: DaysModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { place, account, days, earlier } = model;
  const { days: words, common } = texts;
  const address = `${place.base}/days`;
  const number = (text: string) =>
    ({ text: `${text} (${account.currency})`, isNumber: true }) as const;
  return html`<p>${words.intro}</p>
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
    ${table({
      caption: `${words.caption} ${account.accountNo}`,
      head: [
        common.day,
        ...[words.collected, words.paidOut, words.difference].map(number),
        ...[common.status, words.reconciledBy],
      ],
      rows: days.map((day) => row(day, model, texts)),
      empty: emptyState(words.empty.text, words.empty.todo),
    })}
    ${nextPage(earlier === undefined ? undefined : `${address}?${query({ account: account.accountNo, to: earlier })}`, words.earlier)}
    <p class="soft">${common.zone(place.timezone)}</p>`;
}

function row(day: string, model: DaysModel, { days: words }: MerchantTexts) {
  const { place, account, clock, reconciled, figures, names } = model;
  const found = reconciled.get(day);
  const known = figures.get(day);
  const shown = (minor: Minor | undefined) => (minor === undefined ? '' : figure(minor));
  const isEarly = found !== undefined && day !== clock.today && !found.wasOver;
  return [
    html`<a href="${dayAddress(place, account, day)}">${day}</a>`,
    ...[known?.collectedMinor, known?.paidOutMinor, known?.differenceMinor].map(shown),
    found
      ? standing(found.open, words, isEarly)
      : statusMark('pending', words.notReconciled, 'neutral'),
    found
      ? html`<span>${personName(found.operator, names)}</span>,
          ${shortTime(found.recordedAt, clock)}`
      : '',
  ];
}

/** @param isEarly true if the comparison was made before the end of the day */
export function standing(open: number, words: MerchantTexts['days'], isEarly: boolean): Html {
  if (open > 0) return statusMark('late', `${words.open}: ${open}`);
  return isEarly ? statusMark('pending', words.closedEarly) : statusMark('matched', words.matched);
}

export function query(members: Readonly<Record<string, string>>): string {
  return new URLSearchParams(members).toString();
}

export function dayAddress({ base }: Place, { accountNo }: Account, day: string): string {
  return `${base}/days/${day}?${query({ account: accountNo })}`;
}

export function accountField(
  { accounts }: Place,
  { accountNo }: Account,
  texts: MerchantTexts,
): Html {
  return field({
    name: 'account',
    label: texts.common.account,
    value: accountNo,
    options: accounts.map((of) => [of.accountNo, `${of.accountNo} (${of.currency})`]),
  });
}
