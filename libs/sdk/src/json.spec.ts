import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountDigits, parseJson, quoteLongAmounts } from './json.js';

describe('an amount in JSON', () => {
  it('is a bigint, exact at any size', () => {
    const text = '{"a":[{"amount_minor":9007199254740993,"fee_minor" : -1,"sequence":7}]}';
    expect(parseJson(text)).toEqual({
      a: [{ amount_minor: 9007199254740993n, fee_minor: -1n, sequence: 7 }],
    });
  });

  it('keeps what is no integer as it is', () => {
    const text = '{"a_minor":1.5,"b_minor":null,"c_minor":"x","d_minor":{"e":1}}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('is written without loss, or refused', () => {
    expect(amountDigits('amount_minor', 25_000)).toBe('25000');
    expect(amountDigits('amount_minor', 2n ** 64n)).toBe('18446744073709551616');
    for (const amount of [250.5, 2 ** 53, Number.NaN, Infinity, '250' as unknown as number])
      expect(() => amountDigits('amount_minor', amount)).toThrow(RangeError);
  });
});

describe('the way of runtimes that do not show a number’s digits', () => {
  it('quotes the long digits of amounts and nothing else', () => {
    const text = String.raw`{"amount_minor": 12345678901234567,"other":12345678901234567,"x_minor":1234,
      "note":"\"amount_minor\":12345678901234567","f_minor":12345678901234567.5,"g_minor":12345678901234567e2}`;
    expect(quoteLongAmounts(text)).toBe(
      text.replace('"amount_minor": 12345678901234567', '"amount_minor": "12345678901234567"'),
    );
  });

  it('gives any document the same amounts as the other way', () => {
    const document = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('amount_minor', 'fee_minor', '"_minor')),
      fc.oneof(
        fc.bigInt().map(String),
        fc.json(),
        fc.string().map((text) => JSON.stringify(text)),
      ),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(document, (members) => {
        const text = `{${Object.entries(members)
          .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
          .join(',')}}`;
        expect(parseJson(quoteLongAmounts(text))).toEqual(parseJson(text));
      }),
    );
  });

  it('costs no more than parsing for what is no JSON', () => {
    const started = process.cpuUsage();
    expect(() => quoteLongAmounts(`"${'\\"'.repeat(200_000)}`)).toThrow(SyntaxError);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });
});
