import { exceptionKey, type Handled } from '#records/people';
import { type DaySums, type StatementOfDays } from '#views/statements';
import { html, type Html } from '#shared/html';
import { type Minor } from '#domain/kernel';
import { isOpen, type ReconciliationRecorded, type RecordedOpen } from '#domain/reconciliation';
import { collectionKeyOf } from '#domain/collections';
import { payoutKeyOf } from '#domain/payouts';
import { type ListedReconciliation } from '#views/reconciliations';
import { type Viewer } from '../../access/viewer.js';
import {
  choice,
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  nextPage,
  notice,
  statusMark,
  table,
  time,
} from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type Account, itemAddress, type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface DaysModel {
  readonly place: Place;
  readonly account: Account;
  /** Days, the newest first, none in the future. */
  readonly days: readonly string[];
  /** The day that is not over. */
  readonly today: string;
  /** Names of the merchant's people, by their ids. */
  readonly names: Names;
  /** The newest reconciliation of each day. */
  readonly reconciled: ReadonlyMap<string, ListedReconciliation>;
  /** The last day of the next page, or undefined if there is none. */
  readonly earlier: string | undefined;
}

/** The page that lists which days were reconciled, by whom, and how many lines are open. */
export function daysPage(model: DaysModel, { viewer, texts }: Frame): Html {
  const { place, account, days, today, reconciled, names, earlier } = model;
  const { days: words, common } = texts;
  const address = `${place.base}/days`;
  const number = (text: string) => ({ text, isNumber: true }) as const;
  return html`<p>${words.intro}</p>
    ${
      place.accounts.length > 1
        ? form(viewer, {
            action: address,
            method: 'get',
            isRow: true,
            submit: common.show,
            fields: [accountField(place, account, texts)],
          })
        : undefined
    }
    ${table({
      caption: `${words.caption} ${account.accountNo}`,
      head: [
        common.day,
        common.status,
        number(words.matched),
        number(words.open),
        words.reconciledBy,
        '',
      ],
      rows: days.map((day) => {
        const found = reconciled.get(day);
        const link = html`<a href="${dayAddress(place, account, day)}">${day}</a>`;
        if (!found)
          return [link, statusMark('pending', words.notReconciled, 'neutral'), '', '', '', ''];
        return [
          link,
          standing(found.open, words, day !== today && !found.wasOver),
          found.matched,
          found.open,
          personName(found.operator, names),
          time(found.recordedAt, place.timezone),
        ];
      }),
      empty: emptyState(words.empty.text, words.empty.todo),
    })}
    ${nextPage(earlier === undefined ? undefined : `${address}?${query({ account: account.accountNo, to: earlier })}`, words.earlier)}
    <p>${common.zone(place.timezone)}</p>`;
}

/** @param isEarly true if the comparison was made before the end of the day */
function standing(open: number, words: MerchantTexts['days'], isEarly: boolean): Html {
  if (open > 0) return statusMark('late', `${words.open}: ${open}`);
  return isEarly ? statusMark('pending', words.closedEarly) : statusMark('matched', words.matched);
}

function query(members: Readonly<Record<string, string>>): string {
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

export interface DayModel {
  readonly place: Place;
  readonly account: Account;
  readonly day: string;
  readonly isOver: boolean;
  /** Undefined if the views cannot answer at the moment. */
  readonly figures: { readonly statement: StatementOfDays; readonly sums: DaySums } | undefined;
  readonly recorded: RecordedDay | undefined;
  /** Notes about open lines, by each line's key (`exceptionKey`). */
  readonly handled: ReadonlyMap<string, readonly Handled[]>;
  /** Names of the merchant's people, by their ids. */
  readonly names: Names;
  readonly problem: DayProblem | undefined;
  /** True if the viewer may close the day. */
  readonly mayClose: boolean;
  readonly mayExport: boolean;
}

/**
 * The field and reason for which a form was refused. For a file, the reason is a sentence of the statement reader or
 * one of our texts.
 */
export interface DayProblem {
  readonly field: 'statement' | typeof exceptionFields.note;
  readonly text: string;
}

/** The names of the fields of the form that marks open lines as dealt with. */
export const exceptionFields = { line: 'line', note: 'note', seen: 'seen' } as const;

/** The newest reconciliation of a day. */
export interface RecordedDay {
  readonly data: ReconciliationRecorded['data'];
  readonly by: string;
  readonly at: string;
  /** True if the day was over when it was recorded. */
  readonly wasOver: boolean;
  /** Whole days since the day's end. */
  readonly ageDays: number;
  /** Places in `openNamed` of the lines that were settled since (REC-34). */
  readonly settled: ReadonlySet<number>;
}

/** The page of a day's close (POR-19): the ledger's figures, and the rail's statement beside them. */
export function dayPage(model: DayModel, { viewer, texts }: Frame): Html {
  const { isOver, figures, recorded, problem, mayClose } = model;
  const { days: words, common } = texts;
  return html`${errorSummary(common.form.invalid, problem === undefined ? [] : [problem])}
    ${isOver ? undefined : notice('info', words.notOver)}
    ${figures ? figuresOf(model, figures, texts) : notice('warning', common.unavailable)}
    <h2>${words.comparison}</h2>
    ${isOver && recorded?.wasOver === false ? notice('warning', words.closeAgain) : undefined}
    ${recorded ? comparison(model, recorded, texts) : html`<p>${words.notReconciled}</p>`}
    ${recorded && mayClose && recorded.data.open > 0 ? handleForm(model, recorded, { viewer, texts }) : undefined}
    ${mayClose ? upload(model, { viewer, texts }) : undefined}`;
}

function figuresOf(
  { account: { accountNo, currency }, place, mayExport }: DayModel,
  { statement, sums }: NonNullable<DayModel['figures']>,
  { days: words, common }: MerchantTexts,
): Html {
  const line = (sign: string, name: string, minor: Minor) =>
    [html`${sign} ${name}`, money(minor, currency)] as const;
  const { from, to } = statement;
  const file = query({ account: accountNo, from, to, format: 'csv' });
  return html`${table({
      caption: words.figures,
      head: ['', { text: common.amount, isNumber: true }],
      rows: [
        line('', words.opening, statement.openingMinor),
        line('+', `${words.collected} (${sums.collections})`, sums.collectedMinor),
        line('−', words.fees, sums.feesMinor),
        line('−', `${words.paidOut} (${sums.payouts})`, sums.paidOutMinor),
        line('±', `${words.corrections} (${sums.corrections})`, sums.correctionsMinor),
        line('=', words.closing, statement.closingMinor),
      ],
      empty: html``,
    })}
    <p>${words.positions(statement.after.toString(), statement.upTo.toString())}</p>
    ${
      mayExport
        ? html`<p><a href="${place.base}/statement/file?${file}">${words.entries}</a></p>`
        : undefined
    }`;
}

function comparison(model: DayModel, recorded: RecordedDay, texts: MerchantTexts): Html {
  const { place, account, isOver, names } = model;
  const { days: words, common } = texts;
  const { data, by, at } = recorded;
  const { currency } = account;
  const amount = (text: string) => ({ text, isNumber: true }) as const;
  const side = (name: string, statement: Minor, ledger: Minor, fees: Minor) => [
    name,
    ...[statement, ledger, statement - ledger, fees].map((minor) => money(minor, currency)),
  ];
  return html`${definitions([
      [words.reconciledBy, html`${personName(by, names)}, ${time(at, place.timezone)}`],
      [words.fileDigest, html`<code>${data.fileSha256}</code>`],
      [common.status, standing(data.open, words, isOver && !recorded.wasOver)],
    ])}
    <p>${common.asOf(data.position)}</p>
    ${table({
      caption: words.comparison,
      head: ['', ...[words.statement, words.ledger, words.difference, common.fee].map(amount)],
      rows: [
        side(words.moneyIn, data.statementInMinor, data.collectionsMinor, data.collectionFeesMinor),
        side(words.moneyOut, data.statementOutMinor, data.payoutsMinor, data.payoutFeesMinor),
      ],
      empty: html``,
    })}
    ${table({
      caption: words.findings,
      head: [words.finding, amount(words.count), amount(words.moneyIn), amount(words.moneyOut), ''],
      rows: data.tallies.map((tally) => [
        words.findingNames[tally.finding],
        tally.count,
        money(tally.inMinor, currency),
        money(tally.outMinor, currency),
        isOpen({ name: tally.finding }) ? statusMark('late', words.open) : '',
      ]),
      empty: html``,
    })}
    ${exceptions(model, recorded, texts)}`;
}

/** Most open lines on a page. More would make a page that no one reads; the command line lists them all. */
export const maxShown = 100;
const handleId = 'handle';

function exceptions(
  { place, account, handled, mayClose, names }: DayModel,
  { data, ageDays, wasOver, settled }: RecordedDay,
  { days: words, common }: MerchantTexts,
): Html {
  const shown = data.openNamed.slice(0, maxShown);
  const age = words.daysOld(ageDays);
  const nothing = wasOver ? words.noExceptions : words.noExceptionsYet;
  const isAllSettled = data.open > 0 && settled.size === data.open;
  return html`${isAllSettled ? notice('info', words.allSettledSince) : undefined}
  ${table({
    caption: words.exceptions,
    head: [
      ...[words.finding, common.receipt, common.reference],
      { text: common.amount, isNumber: true },
      ...[words.age, words.todo, words.handled],
    ],
    rows: shown.map((open, index) => [
      words.findingNames[open.finding],
      open.receipt ?? '',
      ownItem(open, place),
      money(open.amountMinor, account.currency),
      age,
      settled.has(index) ? words.settledSince : todo(open, place, words),
      html`${handledText(handled.get(exceptionKey(open)) ?? [], names, place)}
      ${
        mayClose
          ? choice(handleId, {
              name: exceptionFields.line,
              value: String(index),
              label: words.chooseLine(words.findingNames[open.finding], open.receipt ?? ''),
            })
          : undefined
      }`,
    ]),
    empty: emptyState(nothing.text, nothing.todo),
  })}
  ${data.open > shown.length ? html`<p>${words.more(data.open - shown.length)}</p>` : undefined}`;
}

/** Every note with its author: a later one replaces none (REC-35). */
function handledText(
  handled: readonly Handled[],
  names: Names,
  { timezone }: Place,
): readonly Html[] {
  return handled.map(
    ({ person, note, at }) =>
      html`<div>${personName(person, names)}, ${time(at, timezone)}: ${note}</div>`,
  );
}

/** The form with one note for all the lines that are chosen in the table. */
function handleForm(
  { place, account, day, problem }: DayModel,
  { at }: RecordedDay,
  { viewer, texts }: Frame,
): Html {
  const { days: words } = texts;
  return form(viewer, {
    action: `${place.base}/days/${day}/exceptions`,
    id: handleId,
    submit: words.handle,
    fields: [
      hidden('account', account.accountNo),
      hidden(exceptionFields.seen, at),
      field({
        name: exceptionFields.note,
        label: words.note,
        hint: words.noteHint,
        isRequired: true,
        maxLength: 500,
        autocomplete: 'off',
        error: problem?.field === exceptionFields.note ? problem.text : undefined,
      }),
    ],
  });
}

/** Items that may explain a line come first: nothing is posted while one of them may be the payment (REC-30). */
function todo(open: RecordedOpen, place: Place, words: MerchantTexts['days']): Html | string {
  const { finding, mayBe = [], mayBeOthers } = open;
  if (mayBe.length === 0 && !mayBeOthers) return words.todos[finding];
  const items = mayBe.map((stream) => {
    const reference = (collectionKeyOf(stream) ?? payoutKeyOf(stream))?.reference;
    return html`<div>
      ${ownItem({ ...open, stream, ...(reference === undefined ? {} : { reference }) }, place)}
    </div>`;
  });
  return html`${mayBe.length > 0 ? words.mayBe : words.mayBeOthers}${items}`;
}

/** A link to the merchant's own item. If the item belongs to another merchant, the line says nothing about it. */
function ownItem({ stream, reference }: RecordedOpen, place: Place): Html | string {
  if (stream === undefined || reference === undefined) return '';
  const collection = collectionKeyOf(stream);
  const key = collection ?? payoutKeyOf(stream);
  if (!key) return stream.startsWith(`correction-${place.mode}:`) ? reference : '';
  if (key.merchantId !== place.merchantId || key.mode !== place.mode) return '';
  const type = collection ? 'collection' : 'payout';
  return html`<a href="${itemAddress(place, { type, reference })}">${reference}</a>`;
}

function upload({ place, account, day }: DayModel, { viewer, texts }: Frame): Html {
  const { days: words } = texts;
  return html`<h2>${words.upload}</h2>
    <p>${words.uploadHow}</p>
    ${form(viewer, {
      action: `${place.base}/days/${day}/statement`,
      submit: words.close,
      hasFile: true,
      fields: [
        hidden('account', account.accountNo),
        field({ name: 'statement', label: words.file, type: 'file', isRequired: true }),
      ],
    })}`;
}
