import { describe, expect, it } from '@jest/globals';
import { differencesFrom, payoutsFrom, readCsv, sumsOf } from '../examples/payouts-csv.ts';

describe('a CSV file', () => {
  it.each([
    ['quotes, doubled ones within', '"a ""b""",c\n', [['a "b"', 'c']]],
    ['commas and line breaks in quotes', '"a,b","c\r\nd"', [['a,b', 'c\r\nd']]],
    [
      'empty cells, quoted or not',
      'a,,""\n,',
      [
        ['a', '', ''],
        ['', ''],
      ],
    ],
    [
      'a byte order mark, CRLF and blank lines',
      '\uFEFFa,b\r\n\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ])('may have %s', (_what, text, rows) => {
    expect(readCsv(text)).toEqual(rows);
  });

  it.each(['a"b', '"a', '"a"b', 'a\rb'])('is rejected if it is not valid CSV: %j', (text) => {
    expect(() => readCsv(text)).toThrow(/^row 1 has/);
  });
});

describe('the payouts of a CSV file', () => {
  it('are read from the columns that the first row names, in any order', () => {
    const text = 'Name,"Amount",phone,reference\n"Otieno, Asha","1200.5",254712345678,"s-7"\n';
    expect(payoutsFrom(text)).toEqual([
      { reference: 's-7', phone: '254712345678', amount_minor: 120_050n },
    ]);
  });

  it.each([
    ['reference,phone\ns-7,254712345678', 'one column amount'],
    ['reference,phone,amount,amount\ns-7,254712345678,1,2', 'one column amount'],
    ['reference,phone,amount\ns-7,254712345678,1,200', 'row 2 has 4 cells, not 3'],
    ['reference,phone,amount\ns-7,254712345678,"1,200"', 'row 2: 1,200 is no amount'],
    ['reference,phone,amount\ns-7,254712345678,1.005', 'row 2: 1.005 is no amount'],
  ])('are rejected as a whole if one is doubtful: %j', (text, why) => {
    expect(() => payoutsFrom(text)).toThrow(why);
  });
});

describe('an approval from a file', () => {
  const own = payoutsFrom('reference,phone,amount\ns-1,254712345678,10\ns-2,254712345679,20.50\n');

  it('repeats the count and sum of the file, never those from the service', () => {
    expect(sumsOf(own)).toEqual({ count: 2, amount_minor: 3_050n });
  });

  it('applies to a batch of exactly its payouts', () => {
    expect(differencesFrom(own, own)).toEqual([]);
    const [first, second] = own;
    // The same count and the same sum.
    const other = [
      { reference: 's-1', amount_minor: 2_050n },
      { reference: 's-3', amount_minor: 1_000n },
    ];
    expect([first, second].map((item) => item?.reference)).toEqual(['s-1', 's-2']);
    expect(differencesFrom(own, other)).toEqual([
      's-1 is 2050, not 1000',
      's-3 is not in the file',
      's-2 is not in the batch',
    ]);
  });
});
