import { checkTerms, type CorrectionTerms, type ProposeRefusal } from '#domain/corrections';
import {
  decimalFromMinor,
  isMode,
  type Minor,
  minorFromDecimal,
  ok,
  refuse,
  type Result,
} from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { readForEver, readLeg, readReceipt } from '#desk/operators';
import { moneyText } from '../page/parts.js';
import { type FormErrors, Typed } from './decision-form.js';
import { debitedMinor, movedMinor } from './entries.js';
import { type OperatorTexts } from './operator-texts.js';

/** Rows of the form at first. */
const shownRows = 4;
/** A correction has at most this many legs. */
const maxRows = 20;

/** One row of the form as it was typed. */
export interface TypedEntry {
  readonly account: string;
  readonly debit: string;
  readonly credit: string;
}

/** The names of the row's fields; each row sends all three, so they belong together by their order. */
export const entryFields = ['account', 'debit', 'credit'] as const;

export const entryName = (field: (typeof entryFields)[number]): string => `correction_${field}`;

/** The id of a row's field, from 0. */
export function entryId(field: (typeof entryFields)[number], row: number): string {
  return `${entryName(field)}_${row.toString()}`;
}

/**
 * The rows of the form: as they were typed, or as a link fills them in (POR-26), and empty ones below.
 */
export function entriesIn(values: URLSearchParams): readonly TypedEntry[] {
  const sent = sentEntries(values);
  const filled = sent.length > 0 ? sent : linkedEntries(values);
  const used = filled.findLastIndex(isGiven) + 1;
  const rows = Math.min(maxRows, Math.max(shownRows, used + 1));
  const empty = { account: '', debit: '', credit: '' };
  return Array.from({ length: rows }, (_, row) => filled[row] ?? empty);
}

/** True if any field of the row was filled in. */
function isGiven({ account, debit, credit }: TypedEntry): boolean {
  return account !== '' || debit !== '' || credit !== '';
}

function sentEntries(values: URLSearchParams): readonly TypedEntry[] {
  const [accounts = [], debits = [], credits = []] = entryFields.map((field) =>
    values.getAll(entryName(field)),
  );
  return accounts.slice(0, maxRows).map((account, row) => ({
    account: account.trim(),
    debit: (debits[row] ?? '').trim(),
    credit: (credits[row] ?? '').trim(),
  }));
}

function linkedEntries(values: URLSearchParams): readonly TypedEntry[] {
  const lines = (values.get('correction_legs') ?? '').split('\n').slice(0, maxRows);
  return lines.flatMap((line) => {
    const leg = readLeg(line);
    if (!leg.ok) return [];
    const { account, amountMinor } = leg.value;
    return amountMinor < 0n
      ? [{ account, debit: decimalFromMinor(-amountMinor), credit: '' }]
      : [{ account, debit: '', credit: decimalFromMinor(amountMinor) }];
  });
}

/**
 * Reads the form and checks the terms by themselves. An unknown account, item or receipt is found when the correction
 * is proposed.
 */
export function readTerms(
  values: URLSearchParams,
  texts: OperatorTexts,
): Result<CorrectionTerms, FormErrors> {
  const typed = new Typed('correction', values, texts);
  const said = (name: string): string => (values.get(`correction_${name}`) ?? '').trim();
  const why = typed.read('reason', readForEver);
  const receipt = typed.readIfAny('receipt', readReceipt);
  const legs = readEntries(typed, sentEntries(values), texts);
  const [merchantId, mode, currency, corrects] = [
    said('merchant'),
    said('mode'),
    said('currency'),
    said('corrects'),
  ];
  if (!/^[A-Z]{3}$/.test(currency)) typed.wrong('currency', texts.corrections.wrongCurrency);
  if (typed.errors.length > 0 || why === undefined || !isMode(mode))
    return refuse({ fields: typed.errors, values });
  const terms: CorrectionTerms = {
    merchantId,
    mode,
    currency,
    legs,
    why,
    ...(corrects === '' ? {} : { corrects }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(said('may_overdraw') === 'on' ? { mayOverdraw: true as const } : {}),
  };
  const checked = checkTerms(terms);
  if (checked.ok) return ok(terms);
  return refuse({ summary: refusalText(checked.refusal, terms, texts), fields: [], values });
}

/** The reason why terms are not possible. If the sums differ, it names both. */
export function refusalText(
  refusal: ProposeRefusal,
  { legs, currency }: CorrectionTerms,
  { corrections: words }: OperatorTexts,
): string {
  if (refusal !== 'not_balanced') return words.refusals[refusal];
  const [debits, credits] = [debitedMinor(legs), movedMinor(legs)];
  const difference = debits > credits ? debits - credits : credits - debits;
  return words.notBalanced(
    moneyText(debits, currency),
    moneyText(credits, currency),
    moneyText(difference, currency),
  );
}

function readEntries(
  typed: Typed,
  entries: readonly TypedEntry[],
  texts: OperatorTexts,
): readonly Leg[] {
  if (!entries.some(isGiven)) typed.wrong('account_0', texts.missing);
  return entries.flatMap((entry, row) => {
    if (!isGiven(entry)) return [];
    const leg = readEntry(entry, texts);
    if (leg.ok) return [leg.value];
    typed.wrong(`${leg.refusal.field}_${row.toString()}`, leg.refusal.text);
    return [];
  });
}

interface WrongEntry {
  readonly field: (typeof entryFields)[number];
  readonly text: string;
}

function readEntry(entry: TypedEntry, texts: OperatorTexts): Result<Leg, WrongEntry> {
  const { corrections: words } = texts;
  const { account, debit, credit } = entry;
  if (account === '') return refuse({ field: 'account', text: words.wrongAccount });
  if ((debit === '') === (credit === '')) return refuse({ field: 'debit', text: words.oneSide });
  const [field, text] = debit === '' ? (['credit', credit] as const) : (['debit', debit] as const);
  const minor = amountIn(text);
  if (minor === undefined) return refuse({ field, text: words.wrongAmount });
  const signed = field === 'debit' ? -minor : minor;
  const leg = readLeg(`${account}=${signed.toString()}`);
  return leg.ok ? leg : refuse({ field: 'account', text: words.wrongAccount });
}

/** An amount in decimals, with or without commas between thousands; undefined if it is no amount or zero. */
function amountIn(text: string): Minor | undefined {
  const isGrouped = /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text);
  const minor = minorFromDecimal(isGrouped ? text.replaceAll(',', '') : text);
  return minor === 0n ? undefined : minor;
}
