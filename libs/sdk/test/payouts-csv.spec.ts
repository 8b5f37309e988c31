import { describe, expect, it } from '@jest/globals';
import { payoutsFrom, readCsv } from '../examples/payouts-csv.ts';

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

  it.each(['a"b', '"a', '"a"b', 'a\rb'])('is refused where it is none: %j', (text) => {
    expect(() => readCsv(text)).toThrow(/^row 1 has/);
  });
});

describe('the payouts of a CSV file', () => {
  it('stand in the columns that the first row names, in whichever order', () => {
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
  ])('are refused whole where one is doubtful: %j', (text, why) => {
    expect(() => payoutsFrom(text)).toThrow(why);
  });
});
