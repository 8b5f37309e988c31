import { type QueryOutcome } from '#domain/rails';
import { parseObject, type PushReading, railIdOf, textOf } from '#edges/rails';
import { errorCodes, failureCodeOf, isTokenRefused, refusalOf, resultOf } from './codes.js';
import { errorCodeIn, errorCodeOf } from './error-code.js';

/** Reads an answer to a push (COL-19 to COL-23). */
export function readPushAnswer(status: number, body: string): PushReading {
  if (status === 200) return readAcceptance(body);
  const errorCode = errorCodeOf(body);
  if (status < 400) return { kind: 'unknown' };
  if (isTokenRefused(status, errorCode))
    return { kind: 'not_taken', because: 'invalid_token', failureCode: 'rail_unauthorized' };
  if (errorCode === undefined) return { kind: 'unknown' };
  if (errorCode === errorCodes.spikeArrest)
    return { kind: 'not_taken', because: 'spike_arrest', failureCode: failureCodeOf(errorCode) };
  const failureCode = refusalOf(status, errorCode);
  return failureCode === undefined
    ? { kind: 'unknown' }
    : { kind: 'answer', answer: { kind: 'refused', failureCode } };
}

function readAcceptance(body: string): PushReading {
  const answer = parseObject(body);
  if (!answer || textOf(answer, 'ResponseCode') !== '0') return { kind: 'unknown' };
  const railReference = railIdOf(answer, 'CheckoutRequestID');
  if (railReference === undefined) return { kind: 'unknown' };
  const merchantRequestId = railIdOf(answer, 'MerchantRequestID');
  const told = merchantRequestId === undefined ? {} : { merchantRequestId };
  return { kind: 'answer', answer: { kind: 'accepted', railReference, ...told } };
}

/** `invalid_token`: the question was not looked at and may be asked again. */
export type QueryReading = QueryOutcome | { readonly kind: 'invalid_token' };

/**
 * Reads an answer to a status query. An answer about another checkout settles nothing. A body that is not Daraja's,
 * such as the page or the JSON of a firewall, is no answer.
 */
export function readQueryAnswer(
  checkoutRequestId: string,
  status: number,
  body: string,
): QueryReading {
  const answer = parseObject(body);
  const errorCode = answer && errorCodeIn(answer);
  if (isTokenRefused(status, errorCode)) return { kind: 'invalid_token' };
  if (errorCode === errorCodes.spikeArrest) return { kind: 'not_asked', why: 'spike_arrest' };
  if (errorCode === errorCodes.quota) return { kind: 'not_asked', why: 'quota' };
  if (status === 429) return { kind: 'not_asked', why: 'too_many_requests' };
  const isDarajas = errorCode !== undefined || (answer && Object.hasOwn(answer, 'ResponseCode'));
  if (!answer || !isDarajas) return { kind: 'unanswered' };
  const about = textOf(answer, 'CheckoutRequestID') ?? checkoutRequestId;
  const resultCode = textOf(answer, 'ResultCode');
  const isAnswer = status === 200 && textOf(answer, 'ResponseCode') === '0';
  return isAnswer && about === checkoutRequestId && resultCode !== undefined
    ? resultOf(resultCode)
    : { kind: 'unresolved' };
}
