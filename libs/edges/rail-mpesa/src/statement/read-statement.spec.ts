import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type StatementLine, StatementRefused } from '#domain/reconciliation';
import { readStatement, type StatementContext } from './read-statement.js';

const header =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.';
/** 20 November 2026 in Nairobi. */
const context: StatementContext = {
  fromMs: Date.UTC(2026, 10, 19, 21),
  untilMs: Date.UTC(2026, 10, 20, 21),
};

interface Row {
  readonly receipt?: string;
  readonly at?: string;
  readonly status?: string;
  readonly paidIn?: string;
  readonly withdrawn?: string;
  readonly reason?: string;
  readonly party?: string;
  readonly linked?: string;
  readonly code?: string;
  readonly details?: string;
}

function row(of: Row = {}): string {
  const { receipt = 'TKL0000001', at = '2026-11-20 10:15:00', status = 'Completed' } = of;
  const { paidIn = '250.00', withdrawn = '', reason = 'Pay Bill Online', details = 'x' } = of;
  const { party = '2547*****678 - JANE DOE', linked = '', code = 'CODE00000001' } = of;
  const cells = [receipt, at, at, details, status, paidIn, withdrawn, '1,000.00', 'true', reason];
  return [...cells, party, linked, code].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
}

/** Writes a file as Excel does if the comma is the decimal mark. No cell here has a comma between quotes. */
const asSemicolons = (text: string): string =>
  text.replaceAll('","', '";"').replaceAll(/,(?=[A-Z])/g, ';');

const fileOf = (...rows: readonly string[]): string => [header, ...rows, ''].join('\r\n');

async function read(
  text: string | Uint8Array,
  more: Partial<StatementContext> = {},
  chunkBytes = 7,
): Promise<readonly StatementLine[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      await Promise.resolve();
      yield bytes.subarray(at, at + chunkBytes);
    }
  }
  const lines: StatementLine[] = [];
  for await (const batch of readStatement(chunks(), { ...context, ...more })) lines.push(...batch);
  return lines;
}

describe('a row of a statement', () => {
  it('is read as money in', async () => {
    expect(await read(fileOf(row()))).toEqual([
      {
        line: 2,
        receipt: 'TKL0000001',
        kind: 'payment_in',
        completed: true,
        atMs: Date.UTC(2026, 10, 20, 7, 15),
        ofDay: true,
        amountMinor: 25_000n,
        code: 'CODE00000001',
        party: '2547*****678',
      },
    ]);
  });

  it.each<[string, Row, Partial<StatementLine>]>([
    [
      'money out',
      { paidIn: '', withdrawn: '1,250.5' },
      { kind: 'payment_out', amountMinor: -125_050n },
    ],
    ['money out, with a minus', { paidIn: '0.00', withdrawn: '-10.00' }, { amountMinor: -1_000n }],
    [
      'an exact amount of any size',
      { paidIn: '9,007,199,254,740.93' },
      { amountMinor: 900_719_925_474_093n },
    ],
    [
      'a reversal and what it reverses',
      { paidIn: '', withdrawn: '250.00', reason: 'Transaction Reversal', linked: 'tkl0000009' },
      { kind: 'reversal', linkedReceipt: 'TKL0000009' },
    ],
    [
      'a reversal by its details',
      { reason: '', details: 'Reversal of TKL0000009' },
      { kind: 'reversal' },
    ],
    [
      'a charge',
      { paidIn: '', withdrawn: '5.00', reason: 'Pay merchant Charge' },
      { kind: 'charge' },
    ],
    [
      'the organisation’s own transfer',
      { paidIn: '', withdrawn: '5.00', reason: 'Organization Settlement Account to Bank' },
      { kind: 'transfer' },
    ],
    ['money in is no charge', { reason: 'Pay Bill Charge' }, { kind: 'payment_in' }],
    [
      'a payment that did not take place',
      { status: 'Cancelled', paidIn: '' },
      { completed: false, amountMinor: 0n },
    ],
    ['the first moment of the day', { at: '2026-11-20 00:00:00' }, { ofDay: true }],
    ['the last one before it', { at: '2026-11-19 23:59:59' }, { ofDay: false }],
    ['a day-first date', { at: '20-11-2026 10:15' }, { atMs: Date.UTC(2026, 10, 20, 7, 15) }],
    ['slashes', { at: '20/11/2026 10:15:00' }, { ofDay: true }],
    ['a whole number is masked', { party: '254712345678 - JANE' }, { party: '2547*****678' }],
    ['a national number, too', { party: '0712345678' }, { party: '2547*****678' }],
    ['another mask', { party: '0712***678 JANE' }, { party: '2547*****678' }],
  ])('is read correctly: %s', async (_what, of, expected) => {
    expect((await read(fileOf(row(of))))[0]).toMatchObject(expected);
  });

  it.each([
    'Pay Bill from 254712345678 - JANE DOE Acc. school fees',
    'Pay Bill from 2547*****678 - JANE DOE Acc. reversal',
    'Pay Bill Online from 0712345678 Acc. settlement 4',
    'Pay Bill from JANE FEES',
    'Pay Bill Online - FEES JANE',
    'Merchant Payment by CHARGES JOHN',
    'Pay Bill Online Acc. fees',
  ])('stays a payment in, whatever the customer typed or is called: %s', async (details) => {
    expect((await read(fileOf(row({ reason: '', details }))))[0]).toMatchObject({
      kind: 'payment_in',
    });
  });

  it.each([
    ['Reversal of TKL0000009', 'reversal'],
    ['Pay merchant Charge', 'charge'],
    ['Customer Transfer of Funds Charge', 'charge'],
    ['B2C Charge for 254712345678', 'charge'],
    ['Transfer from Utility Account to Working Account', 'transfer'],
    ['Utility Account to Organization Settlement Account', 'withdrawal'],
    ['Business Payment to 254712345678 - JANE FEES', 'payment_out'],
    ['Transfer to Bank', 'withdrawal'],
    ['Organization Withdrawal of Funds', 'withdrawal'],
    ['Merchant to Organization Settlement', 'sweep'],
    ['Merchant Account to Organisation Settlement Account', 'sweep'],
    ['Merchant to Organization Settlement reversed', 'reversal'],
    ['Merchant to Organization Settlement Charge', 'charge'],
    ['Transfer of Funds from MMF Account', 'transfer'],
  ])('gets its kind from the portal’s own words: %s', async (details, kind) => {
    const [found] = await read(fileOf(row({ reason: '', details, paidIn: '', withdrawn: '5.00' })));
    expect(found).toMatchObject({ kind });
  });

  it('is no sweep and no withdrawal if its money comes in (SWEEP-4)', async () => {
    const reasons = ['Merchant to Organization Settlement', 'Transfer to Bank'];
    const lines = await read(fileOf(...reasons.map((reason) => row({ reason }))));
    expect(lines.map(({ kind }) => kind)).toEqual(['transfer', 'transfer']);
  });

  it('keeps no number that a customer typed', async () => {
    for (const code of ['254712345678', '0712345678', 'my rent 0712345678'])
      expect(
        JSON.stringify((await read(fileOf(row({ code })))).map(({ code: kept }) => kept)),
      ).toBe('[null]');
    expect(
      await read(fileOf(row({ code: '100000001' })), { accountNo: '100000001' }),
    ).toMatchObject([{ code: '100000001' }]);
  });

  it('is read despite a preamble, a BOM, empty rows, LF alone and a trailing comma', async () => {
    const preamble = [
      'Organization Name:,Shop',
      'Short Code:,600000',
      '"Time Period:","From 20-11-2026"',
    ];
    const text = `\uFEFF${[...preamble, '', `${header},`, `${row()},`, '', `${row()},`].join('\n')}`;
    expect(await read(text, { shortcodes: ['600000'] })).toHaveLength(2);
  });

  it('is read the same, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 900 }), async (chunkBytes) => {
        const text = fileOf(row({ details: 'a "quoted", text\nof two lines' }), row());
        expect(await read(text, {}, chunkBytes)).toHaveLength(2);
      }),
      { numRuns: 50 },
    );
  });
});

describe('another encoding or separator', () => {
  const jose = fileOf(row({ details: 'Pay Bill from José', party: '2547*****678 - JOSÉ' }), row());
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

  it.each<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(jose)],
    ['UTF-8 with its mark', Buffer.from(`\uFEFF${jose}`)],
    ['UTF-16 with its mark', utf16(`\uFEFF${jose}`)],
    ['UTF-16 in the other order', swapped(utf16(`\uFEFF${jose}`))],
    ['UTF-16 without a mark', utf16(jose)],
    ['UTF-16 in the other order, without one', swapped(utf16(jose))],
    ['Windows-1252', Buffer.from(jose, 'latin1')],
  ])('%s is read', async (_what, bytes) => {
    const expected = await read(fileOf(row(), row()), {}, 4_096);
    for (const chunkBytes of [1, 3, 512, 4_096])
      expect(await read(bytes, {}, chunkBytes)).toEqual(expected);
  });

  it.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])('%s between cells are read, and the preamble before them', async (_what, separator) => {
    const text = [
      `sep=${separator}`,
      `Short Code:${separator}600000`,
      header.replaceAll(',', separator),
      row().replaceAll('","', `"${separator}"`),
    ].join('\r\n');
    const [expected] = await read(fileOf(row()));
    expect(await read(text, { shortcodes: ['600000'] })).toEqual([{ ...expected, line: 4 }]);
    await expect(read(text, { shortcodes: ['600001'] })).rejects.toThrow(/short code 600000/);
  });

  it('a decimal comma is read if the file proves it', async () => {
    const amounts = ['1.234,56', '250,00', '1.000', '7,5', '12'];
    const text = asSemicolons(fileOf(...amounts.map((paidIn) => row({ paidIn }))));
    const read_ = await read(text);
    expect(read_.map(({ amountMinor }) => amountMinor)).toEqual([
      123_456n,
      25_000n,
      100_000n,
      750n,
      1_200n,
    ]);
  });

  it('an amount is read correctly in either notation', async () => {
    const anyMinor = fc.bigInt({ min: 1n, max: 10n ** 13n - 1n });
    const grouped = (minor: bigint, thousands: string, decimal: string): string => {
      const whole = String(minor / 100n).replace(/\B(?=(\d{3})+$)/g, thousands);
      return `${whole}${decimal}${String(minor % 100n).padStart(2, '0')}`;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyMinor, { minLength: 1, maxLength: 5 }), async (minors) => {
        for (const [thousands, decimal] of [
          [',', '.'],
          ['.', ','],
          ['', '.'],
          ['', ','],
        ] as const) {
          const rows = minors.map((minor) => row({ paidIn: grouped(minor, thousands, decimal) }));
          const found = await read(fileOf(...rows), {}, 4_096);
          expect(found.map(({ amountMinor }) => amountMinor)).toEqual(minors);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('a file of mixed notations is refused', async () => {
    const point = fc.constantFrom('1,234.50', '7.25', '1,234', '1,000,000');
    const comma = fc.constantFrom('1.234,50', '7,25', '1.234', '1.000.000');
    await fc.assert(
      fc.asyncProperty(point, comma, fc.boolean(), async (one, other, isFirst) => {
        const amounts = isFirst ? [one, other] : [other, one];
        const text = fileOf(...amounts.map((paidIn) => row({ paidIn })));
        await expect(read(text, {}, 4_096)).rejects.toThrow(/written in both ways/);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the refusal of a statement', () => {
  const long = row({ details: 'x'.repeat(70_000) });
  it.each<[string, string | Uint8Array, RegExp, Partial<StatementContext>?]>([
    ['an empty file', '', /^the file is empty/],
    ['a file of white space', '\uFEFF\r\n \n', /^the file is empty/],
    ['another file', 'name,age\nJane,7\n', /no header was found/],
    ['a PDF', `%PDF-1.7\n${'x'.repeat(600)}`, /^it is a PDF: export .* as CSV/],
    ['a workbook', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 10, 0]), /Excel workbook or a ZIP archive/],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /^it is an Excel workbook/],
    ['a gzip archive', Buffer.from([0x1f, 0x8b, 8, 0]), /^it is a gzip archive/],
    ['a sign-in page', '<!DOCTYPE html><html>', /^it is a web page/],
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), /^it is no text/],
    ['half a letter of UTF-16', Buffer.from([0xff, 0xfe, 0x41]), /UTF-16/],
    [
      'two encodings',
      Buffer.concat([
        Buffer.from(fileOf(row({ details: 'José' }), row({ receipt: 'TKL0000002' }))),
        Buffer.from(row({ details: 'Jos\xe9' }), 'latin1'),
      ]),
      /row 4 is of another encoding/,
    ],
    [
      'two separators',
      header.replace('Details', 'Details;Receipt No.;x'),
      /both commas and semicolons/,
    ],
    [
      'amounts of both notations',
      fileOf(row({ paidIn: '1,234.56' }), row({ paidIn: '1.234,56' })),
      /row 3: its amounts are written in both ways/,
    ],
    [
      'thousands or decimals, which no row tells',
      asSemicolons(fileOf(row({ paidIn: '1,234' }))),
      /row 2: its amount has one mark before three digits/,
    ],
    ['no header in the first rows', `${'a,b\n'.repeat(51)}${header}`, /first 50 rows/],
    ['a column is missing', header.replace('Withdrawn,', ''), /lacks “withdrawn”/],
    ['a column is there twice', header.replace('Details', 'Paid In'), /“paid in” twice/],
    ['half a line', `${fileOf(row())}TKL0000002,2026-11-20 10`, /row 3 has 2 cells .*13/],
    ['an open quote', `${fileOf(row())}"TKL0000002,2026`, /never closed|quote/],
    [
      'text after a quote',
      `${fileOf(row())}"TKL"0000002,2026`,
      /row 3 is not valid CSV|never closed/,
    ],
    ['a line without an end', fileOf(long), /row 2 is longer than 65536 characters/],
    ['a receipt that is none', fileOf(row({ receipt: '=cmd()' })), /row 2: “Receipt No.”/],
    [
      'an amount of three decimals',
      fileOf(row({ paidIn: '1.005' })),
      /one mark before three digits/,
    ],
    ['an amount of four decimals', fileOf(row({ paidIn: '1.0050' })), /“Paid In” is no amount/],
    ['an amount in words', fileOf(row({ paidIn: 'KES 5' })), /“Paid In” is no amount/],
    ['wrong thousands', fileOf(row({ paidIn: '1,00.00' })), /“Paid In” is no amount/],
    ['money in below zero', fileOf(row({ paidIn: '-5.00' })), /“Paid In” is no amount/],
    ['an exponent', fileOf(row({ withdrawn: '1e3', paidIn: '' })), /“Withdrawn” is no amount/],
    ['in and out at once', fileOf(row({ withdrawn: '5.00' })), /both/],
    ['a line that moves nothing', fileOf(row({ paidIn: '' })), /moves nothing/],
    ['a day that is none', fileOf(row({ at: '2026-02-30 10:00:00' })), /“Completion Time”/],
    [
      'both orders',
      fileOf(row(), row({ at: '20-11-2026 10:15:00' })),
      /row 3: its dates are of both orders/,
    ],
    ['the month first', fileOf(row({ at: '11-20-2026 10:15:00' })), /month first/],
    [
      'another short code',
      `Short Code,:600001\n${fileOf(row())}`,
      /short code 600001/,
      { shortcodes: ['600000'] },
    ],
  ])('names the reason: %s', async (_what, text, sentence, more = {}) => {
    const reading = read(text, more, 4_096);
    await expect(reading).rejects.toThrow(StatementRefused);
    await expect(reading).rejects.toThrow(sentence);
  });

  /** 4 March 2026 in Nairobi. */
  const march = { fromMs: Date.UTC(2026, 2, 3, 21), untilMs: Date.UTC(2026, 2, 4, 21) };

  it('depends on the whole file if dates may have the day or the month first', async () => {
    const at = (...dates: readonly string[]): string =>
      fileOf(...dates.map((date) => row({ at: `${date} 10:15:00` })));
    expect(await read(at('04-03-2026'), march)).toMatchObject([{ ofDay: true }]);
    await expect(read(at('04-03-2026', '03-04-2026'), march)).rejects.toThrow(/either way/);
    await expect(read(at('03-04-2026'), march)).rejects.toThrow(/either way/);
    const proven = await read(at('04-03-2026', '03-04-2026', '13-03-2026'), march);
    expect(proven.map(({ ofDay }) => ofDay)).toEqual([true, false, false]);
  });
});
