import { partyOf, type ReceiptAnswer, textOf } from '#edges/rails';
import { isInitiatorRefused, isKnownCode, isPendingStatus, statusResultOf } from './codes.js';
import { fromShillings, railReceiptOf } from './notation.js';
import { parametersOf, resultIn, timeOf } from './result-body.js';

/** Daraja's code for a receipt that it does not know. */
const notKnown = '2032';
/** An organisation, as results name one: its short code, then its name. A customer's masked number is none. */
const organisation = /^(\d{5,8})(?=\s*(?:-|$))/;
/** The rail's words for a reversal. A payout that somebody reverses in M-Pesa's portal looks like a customer's payment. */
const reversal = /\brevers(?:al|ed?|ing)\b/i;

const unclear = { kind: 'not_paid', why: 'receipt_unclear' } as const;

/**
 * Reads the answer to a question about a receipt (C2B-20). Returns undefined if the bytes are no result. A payment to us
 * is one that is completed, with receipt, amount and time, from a customer to a short code. Every other transaction with
 * a receipt, such as a payout, is no such payment.
 */
export function readReceiptAnswer(bytes: Uint8Array): ReceiptAnswer | undefined {
  const result = resultIn(bytes);
  const code = result && textOf(result, 'ResultCode');
  if (!result || code === undefined) return undefined;
  if (code === notKnown) return { kind: 'not_paid', why: 'receipt_not_known' };
  if (isInitiatorRefused(code)) return { ...unclear, isAskerRefused: true };
  if (code !== '0') return isKnownCode(code) ? unclear : { ...unclear, code };
  const parameters = parametersOf(result);
  const status = parameters.get('TransactionStatus') ?? '';
  if (isPendingStatus(status)) return unclear;
  const read = statusResultOf(status);
  if (read.kind === 'unresolved') return { ...unclear, code: status };
  return read.kind === 'paid'
    ? readPayment(parameters)
    : { kind: 'not_paid', why: 'receipt_not_paid' };
}

function readPayment(parameters: ReadonlyMap<string, string>): ReceiptAnswer {
  const receipt = railReceiptOf(parameters.get('ReceiptNo'));
  const amountMinor = fromShillings(parameters.get('Amount') ?? '');
  const paidAt = timeOf(parameters.get('FinalisedTime') ?? '');
  const payer = (parameters.get('DebitPartyName') ?? '').trim();
  const payee = (parameters.get('CreditPartyName') ?? '').trim();
  const [, shortCode] = organisation.exec(payee) ?? [];
  if (receipt === undefined || amountMinor === undefined || amountMinor <= 0n) return unclear;
  if (paidAt === undefined || payee === '') return unclear;
  const reasons = [parameters.get('ReasonType'), parameters.get('TransactionReason')];
  const isReversal = reasons.some((reason) => reason !== undefined && reversal.test(reason));
  if (shortCode === undefined || organisation.test(payer) || isReversal)
    return { kind: 'not_paid', why: 'receipt_not_paid' };
  const party = partyOf(payer);
  const payment = { receipt, amountMinor, paidAt, ...(party === undefined ? {} : { party }) };
  return { kind: 'paid', notice: { shortCode, payment } };
}
