import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type Account } from '#domain/merchants';
import { Metrics, SystemTimer } from '#infra/runtime';
import { type PaymentNotices, type RailCallbacks, type TakenPayment } from '../rail-adapter.js';
import { type NamedAccounts } from './named-accounts.js';
import { PaymentValidation } from './payment-validation.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});

const own = '196.201.214.200';
const accepted = { ResultCode: 0 };
const refused = { ResultCode: 'C2B00012' };
const account = { accountNo: '100000001' } as Account;

/** A rail whose messages are the payment itself, as JSON. */
const rail = (refuses: boolean): RailCallbacks =>
  ({
    channel: 'mpesa',
    acknowledgement: accepted,
    isOwnAddress: (_mode: Mode, address: string | undefined) => address === own,
    notices: {
      refusesUnnamed: () => refuses,
      refusal: refused,
      read: (bytes: Uint8Array) => {
        const payment = JSON.parse(Buffer.from(bytes).toString()) as TakenPayment | null;
        return payment ? { payment, shortCode: '600100' } : undefined;
      },
    } satisfies Partial<PaymentNotices>,
  }) as unknown as RailCallbacks;

async function answerTo(
  payment: Partial<TakenPayment> | null,
  {
    refuses = true,
    from = own,
    find = (accountNo: string) =>
      Promise.resolve(accountNo === account.accountNo ? account : undefined),
  } = {},
): Promise<object> {
  const accounts = {
    named: (_channel: string, _mode: Mode, { accountNo = '' }: Partial<TakenPayment>) =>
      find(accountNo),
  } as unknown as NamedAccounts;
  const validation = new PaymentValidation(accounts, new SystemTimer(), new Metrics());
  const bytes = Buffer.from(JSON.stringify(payment));
  return validation.answer({ rail: rail(refuses), mode: 'demo' }, { bytes, sourceAddress: from });
}

describe('a payment that the rail asks about before it takes it', () => {
  it('is accepted whatever account it names, unless the mode refuses some', async () => {
    expect(await answerTo({}, { refuses: false })).toBe(accepted);
  });

  it.each([
    ['an account of ours', { accountNo: '100000001' }, accepted],
    ['a code of ours', { code: 'ABCDEFGHJKMN' }, accepted],
    ['another account', { accountNo: '999' }, refused],
    ['no account', {}, refused],
  ])('is accepted or refused by the account it names: %s', async (_, payment, answer) => {
    expect(await answerTo(payment)).toBe(answer);
  });

  it('is accepted if the question cannot be read, or is not the rail’s', async () => {
    expect(await answerTo(null)).toBe(accepted);
    expect(await answerTo({}, { from: '203.0.113.7' })).toBe(accepted);
  });

  it('is accepted if its account cannot be looked up, at once or within two seconds', async () => {
    const away = () => Promise.reject(new DependencyUnavailable('read model', 'away'));
    expect(await answerTo({ accountNo: '999' }, { find: away })).toBe(accepted);
    const hanging = () => new Promise<never>(() => undefined);
    expect(await answerTo({ accountNo: '999' }, { find: hanging })).toBe(accepted);
  });
});
