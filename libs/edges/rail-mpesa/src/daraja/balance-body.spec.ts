import { describe, expect, it } from '@jest/globals';
import { readBalances } from './balance-body.js';

const answer = (
  accounts: string | undefined,
  { code = 0, time = 20261121001003 }: { readonly code?: number; readonly time?: unknown } = {},
): Buffer =>
  Buffer.from(
    JSON.stringify({
      Result: {
        ResultType: 0,
        ResultCode: code,
        ResultDesc: 'The service request is processed successfully',
        OriginatorConversationID: '16917-22577599-3',
        ConversationID: 'AG_20200206_00005e091a8ec6b9eac5',
        TransactionID: 'OA90000000',
        ResultParameters: {
          ResultParameter: [
            { Key: 'AccountBalance', Value: accounts },
            { Key: 'BOCompletedTime', Value: time },
          ],
        },
      },
    }),
  );

describe('an answer about balances', () => {
  it('contains every account with its current sum, and the rail’s time', () => {
    const told =
      'Working Account|KES|346568.83|6186.83|340382.00|0.00&Charges Paid Account|KES|-1540.00|-1540.00|0.00|0.00' +
      '&Organization Settlement Account|KES|25000.00|25000.00|0.00|0.00';
    expect(readBalances(answer(told))).toEqual({
      accounts: [
        { name: 'Working Account', currency: 'KES', amountMinor: 34_656_883n, isHeld: true },
        { name: 'Charges Paid Account', currency: 'KES', amountMinor: -154_000n, isHeld: true },
        // Its money is swept already, as far as the ledger is concerned.
        {
          name: 'Organization Settlement Account',
          currency: 'KES',
          amountMinor: 2_500_000n,
          isHeld: false,
        },
      ],
      asOf: '2026-11-20T21:10:03.000Z',
    });
  });

  it('has no time if its time cannot be read', () => {
    const told = 'Working Account|KES|1.00|1.00|0.00|0.00';
    expect(readBalances(answer(told, { time: 'soon' }))).not.toHaveProperty('asOf');
  });

  it.each([
    ['an account that cannot be read', 'Working Account|KES|1.00|1.00|0.00|0.00&Float Account|KES'],
    ['an amount that is none', 'Working Account|KES|many|1.00|0.00|0.00'],
    ['no currency', 'Working Account||1.00|1.00|0.00|0.00'],
    ['no account', ''],
    ['no accounts at all', undefined],
  ])('counts as none with %s, since a part of the sum would be wrong', (_what, told) => {
    expect(readBalances(answer(told))).toBeUndefined();
  });

  it('counts as none if it reports a failure, or is no result', () => {
    const told = 'Working Account|KES|1.00|1.00|0.00|0.00';
    expect(readBalances(answer(told, { code: 21 }))).toBeUndefined();
    for (const bytes of ['', '{}', '<html>', '{"Result":7}'])
      expect(readBalances(Buffer.from(bytes))).toBeUndefined();
  });
});
