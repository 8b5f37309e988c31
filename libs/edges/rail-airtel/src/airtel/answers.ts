import { type QueryOutcome } from '#domain/rails';
import { memberObject, parseObject, type PushReading, textOf } from '#edges/rails';
import { declineOf, isSignatureRefusal, outcomeOf, pushRefusalOf, responseCodes } from './codes.js';

/** A part of an answer of Airtel's. */
type Part = Readonly<Record<string, unknown>>;

/** Airtel's word on a request: its success, and its code if it has one. */
interface Said {
  readonly isSuccess: boolean;
  readonly code: string | undefined;
}

/**
 * Returns Airtel's word, or undefined if the body is not Airtel's own. Errors of its gateway may come without the usual
 * envelope.
 */
export function saidIn(body: string): Said | undefined {
  const parsed = parseObject(body);
  const status = memberObject(parsed, 'status');
  if (status)
    return { isSuccess: status['success'] === true, code: textOf(status, 'response_code') };
  const code = parsed && textOf(parsed, 'status_code');
  return code === undefined ? undefined : { isSuccess: false, code };
}

/** True if the body is Airtel's own, not the page of a gateway or a firewall before it. */
export function isAirtels(body: string): boolean {
  return saidIn(body) !== undefined || isTokenError(body);
}

/** True if Airtel did not accept our token, so it looked at nothing else. A firewall's 403 has another body. */
export function isTokenRefused(httpStatus: number, body: string): boolean {
  return httpStatus === 401 || (httpStatus === 403 && isTokenError(body));
}

function isTokenError(body: string): boolean {
  return textOf(parseObject(body) ?? {}, 'error') === 'invalid_token';
}

/** The answers that say that a request was not looked at. */
export function notTaken(
  httpStatus: number,
  body: string,
): Extract<PushReading, { kind: 'not_taken' }> | undefined {
  if (isTokenRefused(httpStatus, body))
    return { kind: 'not_taken', because: 'invalid_token', failureCode: 'rail_unauthorized' };
  return httpStatus === 429
    ? { kind: 'not_taken', because: 'spike_arrest', failureCode: 'rail_busy' }
    : undefined;
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
  const turnedAway = notTaken(httpStatus, body);
  if (turnedAway) return turnedAway;
  if (isAboutAnother(id, body)) return { kind: 'unknown' };
  const { isSuccess = false, code } = saidIn(body) ?? {};
  if (!isSuccess) return refusedOrUnknown(pushRefusalOf(code));
  const isTaken = code === responseCodes.inProcess || code === responseCodes.success;
  return isTaken && httpStatus === 200
    ? { kind: 'answer', answer: { kind: 'accepted', railReference: id } }
    : { kind: 'unknown' };
}

/** True if the answer names an id, and another one than ours. A refusal may name none. */
export function isAboutAnother(id: string, body: string): boolean {
  const about = textOf(transactionIn(body) ?? {}, 'id');
  return about !== undefined && about !== id;
}

/** @param failureCode of a certain refusal */
export function refusedOrUnknown(failureCode: string | undefined): PushReading {
  return failureCode === undefined
    ? { kind: 'unknown' }
    : { kind: 'answer', answer: { kind: 'refused', failureCode } };
}

/**
 * Reads the answer to a signed request (AIR-18). A refused signature means that nothing was taken, so the request may be
 * signed anew, but only if the answer is a certain refusal for any request.
 */
export function ofSigned(reading: PushReading, body: string): PushReading {
  const isRefused = reading.kind === 'answer' && reading.answer.kind === 'refused';
  if (!isRefused || !isSignatureRefusal(saidIn(body)?.code)) return reading;
  return {
    kind: 'not_taken',
    because: 'invalid_signature',
    failureCode: reading.answer.failureCode,
  };
}

/** `invalid_token`: the question was not looked at and may be asked again. */
type EnquiryReading = QueryOutcome | { readonly kind: 'invalid_token' };

/**
 * Reads the answer to an enquiry (AIR-5). "Not found" and every answer about another id settle nothing.
 * @param id that was asked about
 */
export function readEnquiryAnswer(id: string, httpStatus: number, body: string): EnquiryReading {
  if (isTokenRefused(httpStatus, body)) return { kind: 'invalid_token' };
  if (httpStatus === 429) return { kind: 'not_asked', why: 'too_many_requests' };
  const said = saidIn(body);
  if (!said) return { kind: 'unanswered' };
  const transaction = transactionIn(body);
  const state = transaction && textOf(transaction, 'status');
  if (httpStatus !== 200 || state === undefined || textOf(transaction ?? {}, 'id') !== id)
    return { kind: 'unresolved' };
  const outcome = outcomeOf({ state, code: said.code, failureCode: declineOf(said.code) });
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

/** True if the text can be Airtel's own id of a movement of money, such as `MP261129.1430.L06941`. */
export function isMoneyId(text: string): boolean {
  return moneyId.test(text);
}

/**
 * Returns Airtel's own id of a payment, as Airtel writes it.
 * @param member that has it
 */
export function moneyIdIn(
  transaction: Part | undefined,
  member: 'airtel_money_id' | 'reference_id' = 'airtel_money_id',
): string | undefined {
  const text = transaction && textOf(transaction, member);
  return text !== undefined && isMoneyId(text) ? text : undefined;
}
