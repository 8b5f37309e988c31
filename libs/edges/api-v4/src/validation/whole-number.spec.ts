import { expect, it } from '@jest/globals';
import { Problem, RawBody } from '#shared/http';
import { type Caller, SignedBody } from '../authentication/caller.js';
import { DecidePayoutBatchDto } from '../payouts/payout-batch.dto.js';
import { CancelDto, DecidePayoutDto } from '../payouts/payout.dto.js';
import { type Dto, validated } from './validated.js';

const caller = { credential: { merchantId: 'm1', mode: 'demo' } } as Caller;

/** Returns the DTO of a body with this text as the field's value, or the code and detail of its refusal. */
function outcome(dto: Dto<object>, field: string, value: string) {
  const raw = new RawBody(Buffer.from(`{"${field}":${value}}`), 'application/json');
  try {
    return validated(dto).transform(new SignedBody(raw, caller), { type: 'body' });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: error.error.status, code: error.error.code, detail: error.detail };
  }
}

it.each([
  ['a batch’s decision', 'count', DecidePayoutBatchDto, 'invalid_request'],
  ['a batch’s decision', 'amount_minor', DecidePayoutBatchDto, 'invalid_amount'],
  ['a payout’s decision', 'amount_minor', DecidePayoutDto, 'invalid_amount'],
] as const)('%s takes in %s whole numbers from 1 to 2^53-1', (_of, field, dto, code) => {
  expect(outcome(dto, field, '1')).toEqual({ [field]: 1 });
  expect(outcome(dto, field, '9007199254740991')).toEqual({ [field]: 9007199254740991 });
  const detail = `${field} must be an integer from 1 to 9007199254740991.`;
  for (const value of [
    ...['9007199254740992', '9007199254740993', '18446744073709551616', '1e400', '1e3'],
    ...['9007199254740991.0', '0', '-1', '1.5', '"1"', 'null', '[1]'],
  ])
    expect([value, outcome(dto, field, value)]).toEqual([value, { status: 400, code, detail }]);
});

it('a cancellation takes no number at all', () => {
  for (const field of ['count', 'amount_minor'])
    expect(outcome(CancelDto, field, '1')).toMatchObject({ status: 400, code: 'invalid_request' });
});
