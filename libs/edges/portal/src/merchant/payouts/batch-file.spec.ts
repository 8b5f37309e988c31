import { describe, expect, it } from '@jest/globals';
import { readBatch } from './batch-file.js';

const limits = { maxMinor: 25_000_000n, stepMinor: 100n, currencies: ['KES'] };
const read = (...rows: string[]) => readBatch(rows.join('\r\n'), limits, 'KES');

describe('a file of payouts', () => {
  it('is read by its columns in any order, with numbers as spreadsheets write them', () => {
    expect(
      read(
        '\uFEFFName,Amount,Phone,Reference',
        'Asha,"1,250.00",0712 345 678,salary-1',
        '',
        'Bakari,90,712345679,salary-2',
      ),
    ).toEqual({
      rows: [
        { reference: 'salary-1', phone: '254712345678', amountMinor: 125_000n },
        { reference: 'salary-2', phone: '254712345679', amountMinor: 9_000n },
      ],
    });
  });

  it('names each row that cannot be meant, and why', () => {
    expect(
      read(
        'reference,phone,amount',
        'a,0712345678,10',
        'a,0712345678,10',
        '=cmd,0712345678,10',
        'b,12,10',
        'c,0712345678,10.50',
        'for-712345678,0712345678,10',
        'for-712345679,0712345670,10',
        'd,0712345679,10',
      ),
    ).toEqual({
      wrongRows: [
        { row: 3, problem: 'repeated_reference' },
        { row: 4, problem: 'reference' },
        { row: 5, problem: 'phone' },
        { row: 6, problem: 'amount' },
        { row: 7, problem: 'phone_in_reference' },
        // The number is that of another row.
        { row: 8, problem: 'phone_in_reference' },
      ],
    });
  });

  it.each(['250,00', '1,5', '12,50', '1,2500', '0,500', '1.250,00', ',250', '1,,250'])(
    'is rejected with the amount %s, because its comma may be a decimal point',
    (amount) => {
      expect(read('reference,phone,amount', `a,0712345678,"${amount}"`)).toEqual({
        wrongRows: [{ row: 2, problem: 'amount' }],
      });
    },
  );

  it('names rows whose cells are more or fewer than its columns', () => {
    expect(
      read('reference,phone,amount', 'a,0712345678,1,250.00', 'b,0712345678', 'c,0712345678,10'),
    ).toEqual({
      wrongRows: [
        { row: 2, problem: 'cells' },
        { row: 3, problem: 'cells' },
      ],
    });
  });

  it('may lack the empty cells behind its columns, which Excel leaves out', () => {
    const row = (reference: string) => ({ reference, phone: '254712345678', amountMinor: 1000n });
    const head = 'reference,phone,amount,name,note';
    expect(read(head, 'a,0712345678,10', 'b,0712345678,10,B,c')).toEqual({
      rows: [row('a'), row('b')],
    });
    // The comma cuts the amount in two, so the row has one cell more.
    expect(read(head, 'a,0712345678,1,250.00', 'b,0712345678')).toEqual({
      wrongRows: [
        { row: 2, problem: 'cells' },
        { row: 3, problem: 'cells' },
      ],
    });
  });

  it('has the three columns, each once, and 1 to 1,000 rows', () => {
    expect(read('reference,phone', 'a,0712345678')).toEqual({ wrong: 'columns' });
    expect(read('amount,reference,phone,amount', '1,a,0712345678,10')).toEqual({
      wrong: 'columns',
    });
    expect(read('reference,phone,amount')).toEqual({ wrong: 'empty' });
    const many = Array.from({ length: 1001 }, (_, row) => `r${row},0712345678,10`);
    expect(read('reference,phone,amount', ...many)).toEqual({ wrong: 'too_many' });
  });
});
