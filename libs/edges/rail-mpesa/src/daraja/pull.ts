import { type TakenAnswer, type TakenPayment } from '#edges/rails';
import { type Instant, instantFromMs } from '#domain/kernel';
import { isCode, partyOf, receiptOf } from '../statement/cells.js';
import { ask, type AskLine } from './ask.js';
import { errorCodes, isTokenRefused } from './codes.js';
import { errorCodeIn, isObject, parseObject, textOf } from './json.js';
import { fromShillings } from './notation.js';

/** Daraja tells of C2B payments of the last 48 hours. */
export const pullLookBackMs = 48 * 3_600_000;

/** A page may have a thousand payments. */
const maxPageBytes = 4 * 1024 * 1024;

/** What a page was asked for. */
interface AskedPage {
  /** When the time begins that was asked about. */
  readonly fromMs: number;
  readonly offset: number;
}

/** Asks for one page of what was taken. Whatever is no clear answer tells nothing: it is asked again. */
export async function pull(line: AskLine, body: string, page: AskedPage): Promise<TakenAnswer> {
  const answer = await ask<TakenAnswer>(line, {
    body: () => body,
    read: (status, text) => readPulled(status, text, page),
    maxAnswerBytes: maxPageBytes,
  });
  return answer.kind === 'not_asked' ? { kind: 'not_asked' } : answer;
}

/** Reads a page; the codes are 1000 for payments and 1001 for none. */
export function readPulled(
  status: number,
  body: string,
  { fromMs, offset }: AskedPage,
): TakenAnswer | { readonly kind: 'invalid_token' } {
  const answer = parseObject(body);
  const errorCode = answer && errorCodeIn(answer);
  if (isTokenRefused(status, errorCode)) return { kind: 'invalid_token' };
  if (errorCode === errorCodes.spikeArrest || errorCode === errorCodes.quota || status === 429)
    return { kind: 'not_asked' };
  const code = answer && textOf(answer, 'ResponseCode');
  if (status !== 200 || !answer || (code !== '1000' && code !== '1001'))
    return { kind: 'unanswered' };
  // A list within a list, and at times the list alone. Only where there is nothing, there may be none.
  const nothing = code === '1001' ? [] : undefined;
  const told: unknown = Object.hasOwn(answer, 'Response') ? answer['Response'] : nothing;
  if (!Array.isArray(told)) return { kind: 'unanswered' };
  const entries: readonly unknown[] = told.flat();
  const payments = entries.flatMap((entry) => paymentOf(entry, fromMs) ?? []);
  return {
    kind: 'page',
    payments,
    unreadable: entries.length - payments.length,
    ...(entries.length === 0 ? {} : { next: offset + entries.length }),
  };
}

/** One whose time cannot be read is taken for one of the beginning: its money is not to be lost for that. */
function paymentOf(entry: unknown, fromMs: number): TakenPayment | undefined {
  if (!isObject(entry)) return undefined;
  const receipt = receiptOf(textOf(entry, 'transactionId') ?? '');
  const amountMinor = fromShillings(textOf(entry, 'amount') ?? '');
  const paidAt = instantOf(textOf(entry, 'trxDate') ?? '') ?? instantFromMs(fromMs);
  if (receipt === undefined || amountMinor === undefined || amountMinor === 0n) return undefined;
  const code = textOf(entry, 'billreference') ?? '';
  const party = partyOf(textOf(entry, 'msisdn') ?? '');
  return {
    receipt,
    amountMinor,
    paidAt,
    ...(isCode(code) ? { code } : {}),
    ...(party === undefined ? {} : { party }),
  };
}

function instantOf(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : instantFromMs(ms);
}
