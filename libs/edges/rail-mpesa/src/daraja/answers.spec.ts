import { describe, expect, it } from '@jest/globals';
import { readPushAnswer, readQueryAnswer } from './answers.js';

const acceptance = {
  MerchantRequestID: '29115-34620561-1',
  CheckoutRequestID: 'ws_CO_191220191020363925',
  ResponseCode: '0',
  ResponseDescription: 'Success. Request accepted for processing',
  CustomerMessage: 'Success. Request accepted for processing',
};
const error = (errorCode: string) =>
  JSON.stringify({ requestId: '1-2-3', errorCode, errorMessage: 'in whatever words' });

/** The body of the gateway before Daraja when it turns a request away. */
const fault = (policy: string): string =>
  JSON.stringify({
    fault: {
      faultstring: 'Allowed rate: MessageRate{messagesPerPeriod=5}',
      detail: { errorcode: `policies.ratelimit.${policy}` },
    },
  });

describe('an answer to a push', () => {
  it('accepts only with a checkout id and response code 0', () => {
    expect(readPushAnswer(200, JSON.stringify(acceptance))).toEqual({
      kind: 'answer',
      answer: {
        kind: 'accepted',
        railReference: 'ws_CO_191220191020363925',
        merchantRequestId: '29115-34620561-1',
      },
    });
    for (const body of [
      { ...acceptance, ResponseCode: '1' },
      { ...acceptance, ResponseCode: undefined },
      { ...acceptance, CheckoutRequestID: undefined },
      { ...acceptance, CheckoutRequestID: 'not an id' },
      { ...acceptance, CheckoutRequestID: { $ne: '' } },
      [],
      'null',
    ])
      expect(readPushAnswer(200, JSON.stringify(body))).toEqual({ kind: 'unknown' });
  });

  it('has no merchant request id if it names none', () => {
    const body = JSON.stringify({ ...acceptance, MerchantRequestID: undefined });
    expect(readPushAnswer(200, body)).toEqual({
      kind: 'answer',
      answer: { kind: 'accepted', railReference: 'ws_CO_191220191020363925' },
    });
  });

  it.each([
    [400, '400.002.02', 'invalid_request'],
    [404, '404.002.09', 'rail_refused'],
    [500, '500.001.1001', 'rail_refused'],
    [500, '500.003.03', 'rail_quota_exceeded'],
    [429, '500.003.03', 'rail_quota_exceeded'],
  ])('refuses with status %p and code %s: %s', (status, code, failureCode) => {
    expect(readPushAnswer(status, error(code))).toEqual({
      kind: 'answer',
      answer: { kind: 'refused', failureCode },
    });
  });

  it.each([
    [404, '404.001.03', 'invalid_token', 'rail_unauthorized'],
    [401, '404.001.03', 'invalid_token', 'rail_unauthorized'],
    [400, '400.003.01', 'invalid_token', 'rail_unauthorized'],
    [401, '401.002.01', 'invalid_token', 'rail_unauthorized'],
    [500, '500.003.02', 'spike_arrest', 'rail_busy'],
    [429, '500.003.02', 'spike_arrest', 'rail_busy'],
  ])(
    'reports the push as not taken with status %p and code %s: %s',
    (status, code, because, failureCode) => {
      expect(readPushAnswer(status, error(code))).toEqual({
        kind: 'not_taken',
        because,
        failureCode,
      });
    },
  );

  it('reads the gateway’s own faults: a spike arrest as not taken, a used-up quota as a refusal', () => {
    expect(readPushAnswer(429, fault('SpikeArrestViolation'))).toEqual({
      kind: 'not_taken',
      because: 'spike_arrest',
      failureCode: 'rail_busy',
    });
    expect(readPushAnswer(429, fault('QuotaViolation'))).toEqual({
      kind: 'answer',
      answer: { kind: 'refused', failureCode: 'rail_quota_exceeded' },
    });
    expect(readPushAnswer(429, fault('toString'))).toEqual({ kind: 'unknown' });
  });

  it.each(['', '<html>Unauthorized</html>', '{}'])(
    'reports the push as not taken with status 401, whatever the body: %p',
    (body) => {
      expect(readPushAnswer(401, body)).toEqual({
        kind: 'not_taken',
        because: 'invalid_token',
        failureCode: 'rail_unauthorized',
      });
    },
  );

  it.each([
    [500, error('500.003.1001')],
    [503, error('503.001.01')],
    [502, '<html>Bad Gateway</html>'],
    [403, '<html>Blocked</html>'],
    [400, '{}'],
    [403, '{"errorCode":"blocked"}'],
    [404, JSON.stringify({ errorCode: '' })],
    [302, error('400.002.02')],
    [204, ''],
    [500, error('constructor')],
  ])('leaves the outcome unknown with status %p and body %p', (status, body) => {
    expect(readPushAnswer(status, body)).toEqual({ kind: 'unknown' });
  });
});

describe('an answer to a query', () => {
  const id = 'ws_CO_1';
  const answer = (more: object) =>
    JSON.stringify({ ResponseCode: '0', CheckoutRequestID: id, ResultDesc: 'x', ...more });

  it.each([
    ['0', { kind: 'paid', resultCode: '0' }],
    [0, { kind: 'paid', resultCode: '0' }],
    ['1', { kind: 'declined', failureCode: 'insufficient_funds' }],
    ['2', { kind: 'declined', failureCode: 'below_minimum' }],
    ['3', { kind: 'declined', failureCode: 'above_maximum' }],
    ['4', { kind: 'declined', failureCode: 'daily_limit_exceeded' }],
    ['8', { kind: 'declined', failureCode: 'balance_limit_exceeded' }],
    ['26', { kind: 'declined', failureCode: 'rail_congested' }],
    ['1001', { kind: 'declined', failureCode: 'subscriber_busy' }],
    ['17', { kind: 'declined', failureCode: 'duplicate_amount' }],
    ['1019', { kind: 'declined', failureCode: 'expired' }],
    ['1025', { kind: 'declined', failureCode: 'push_error' }],
    ['9999', { kind: 'declined', failureCode: 'push_error' }],
    ['1032', { kind: 'declined', failureCode: 'cancelled' }],
    ['1037', { kind: 'declined', failureCode: 'no_answer' }],
    ['2001', { kind: 'declined', failureCode: 'wrong_pin' }],
    ['2028', { kind: 'declined', failureCode: 'invalid_party' }],
    ['SFC_IC0003', { kind: 'declined', failureCode: 'invalid_party' }],
    ['8006', { kind: 'declined', failureCode: 'subscriber_locked' }],
    ['4999', { kind: 'unresolved' }],
    ['5', { kind: 'unresolved', unknownCode: '5' }],
    ['00', { kind: 'unresolved', unknownCode: '00' }],
    ['toString', { kind: 'unresolved', unknownCode: 'toString' }],
  ])('with result code %p is %p', (ResultCode, outcome) => {
    expect(readQueryAnswer(id, 200, answer({ ResultCode }))).toEqual(outcome);
  });

  it.each([
    ['is being processed', 500, error('500.001.1001')],
    ['is about another checkout', 200, answer({ ResultCode: '0', CheckoutRequestID: 'ws_CO_2' })],
    ['has another response code', 200, answer({ ResultCode: '0', ResponseCode: '1' })],
    ['has no result code', 200, answer({})],
    ['has another status', 202, answer({ ResultCode: '0' })],
  ])('settles nothing if it %s', (_, status, body) => {
    expect(readQueryAnswer(id, status, body)).toEqual({ kind: 'unresolved' });
  });

  it.each([
    [200, '<html>'],
    [502, '<html>Bad Gateway</html>'],
    [504, ''],
    [403, '<html>Forbidden</html>'],
    [403, '{"message":"Forbidden"}'],
    [403, '{"errorCode":"blocked"}'],
    [200, '{"ResultCode":"1032"}'],
  ])('counts as unanswered with status %p and body %p', (status, body) => {
    expect(readQueryAnswer(id, status, body)).toEqual({ kind: 'unanswered' });
  });

  it.each([
    ['a spike arrest', 500, error('500.003.02'), 'spike_arrest'],
    ['a spike arrest by its status', 429, error('500.003.02'), 'spike_arrest'],
    ['a used up quota', 500, error('500.003.03'), 'quota'],
    ['a spike arrest of its gateway', 500, fault('SpikeArrestViolation'), 'spike_arrest'],
    ['too many requests', 429, '<html>slow down</html>', 'too_many_requests'],
  ])(
    'counts as not asked if it reports %s, since it says nothing of the payment',
    (_, status, body, why) => {
      expect(readQueryAnswer(id, status, body)).toEqual({ kind: 'not_asked', why });
    },
  );

  it.each([
    [404, error('404.001.03')],
    [400, error('400.003.01')],
    [401, error('401.002.01')],
    [401, ''],
  ])('asks for a new token with status %p and body %p', (status, body) => {
    expect(readQueryAnswer(id, status, body)).toEqual({ kind: 'invalid_token' });
  });
});
