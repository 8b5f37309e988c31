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
import {
  isAboutAnother,
  isAirtels,
  moneyIdIn,
  notTaken,
  refusedOrUnknown,
  saidIn,
  transactionIn,
} from './answers.js';
import { outcomeOf, payoutRefusalOf, payoutSuccess } from './codes.js';

/**
 * Reads the answer to an order (AIR-11). A 401 that is not Airtel's own may come from anywhere, so it releases no money
 * (COL-21). Even "success" only says that Airtel took it: an enquiry decides.
 * @param id of the order, which is also the name of an answer without one
 */
export function readOrderAnswer(id: string, httpStatus: number, body: string): PushReading {
  const turnedAway = notTaken(httpStatus, body);
  if (turnedAway) return isAirtels(body) ? turnedAway : { ...turnedAway, isUncertain: true };
  if (isAboutAnother(id, body)) return { kind: 'unknown' };
  const { isSuccess = false, code } = saidIn(body) ?? {};
  if (!isSuccess) return refusedOrUnknown(payoutRefusalOf(code));
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
  const said = saidIn(body);
  if (!said) return undefined;
  const transaction = transactionIn(body) ?? {};
  const state = textOf(transaction, 'status');
  return {
    originatorConversationId: textOf(transaction, 'id') ?? '',
    verdict:
      state === undefined ? { kind: 'unresolved' } : verdictOf(state, said.code, transaction),
  };
}

function verdictOf(
  state: string,
  code: string | undefined,
  transaction: Readonly<Record<string, unknown>>,
): Verdict {
  const outcome = outcomeOf({ state, code, failureCode: payoutRefusalOf(code) });
  if (outcome.kind !== 'paid') return outcome;
  // Its `airtel_money_id` is this id with words around it.
  const receipt = moneyIdIn(transaction, 'reference_id') ?? moneyIdIn(transaction);
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
