import { type QueryOutcome } from '#domain/rails';
import { memberObject, parseObject, type PushReading, textOf } from '#edges/rails';
import { declineOf, outcomeOf, responseCodes } from './codes.js';

/** A part of an answer of Airtel's. */
type Part = Readonly<Record<string, unknown>>;

/** Returns the `status` of an answer, which each answer of Airtel's own has. */
export function statusIn(body: string): Part | undefined {
  return memberObject(parseObject(body), 'status');
}

/** True if the body is Airtel's own, not the page of a gateway or a firewall before it. */
export function isAirtels(body: string): boolean {
  return statusIn(body) !== undefined;
}

export function succeeded(status: Part): boolean {
  return status['success'] === true;
}

export function transactionIn(body: string): Part | undefined {
  return memberObject(memberObject(parseObject(body), 'data'), 'transaction');
}

/**
 * Reads the answer to a push (AIR-3). Airtel answers 200 even if it refuses, so only its codes count. An answer about
 * another id settles nothing.
 * @param id of the push
 */
export function readPushAnswer(id: string, httpStatus: number, body: string): PushReading {
  if (httpStatus === 401)
    return { kind: 'not_taken', because: 'invalid_token', failureCode: 'rail_unauthorized' };
  const status = statusIn(body);
  if (httpStatus !== 200 || !status) return { kind: 'unknown' };
  const code = textOf(status, 'response_code');
  if (!succeeded(status)) {
    const failureCode = declineOf(code);
    return failureCode === undefined
      ? { kind: 'unknown' }
      : { kind: 'answer', answer: { kind: 'refused', failureCode } };
  }
  const about = textOf(transactionIn(body) ?? {}, 'id') ?? id;
  const isTaken = code === responseCodes.inProcess || code === responseCodes.success;
  return isTaken && about === id
    ? { kind: 'answer', answer: { kind: 'accepted', railReference: id } }
    : { kind: 'unknown' };
}

/** `invalid_token`: the question was not looked at and may be asked again. */
type EnquiryReading = QueryOutcome | { readonly kind: 'invalid_token' };

/**
 * Reads the answer to an enquiry (AIR-5). "Not found" and every answer about another id settle nothing.
 * @param id that was asked about
 */
export function readEnquiryAnswer(id: string, httpStatus: number, body: string): EnquiryReading {
  if (httpStatus === 401) return { kind: 'invalid_token' };
  if (httpStatus === 429) return { kind: 'not_asked', why: 'too_many_requests' };
  const status = statusIn(body);
  if (!status) return { kind: 'unanswered' };
  const transaction = transactionIn(body);
  const state = transaction && textOf(transaction, 'status');
  if (httpStatus !== 200 || state === undefined || textOf(transaction ?? {}, 'id') !== id)
    return { kind: 'unresolved' };
  const outcome = outcomeOf(state, declineOf(textOf(status, 'response_code')));
  if (outcome.kind !== 'paid') return outcome;
  const receipt = moneyIdIn(transaction);
  return { ...outcome, ...(receipt === undefined ? {} : { receipt }) };
}

/** True if the answer to an enquiry shows that Airtel knows the id, whatever became of the payment. */
export function knowsId(id: string, body: string): boolean {
  const transaction = transactionIn(body) ?? {};
  return textOf(transaction, 'id') === id && textOf(transaction, 'status') !== undefined;
}

const moneyId = /^[A-Za-z0-9.]{4,32}$/;

/** Returns Airtel's own id of the payment, as Airtel writes it: a refund names it. */
export function moneyIdIn(transaction: Part | undefined): string | undefined {
  const text = transaction && textOf(transaction, 'airtel_money_id');
  return text !== undefined && moneyId.test(text) ? text : undefined;
}
