import { describe, expect, it } from '@jest/globals';
import { type StatementLine } from '#domain/reconciliation';
import { AirtelStatements } from './read-statement.js';

const header =
  'Transaction ID,External ID,Reference,Date,Service Type,Status,Other Party,Credit,Debit,Balance,Linked Transaction ID';
/** 29 November 2026 in Nairobi. */
const day = {
  mode: 'demo',
  accountNo: '100000001',
  fromMs: Date.UTC(2026, 10, 28, 21),
  untilMs: Date.UTC(2026, 10, 29, 21),
} as const;

async function read(...rows: readonly string[]): Promise<readonly StatementLine[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield Buffer.from([header, ...rows, ''].join('\r\n'));
  }
  const lines: StatementLine[] = [];
  for await (const some of new AirtelStatements().read(chunks(), day)) lines.push(...some);
  return lines;
}

const payment =
  'MP261129.1430.L06941,CODE00000001,INV 1,29-11-2026 14:30:05,MERCHPAY,TS,733***456,250.00,,"1,250.00",';

it('a payment has Airtel’s id as it is, our code, and the mask of the number (REC-38)', async () => {
  expect(await read(payment)).toEqual([
    {
      line: 2,
      receipt: 'MP261129.1430.L06941',
      kind: 'payment_in',
      completed: true,
      atMs: Date.UTC(2026, 10, 29, 11, 30, 5),
      ofDay: true,
      amountMinor: 25_000n,
      code: 'CODE00000001',
      party: '2547*****456',
    },
  ]);
});

describe('the kind of a line', () => {
  const row = (service: string, [credit, debit]: readonly [string, string], rest = 'TS') =>
    `CI261129.1431.A00001,X1,R,29-11-2026 14:31:00,${service},${rest},,${credit},${debit},0.00,MP261129.1430.L06941`;

  it.each<[string, readonly [string, string], StatementLine['kind'], bigint]>([
    ['B2C', ['', '100.00'], 'payment_out', -10_000n],
    ['REFUND', ['', '250.00'], 'reversal', -25_000n],
    ['SETTLEMENT', ['', '900.00'], 'sweep', -90_000n],
    ['Settlement', ['900.00', ''], 'transfer', 90_000n],
    ['SERVICE CHARGE', ['', '1.50'], 'charge', -150n],
    ['SERVICE CHARGE', ['1.50', ''], 'payment_in', 150n],
    ['SOMETHING NEW', ['', '5.00'], 'payment_out', -500n],
  ])('%s of %j is %s', async (service, sums, kind, amountMinor) => {
    const [line] = await read(row(service, sums));
    expect(line).toMatchObject({ kind, amountMinor, linkedReceipt: 'MP261129.1430.L06941' });
  });

  it('a payout that failed did not take place', async () => {
    const [line] = await read(row('B2C', ['', ''], 'TF'));
    expect(line).toMatchObject({ completed: false, amountMinor: 0n });
  });
});

describe('a file that is no statement of Airtel’s is refused', () => {
  it('M-Pesa’s, with the columns that Airtel’s has', async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      yield Buffer.from(
        'Receipt No.,Completion Time,Paid In\r\nTKL0000001,2026-11-29 10:00,1.00\r\n',
      );
    }
    const reading = new AirtelStatements().read(chunks(), day).next();
    await expect(reading).rejects.toThrow(
      /no header was found: a statement of Airtel Money has the columns transaction id, date/,
    );
  });

  it.each([
    [
      'an id with a space',
      payment.replace('MP261129', 'MP 261129'),
      /“Transaction ID” is no receipt/,
    ],
    ['a time', payment.replace('29-11-2026 14:30:05', 'yesterday'), /row 2: “Date” is no time/],
    ['an amount', payment.replace('250.00', '2 50'), /“Credit” is no amount of two decimals/],
    ['both sums', payment.replace('250.00,,', '250.00,1.00,'), /both “Credit” and “Debit”/],
  ])('%s', async (_what, row, why) => {
    await expect(read(row)).rejects.toThrow(why);
  });
});
