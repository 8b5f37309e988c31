import { readFileSync } from 'node:fs';
import { type Readable } from 'node:stream';
import { type Instant, instantFromMs } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { extractText, getDocumentProxy } from 'unpdf';
import { amountText, type Heading, type Line, writeCamt053, writeCsv, writePdf } from './index.js';

const at = (ms: number): Instant => instantFromMs(Date.UTC(2026, 10, 1) + ms);
const heading: Heading = {
  service: 'PesaPost',
  merchant: 'Dụka Mọja Ñandú & Żółw',
  merchantId: 'm-1',
  mode: 'live',
  accountNo: '100000001',
  currency: 'KES',
  timezone: 'Africa/Nairobi',
  from: '2026-11-01',
  to: '2026-11-30',
  begins: at(0),
  ends: at(30 * 86_400_000),
  isOver: true,
  after: 1000n,
  upTo: 9000n,
  openingMinor: 12_345n,
  closingMinor: 18_135n,
  entries: 2n,
  creditsMinor: 9_850n,
  debitsMinor: 4_060n,
};
const collection: Line = {
  position: 1500n,
  eventId: '01a1fbba-5634-76de-a5c4-550311b90a35',
  recordedAt: at(1000),
  day: '2026-11-01',
  kind: 'collection',
  reference: 'INV-1',
  description: 'Collection INV-1',
  receipt: 'NLJ7RT61SV',
  grossMinor: 10_000n,
  feeMinor: 150n,
  amountMinor: 9_850n,
  balanceMinor: 22_195n,
};
const payout: Line = {
  ...collection,
  position: 2500n,
  kind: 'payout',
  reference: 'PAY-1',
  description: 'Payout PAY-1',
  receipt: null,
  grossMinor: 4_000n,
  feeMinor: 60n,
  amountMinor: -4_060n,
  balanceMinor: 18_135n,
};

async function* given(lines: readonly Line[]): AsyncGenerator<Line, void, void> {
  for (const line of lines) yield await Promise.resolve(line);
}
async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}
async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The same statement on its last day. */
const interim: Heading = { ...heading, ends: at(5000), isOver: false };

describe('an amount', () => {
  it.each([
    [0n, 'KES', '0.00'],
    [-5n, 'KES', '-0.05'],
    [123_456_789_012_345_678n, 'KES', '1234567890123456.78'],
    [-100n, 'JPY', '-100'],
    [1_234n, 'KWD', '1.234'],
  ])('%s %s is %s', (minor, currency, text) => {
    expect(amountText(minor, currency)).toBe(text);
  });
});

describe('a CSV statement', () => {
  it('has the opening balance, the entries and the closing balance', async () => {
    expect(await textOf(writeCsv(heading, given([collection, payout])))).toBe(
      [
        'date,recorded_at,position,type,reference,description,receipt,gross,fee,amount,balance,currency',
        '2026-11-01,2026-11-01T00:00:00.000Z,1000,opening_balance,,,,,,,123.45,KES',
        '2026-11-01,2026-11-01T00:00:01.000Z,1500,collection,INV-1,Collection INV-1,NLJ7RT61SV,100.00,1.50,98.50,221.95,KES',
        '2026-11-01,2026-11-01T00:00:01.000Z,2500,payout,PAY-1,Payout PAY-1,,40.00,0.60,-40.60,181.35,KES',
        '2026-11-30,2026-12-01T00:00:00.000Z,9000,closing_balance,,,,,,,181.35,KES',
        '',
      ].join('\r\n'),
    );
  });

  it('has no closing balance if its last day is not over', async () => {
    const text = await textOf(writeCsv(interim, given([])));
    expect(text).toContain('2026-11-30,2026-11-01T00:00:05.000Z,9000,interim_balance,');
    expect(text).not.toContain('closing');
  });

  it.each(['=1+1', '+254', '-2', '@SUM(A1)', ' =1', '\t=1', '|x', '%0A', '＝1', '＠x'])(
    'does not run a formula: %j',
    async (word) => {
      const line = { ...collection, reference: word, description: word, receipt: word };
      const text = await textOf(writeCsv(heading, given([line])));
      expect(text.split(`'${word}`)).toHaveLength(4);
    },
  );

  it('quotes characters that would end a field', async () => {
    const description = 'Correction: "twice",\nas said';
    const text = await textOf(writeCsv(heading, given([{ ...collection, description }])));
    expect(text).toContain(',"Correction: ""twice"",\nas said",');
    const other = { ...collection, description: 'as said;=1+1\t=1' };
    expect(await textOf(writeCsv(heading, given([other])))).toContain(',"as said;=1+1\t=1",');
  });
});

describe('a camt.053 statement', () => {
  // ISO 20022's own schema may not be distributed with ours, so a developer who has it sets its file.
  const schema =
    process.env['CAMT053_XSD'] ?? new URL('../test/camt.053.profile.xsd', import.meta.url);
  const validator = XsdValidator.fromDoc(XmlDocument.fromString(readFileSync(schema, 'utf8')));
  /** @throws if it is not valid */
  const validated = (xml: string): void => {
    const document = XmlDocument.fromString(xml);
    try {
      validator.validate(document);
    } finally {
      document.dispose();
    }
  };

  it('is valid for any text of merchants and operators, and has every entry', async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 600 });
    const amounts = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
    const lines = fc.array(
      fc.record({
        reference: fc.string({ minLength: 1, maxLength: 64 }),
        description: texts,
        receipt: fc.option(fc.string({ maxLength: 40 })),
        amountMinor: amounts,
        feeMinor: fc.option(fc.bigInt({ min: 0n, max: 10n ** 9n })),
      }),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(lines, texts, amounts, async (some, merchant, openingMinor) => {
        const entries = some.map((each) => ({ ...collection, ...each }));
        const xml = await textOf(
          writeCamt053({ ...heading, merchant, openingMinor }, given(entries)),
        );
        validated(xml);
        expect(xml.match(/<Ntry>/g) ?? []).toHaveLength(entries.length);
      }),
    );
  });

  it('contains each amount with its direction, fee and receipt', async () => {
    const xml = await textOf(writeCamt053(heading, given([collection, payout])));
    validated(xml);
    expect(xml).toContain('<Amt Ccy="KES">98.50</Amt><CdtDbtInd>CRDT</CdtDbtInd>');
    expect(xml).toContain('<Amt Ccy="KES">40.60</Amt><CdtDbtInd>DBIT</CdtDbtInd>');
    expect(xml).toContain('<TtlChrgsAndTaxAmt Ccy="KES">1.50</TtlChrgsAndTaxAmt>');
    expect(xml).toContain('<ClrSysRef>NLJ7RT61SV</ClrSysRef>');
    // A statement that was made before its end says nothing about the end.
    expect(xml.match(/<CreDtTm>2026-12-01T00:00:00.000Z</g)).toHaveLength(2);
    expect(xml).toContain('<TtlCdtNtries><Sum>98.50</Sum></TtlCdtNtries>');
  });

  it('has no closing balance if its last day is not over', async () => {
    const xml = await textOf(writeCamt053(interim, given([collection, payout])));
    validated(xml);
    expect(xml).toContain('<Cd>ITBD</Cd></CdOrPrtry></Tp><Amt Ccy="KES">181.35</Amt>');
    expect(xml).toContain('<ToDtTm>2026-11-01T00:00:05.000Z</ToDtTm>');
    expect(xml).toContain('The last day is not over');
    expect(xml).not.toContain('CLBD');
  });

  it('has a different id for each beginning and end', async () => {
    const others = [{}, { after: 999n }, { upTo: 9001n }, { accountNo: '100000002' }];
    const ids = others.map(async (other) => {
      const xml = await textOf(writeCamt053({ ...heading, ...other }, given([])));
      return /<MsgId>(.+)<\/MsgId>.*\n<Stmt><Id>\1<\/Id>/.exec(xml)?.[1];
    });
    expect(new Set(await Promise.all(ids)).size).toBe(others.length);
  });

  it('is rejected by the schema if an amount has a sign', async () => {
    const xml = await textOf(writeCamt053(heading, given([payout])));
    expect(() => {
      validated(xml.replace('<Amt Ccy="KES">40.60<', '<Amt Ccy="KES">-40.60<'));
    }).toThrow();
  });
});

describe('a PDF statement', () => {
  const many = Array.from({ length: 120 }, (_each, index) => ({
    ...collection,
    reference: `INV-${index}`,
    description: `Collection INV-${index}${'x'.repeat(index)}`,
  }));

  it('has the same bytes for the same statement', async () => {
    const [one, other] = [
      await bytesOf(writePdf(heading, given(many))),
      await bytesOf(writePdf(heading, given(many))),
    ];
    expect(one.equals(other)).toBe(true);
  });

  it('contains the owner, each amount and each page’s number', async () => {
    const bytes = await bytesOf(writePdf(heading, given([...many, payout])));
    const pages = await extractText(await getDocumentProxy(new Uint8Array(bytes)));
    expect(pages.totalPages).toBe(3);
    const text = pages.text.join('\n');
    for (const words of ['Dụka Mọja Ñandú & Żółw', 'Account 100000001, KES', 'Page 1', 'Page 3'])
      expect(text).toContain(words);
    for (const words of ['Opening balance', '123.45', 'INV-7', 'Payout PAY-1', '-40.60', '181.35'])
      expect(text).toContain(words);
    expect(text.match(/Closing balance/g)).toHaveLength(1);
  });

  it('has no closing balance if its last day is not over', async () => {
    const bytes = await bytesOf(writePdf(interim, given([collection])));
    const pages = await extractText(await getDocumentProxy(new Uint8Array(bytes)));
    const text = pages.text.join('\n');
    expect(text).toContain('Balance so far');
    expect(text).toContain('not over, as of 2026-11-01T00:00:05.000Z');
    expect(text).not.toContain('Closing');
  });

  it('fails if its entries fail', async () => {
    const failing = (async function* (): AsyncGenerator<Line, void, void> {
      yield await Promise.resolve(collection);
      throw new RangeError('changed');
    })();
    await expect(bytesOf(writePdf(heading, failing))).rejects.toThrow('changed');
  });
});
