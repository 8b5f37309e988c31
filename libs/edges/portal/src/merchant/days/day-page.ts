import { collectionKeyOf } from '#domain/collections';
import { type Minor } from '#domain/kernel';
import { payoutKeyOf } from '#domain/payouts';
import { isOpen, type ReconciliationRecorded, type RecordedOpen } from '#domain/reconciliation';
import { exceptionKey, type Handled } from '#records/people';
import { html, type Html } from '#shared/html';
import { onRail, railNameOf } from '#shared/glossary';
import { type AccountRail } from '#views/reconciliations';
import { type DaySums, type StatementOfDays } from '#views/statements';
import { type Viewer } from '../../access/viewer.js';
import { figure, shortTime, type WallClock } from '../../page/list-parts.js';
import {
  choice,
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  notice,
  statusMark,
  tabLink,
  table,
} from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Account, itemAddress, type Place } from '../place.js';
import { dayAddress, query, standing, uploadId } from './days-page.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface DayModel {
  readonly place: Place;
  readonly account: Account;
  /** The rail whose statement the day is compared with on this page. */
  readonly channel: string;
  /** The rails that the account uses, or once used. */
  readonly rails: readonly AccountRail[];
  readonly day: string;
  readonly clock: WallClock;
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

/** The page of a day's close (POR-19) in three steps: the ledger's figures, the rail's statement, the differences. */
export function dayPage(model: DayModel, { viewer, texts: written }: Frame): Html {
  const { channel, isOver, figures, recorded, problem, mayClose } = model;
  const texts = { ...written, days: onRail(written.days, channel) };
  const frame = { viewer, texts };
  const { days: words, common } = texts;
  return html`${railTabs(model)}
    ${errorSummary(common.form.invalid, problem === undefined ? [] : [problem])}
    ${isOver ? undefined : notice('info', html`${words.notOver} ${mayClose ? words.fromTomorrow : undefined}`)}
    ${isOver && recorded?.wasOver === false ? notice('warning', words.closeAgain) : undefined}
    <ol class="steps">
      <li>
        <h2>${words.figures}</h2>
        ${figures ? figuresOf(model, figures, texts) : notice('warning', common.unavailable)}
      </li>
      <li id="${uploadId}">
        <h2>${words.upload}</h2>
        ${mayClose ? upload(model, frame) : html`<p>${words.uploadNotAllowed}</p>`}
      </li>
      <li>
        <h2>${words.differences}</h2>
        ${recorded ? differences(model, recorded, frame) : html`<p class="soft">${mayClose ? words.uploadFirst : words.notReconciled}</p>`}
      </li>
    </ol>`;
}

/** The account's rails, if there are several: each has its own statement. */
function railTabs({ place, account, channel, rails, day }: DayModel): Html | undefined {
  if (rails.length < 2) return undefined;
  return html`<ul class="tabs">
    ${rails.map((of) => tabLink(railNameOf(of.channel), dayAddress(place, account, day, of.channel), of.channel === channel))}
  </ul>`;
}

/** The equation of the day, from the opening balance to the closing one. */
function figuresOf(
  { account: { accountNo, currency }, place, mayExport }: DayModel,
  { statement, sums }: NonNullable<DayModel['figures']>,
  { days: words }: MerchantTexts,
): Html {
  const line = (sign: string, name: string, minor: Minor): Html =>
    html`<tr>
      <th scope="row"><span class="sign">${sign}</span>${name}</th>
      <td class="number">${figure(minor)}</td>
    </tr>`;
  const { from, to } = statement;
  const file = query({ account: accountNo, from, to, format: 'csv' });
  return html`<div class="card equation">
      <table aria-label="${words.figures}">
        <thead>
          <tr>
            <td></td>
            <th scope="col" class="number">${currency}</th>
          </tr>
        </thead>
        <tbody>
          ${line('', words.opening, statement.openingMinor)}
          ${line('+', `${words.collected} (${sums.collections})`, sums.collectedMinor)}
          ${line('−', words.fees, sums.feesMinor)}
          ${line('−', `${words.paidOut} (${sums.payouts})`, sums.paidOutMinor)}
          ${line('±', `${words.corrections} (${sums.corrections})`, sums.correctionsMinor)}
          ${line('=', words.closing, statement.closingMinor)}
        </tbody>
      </table>
    </div>
    <p class="soft">
      ${words.positions(statement.after.toString(), statement.upTo.toString())}
      ${mayExport ? html`<a href="${place.base}/statement/file?${file}">${words.entries}</a>` : undefined}
    </p>`;
}

/** The newest comparison: open lines first, matches last. */
function differences(model: DayModel, recorded: RecordedDay, frame: Frame): Html {
  const { isOver, names, mayClose, clock } = model;
  const { texts } = frame;
  const { days: words } = texts;
  const { data, by, at } = recorded;
  return html`<p>
      ${standing(data.open, words, isOver && !recorded.wasOver)} ${words.reconciledBy}
      <span>${personName(by, names)}</span>, ${shortTime(at, clock)}
    </p>
    ${exceptions(model, recorded, texts)}
    ${mayClose && data.open > 0 ? handleForm(model, recorded, frame) : undefined}
    ${sides(model, recorded, texts)} ${results(model, recorded, texts)}
    <details>
      <summary>${texts.item.technical}</summary>
      ${definitions([[words.fileDigest, html`<code>${data.fileSha256}</code>`]])}
      <p>${texts.common.asOf(data.position)}</p>
    </details>`;
}

function sides({ account: { currency } }: DayModel, { data }: RecordedDay, texts: MerchantTexts) {
  const { days: words, common } = texts;
  const amount = (text: string) => ({ text, isNumber: true }) as const;
  const side = (name: string, statement: Minor, ledger: Minor, fees: Minor) => [
    name,
    ...[statement, ledger, statement - ledger, fees].map((minor) => money(minor, currency)),
  ];
  return table({
    caption: words.comparison,
    head: ['', ...[words.statement, words.ledger, words.difference, common.fee].map(amount)],
    rows: [
      side(words.moneyIn, data.statementInMinor, data.collectionsMinor, data.collectionFeesMinor),
      side(words.moneyOut, data.statementOutMinor, data.payoutsMinor, data.payoutFeesMinor),
    ],
    empty: html``,
  });
}

function results(
  { account: { currency } }: DayModel,
  { data }: RecordedDay,
  { days: words }: MerchantTexts,
): Html {
  const amount = (text: string) => ({ text, isNumber: true }) as const;
  const rankOf = (finding: string): number =>
    finding === 'matched' ? 2 : isOpen({ name: finding as RecordedOpen['finding'] }) ? 0 : 1;
  const tallies = data.tallies.toSorted(
    (one, other) => rankOf(one.finding) - rankOf(other.finding),
  );
  return table({
    caption: words.findings,
    head: [words.finding, amount(words.count), amount(words.moneyIn), amount(words.moneyOut), ''],
    rows: tallies.map((tally) => [
      words.findingNames[tally.finding],
      tally.count,
      money(tally.inMinor, currency),
      money(tally.outMinor, currency),
      isOpen({ name: tally.finding }) ? statusMark('late', words.open) : '',
    ]),
    empty: html``,
  });
}

/** Most open lines on a page. More would make a page that no one reads; the command line lists them all. */
export const maxShown = 100;
const handleId = 'handle';

function exceptions(
  { place, account, handled, mayClose, names, clock }: DayModel,
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
      html`${handledText(handled.get(exceptionKey(open)) ?? [], names, clock)}
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
function handledText(handled: readonly Handled[], names: Names, clock: WallClock): readonly Html[] {
  return handled.map(
    ({ person, note, at }) =>
      html`<div>${personName(person, names)}, ${shortTime(at, clock)}: ${note}</div>`,
  );
}

/** The form with one note for all the lines that are chosen in the table. */
function handleForm(
  { place, account, channel, day, problem }: DayModel,
  { at }: RecordedDay,
  { viewer, texts }: Frame,
): Html {
  const { days: words } = texts;
  return form(viewer, {
    action: `${place.base}/days/${day}/exceptions`,
    id: handleId,
    submit: words.handle,
    look: 'secondary',
    fields: [
      hidden('account', account.accountNo),
      hidden('rail', channel),
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

function upload(
  { place, account, channel, day, isOver }: DayModel,
  { viewer, texts }: Frame,
): Html {
  const { days: words } = texts;
  return html`<p>${words.uploadHow}</p>
    ${form(viewer, {
      action: `${place.base}/days/${day}/statement`,
      submit: words.close,
      hasFile: true,
      // A day that is not over must be compared again, so this is not yet what the page is for.
      ...(!isOver && { look: 'secondary' }),
      fields: [
        hidden('account', account.accountNo),
        hidden('rail', channel),
        field({ name: 'statement', label: words.file, type: 'file', isRequired: true }),
      ],
    })}`;
}
