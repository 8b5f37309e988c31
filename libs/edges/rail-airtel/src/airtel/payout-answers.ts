import { type Verdict } from '#domain/rails';
import { type Minor } from '#domain/kernel';
import {
  memberObject,
  parseBytes,
  type PayoutCallback,
  type PayoutReports,
  type PushReading,
  railIdOf,
  textOf,
} from '#edges/rails';
import { moneyIdIn, statusIn, succeeded, transactionIn } from './answers.js';
import { outcomeOf, payoutRefusalOf, payoutSuccess } from './codes.js';

/**
 * Reads the answer to an order (AIR-11). Even "success" only says that Airtel took it: an enquiry decides.
 * @param id of the order, which is also the name of an answer without one
 */
export function readOrderAnswer(id: string, httpStatus: number, body: string): PushReading {
  if (httpStatus === 401)
    return { kind: 'not_taken', because: 'invalid_token', failureCode: 'rail_unauthorized' };
  const status = statusIn(body);
  if (!status) return { kind: 'unknown' };
  const code = textOf(status, 'response_code');
  if (!succeeded(status)) {
    const failureCode = payoutRefusalOf(code);
    return failureCode === undefined
      ? { kind: 'unknown' }
      : { kind: 'answer', answer: { kind: 'refused', failureCode } };
  }
  if (httpStatus !== 200 || code !== payoutSuccess) return { kind: 'unknown' };
  const railReference = railIdOf(transactionIn(body) ?? {}, 'reference_id') ?? id;
  return { kind: 'answer', answer: { kind: 'accepted', railReference } };
}

/**
 * Reads the answer to an enquiry about a payout. It names the payout by our id; without one it settles nothing. It names
 * no amount: Airtel pays what the order said.
 */
function readAnswer(bytes: Uint8Array): PayoutCallback | undefined {
  const body = Buffer.from(bytes).toString('utf8');
  const status = statusIn(body);
  if (!status) return undefined;
  const transaction = transactionIn(body) ?? {};
  const state = textOf(transaction, 'status');
  const code = textOf(status, 'response_code');
  return {
    originatorConversationId: textOf(transaction, 'id') ?? '',
    verdict: state === undefined ? { kind: 'unresolved' } : verdictOf(state, code, transaction),
  };
}

function verdictOf(
  state: string,
  code: string | undefined,
  transaction: Readonly<Record<string, unknown>>,
): Verdict {
  const outcome = outcomeOf(state, payoutRefusalOf(code));
  if (outcome.kind !== 'paid') return outcome;
  const receipt = moneyIdIn(transaction);
  const { resultCode } = outcome;
  return { kind: 'paid', resultCode, ...(receipt === undefined ? {} : { receipt }) };
}

/** A balance such as `37,600.00`. */
const balance = /^(\d{1,3}(?:,\d{3})*|\d{1,15})(?:\.(\d{2}))?$/;

function readFloat(bytes: Uint8Array): Minor | undefined {
  const text = textOf(memberObject(parseBytes(bytes), 'data') ?? {}, 'balance') ?? '';
  const [, whole, cents = '00'] = balance.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole.replaceAll(',', '') + cents);
}

/** Airtel sends no results of payouts: it answers our own questions, at once. */
export const payoutReports: PayoutReports = { readResult: () => undefined, readAnswer, readFloat };
