import { ok, refuse, type Result } from '#domain/kernel';
import { minorFromShillings } from '#shared/simulator';
import {
  collectionOutcome,
  esbOutcome,
  type Outcome,
  payoutOutcome,
  type Report,
} from './reports.js';
import { type Json, memberOf } from './requests.js';
import type { Order } from './transactions.js';
import type { Ways } from './ways.js';

export const country = 'KE';
export const currency = 'KES';

/** KES 250,000 a transaction, as the press says. */
const maxMinor = 25_000_000n;

const isMsisdn = (text: string): boolean => /^[17]\d{8}$/.test(text);
const isId = (text: string): boolean => /^[A-Za-z0-9]{4,64}$/.test(text);
const isReference = (text: string): boolean => /^[\x20-\x7e]{1,64}$/.test(text);
const isAbsentOr = (value: unknown, wanted: string): boolean =>
  value === undefined || value === wanted;

/** The refusals of one product. */
interface Refusals {
  readonly number: Report;
  readonly amount: Outcome;
  readonly limit: Report;
}

/** Reads a payment. The country's code is refused in a number. */
export function readCollection(body: Json, ways: Pick<Ways, 'reference'>): Result<Order, Report> {
  const [subscriber, transaction] = [memberOf(body, 'subscriber'), memberOf(body, 'transaction')];
  for (const party of [subscriber, transaction]) {
    if (!isAbsentOr(party['country'], country)) return refuse(esbOutcome('ESB000034'));
    if (!isAbsentOr(party['currency'], currency)) return refuse(esbOutcome('ESB000035'));
  }
  return readOrder(
    { ...transaction, msisdn: subscriber['msisdn'], reference: body['reference'] },
    ways,
    {
      number: esbOutcome('ESB000033'),
      amount: collectionOutcome('004'),
      limit: collectionOutcome('003'),
    },
  );
}

/** Reads a payout, without its PIN. */
export function readPayout(body: Json, ways: Pick<Ways, 'reference'>): Result<Order, Report> {
  const [payee, transaction] = [memberOf(body, 'payee'), memberOf(body, 'transaction')];
  if (!isAbsentOr(payee['currency'], currency)) return refuse(esbOutcome('ESB000035'));
  if (!isPayoutType(transaction['type'])) return refuse(esbOutcome('ESB000008'));
  return readOrder(
    { ...transaction, msisdn: payee['msisdn'], reference: body['reference'] },
    ways,
    {
      number: payoutOutcome('012'),
      amount: payoutOutcome('004'),
      limit: payoutOutcome('003'),
    },
  );
}

export function isPayoutType(value: unknown): boolean {
  return isAbsentOr(value, 'B2C') || value === 'B2B';
}

function readOrder(
  { id, reference, msisdn, amount }: Json,
  ways: Pick<Ways, 'reference'>,
  refusals: Refusals,
): Result<Order, Report> {
  for (const one of [id, reference, msisdn, amount])
    if (one === undefined || one === null || one === '') return refuse({ router: 'ROUTER003' });
  const number = textOf(msisdn);
  if (!isMsisdn(number)) return refuse(refusals.number);
  if (typeof id !== 'string' || !isId(id)) return refuse(esbOutcome('ESB000008'));
  const isAllowed = ways.reference === 'strict' ? isId : isReference;
  if (typeof reference !== 'string' || !isAllowed(reference))
    return refuse(esbOutcome('ESB000008'));
  const minor = minorFromShillings(textOf(amount));
  if (minor === undefined || minor < 1n) return refuse(refusals.amount);
  if (minor > maxMinor) return refuse(refusals.limit);
  return ok({ id, reference, msisdn: number, amountMinor: minor.toString() });
}

/** A number counts as its text. */
function textOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
}
