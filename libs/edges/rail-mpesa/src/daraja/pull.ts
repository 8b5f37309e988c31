import {
  ask,
  type AskLine,
  eastAfricaOffsetMs,
  isObject,
  msOfEastAfricaTime,
  parseObject,
  partyOfNumber,
  readAmount,
  type TakenAnswer,
  type TakenPayment,
  type TakenSweep,
  textOf,
} from '#edges/rails';
import { instantFromMs, type Minor } from '#domain/kernel';
import { receiptOf } from '../statement/cells.js';
import { errorCodes, isTokenRefused } from './codes.js';
import { errorCodeIn } from './error-code.js';
import { accountIn } from './notice-body.js';
import { fromShillings } from './notation.js';

/** Daraja lists C2B payments of the last 48 hours. */
export const pullLookBackMs = 48 * 3_600_000;

/** A page may have a thousand payments. */
const maxPageBytes = 4 * 1024 * 1024;

/** The page that was asked for. */
interface AskedPage {
  /** The start of the time range that was asked about. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offset: number;
}

/** Asks for one page of the payments taken. An answer that is not clear says nothing, and is asked for again. */
export async function pull(line: AskLine, body: string, page: AskedPage): Promise<TakenAnswer> {
  const answer = await ask<TakenAnswer>(line, {
    body: () => body,
    read: (status, text) => readPulled(status, text, page),
    maxAnswerBytes: maxPageBytes,
  });
  return answer.kind === 'not_asked' ? { kind: 'not_asked' } : answer;
}

/**
 * `payments`: there are payments. `nothing`: there are none, or Pull Transactions does not know the short code. The two
 * cases look the same.
 */
const codes = { payments: '1000', nothing: '1001' } as const;

/**
 * Reads a page. A first page without a payment says nothing about the day (RAIL-30). Such an answer is code 1001, or a
 * server error in the rail's own JSON, which some short codes get for a day without payments.
 */
export function readPulled(
  status: number,
  body: string,
  page: AskedPage,
): TakenAnswer | { readonly kind: 'invalid_token' } {
  const answer = parseObject(body);
  const errorCode = answer && errorCodeIn(answer);
  if (isTokenRefused(status, errorCode)) return { kind: 'invalid_token' };
  if (errorCode === errorCodes.spikeArrest || errorCode === errorCodes.quota || status === 429)
    return { kind: 'not_asked' };
  if (!answer) return { kind: 'unanswered' };
  const code = textOf(answer, 'ResponseCode');
  const entries = entriesOf(answer);
  if (code === codes.nothing && (entries === undefined || entries.length === 0))
    return page.offset === 0 ? { kind: 'nothing_told' } : lastPage;
  if (status >= 500 && errorCode?.startsWith('500.') === true) return { kind: 'nothing_told' };
  const isPage = status === 200 && (code === codes.payments || code === codes.nothing);
  if (!isPage || !entries) return { kind: 'unanswered' };
  return pageOf(entries, page);
}

const lastPage = { kind: 'page', payments: [], unreadable: 0 } as const;

/** Returns the entries. They are a list within a list, or sometimes only the list; an empty list may be a string. */
function entriesOf(answer: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  const told = Object.hasOwn(answer, 'Response') ? answer['Response'] : undefined;
  if (typeof told === 'string') return /^\s*\[\s*(?:\[\s*\]\s*)?\]\s*$/.test(told) ? [] : undefined;
  return Array.isArray(told) ? (told.flat() as readonly unknown[]) : undefined;
}

function pageOf(entries: readonly unknown[], page: AskedPage): TakenAnswer {
  const {
    sale: sales = [],
    sweep: swept = [],
    transfer = [],
    unknown = [],
  } = Object.groupBy(entries, (entry) => kindOf(entry));
  const payments = [
    ...sales.flatMap((entry) => paymentOf(entry, page) ?? []),
    ...unknown.flatMap((entry) => {
      const payment = paymentOf(entry, page);
      return payment ? [{ ...payment, isKindUnknown: true as const }] : [];
    }),
  ];
  const sweeps = swept.flatMap((entry) => sweepOf(entry, page) ?? []);
  return {
    kind: 'page',
    payments,
    ...(sweeps.length === 0 ? {} : { sweeps }),
    ...(transfer.length === 0 ? {} : { transfers: transfer.length }),
    unreadable: sales.length + unknown.length - payments.length + swept.length - sweeps.length,
    ...(entries.length === 0 ? {} : { next: page.offset + entries.length }),
  };
}

/**
 * Returns the kind of an entry. Only the type that is known to take money to the bank is a sweep. `transfer`: the
 * organisation's own money on another way, which is not a customer's payment. `unknown`: it may be money that went out,
 * such as a reversal (REC-41). An entry without a type is a sale, because the list is of sales.
 */
function kindOf(entry: unknown): 'sale' | 'sweep' | 'transfer' | 'unknown' {
  const type = isObject(entry) ? (textOf(entry, 'transactiontype') ?? '') : '';
  if (/^merchant-to-organi[sz]ation-settlement$/i.test(type)) return 'sweep';
  if (/\bsettlement\b|^(?:merchant|organi[sz]ation)-to-|^b2b\b/i.test(type)) return 'transfer';
  return type === '' || (/^c2b-/i.test(type) && !/revers/i.test(type)) ? 'sale' : 'unknown';
}

function sweepOf(entry: unknown, page: AskedPage): TakenSweep | undefined {
  const payment = paymentOf(entry, page);
  if (!payment) return undefined;
  const { receipt, amountMinor, paidAt, isZoneUncertain } = payment;
  const zone = isZoneUncertain === undefined ? {} : { isZoneUncertain };
  return { receipt, amountMinor, currency: 'KES', paidAt, ...zone };
}

/** Reads an entry. If its time cannot be read, it counts from the start of the range, so that its money is not lost. */
function paymentOf(entry: unknown, page: AskedPage): TakenPayment | undefined {
  if (!isObject(entry)) return undefined;
  const receipt = receiptOf(textOf(entry, 'transactionId') ?? '');
  const amountMinor = amountIn(textOf(entry, 'amount') ?? '');
  if (receipt === undefined || amountMinor === undefined || amountMinor <= 0n) return undefined;
  const account = textOf(entry, 'billreference') ?? '';
  const party = partyOfNumber(textOf(entry, 'msisdn') ?? '');
  return {
    receipt,
    amountMinor,
    ...paidAtIn(textOf(entry, 'trxDate') ?? '', page),
    ...accountIn(account),
    ...(party === undefined ? {} : { party }),
  };
}

/** Reads an amount as Daraja writes it, or with thousands separators. */
function amountIn(text: string): Minor | undefined {
  const grouped = text === '' ? undefined : readAmount(text);
  return fromShillings(text) ?? (grouped?.notation === 'point' ? grouped.minor : undefined);
}

const pullTime =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:(Z)|([+-]\d\d):?(\d\d))?$/i;
const minuteMs = 60_000;

/**
 * Returns the time of a payment. With an offset it is certain. With `Z`, or without a zone, the digits may be UTC or
 * East Africa Time (RAIL-31), and the reading within the range that was asked about counts. If both readings are, the
 * digits are kept as UTC and the zone is uncertain.
 */
function paidAtIn(
  text: string,
  { fromMs, untilMs }: AskedPage,
): Pick<TakenPayment, 'paidAt' | 'isZoneUncertain'> {
  const [, ...parts] = pullTime.exec(text) ?? [];
  const localMs = msOfEastAfricaTime(parts.slice(0, 6));
  const [hours, minutes = '0'] = parts.slice(7);
  if (localMs === undefined || parts.length === 0) return { paidAt: instantFromMs(fromMs) };
  const utcMs = localMs + eastAfricaOffsetMs;
  if (hours !== undefined) {
    const sign = hours.startsWith('-') ? -1 : 1;
    const offsetMs = (Number(hours) * 60 + sign * Number(minutes)) * minuteMs;
    return { paidAt: instantFromMs(utcMs - offsetMs) };
  }
  const isAsked = (ms: number): boolean => ms >= fromMs && ms < untilMs;
  if (isAsked(localMs) && !isAsked(utcMs)) return { paidAt: instantFromMs(localMs) };
  if (isAsked(utcMs) && !isAsked(localMs)) return { paidAt: instantFromMs(utcMs) };
  return { paidAt: instantFromMs(utcMs), isZoneUncertain: true };
}
