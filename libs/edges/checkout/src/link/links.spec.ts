import { decimalFromMinor } from '#domain/kernel';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkoutHashV3 } from '#shared/signing';
import { minorFromDecimal } from './open-links.js';
import { isUnambiguous, readV3Link, verifiedReading, type V3Values } from './v3-link.js';
import { isHashOf, linkEnd, readV4Link, type V4Values } from './v4-link.js';

const vectors = JSON.parse(
  readFileSync(
    new URL('../../../../shared/signing/checkout-vectors.json', import.meta.url),
    'utf8',
  ),
) as {
  readonly v3_secret: string;
  readonly v4_secret: string;
  readonly v3_links: readonly { name: string; parameters: Record<string, string>; hsh: string }[];
  readonly v4_links: readonly { name: string; query: string; hash: string }[];
};
const [plain] = vectors.v3_links;
if (!plain) throw new Error('no vectors');

function v3Query(changes: Readonly<Record<string, string>> = {}): string {
  const all = { ...plain?.parameters, hsh: plain?.hsh ?? '', ...changes };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function without(query: string, name: string): string {
  return query.replace(new RegExp(`(?<=^|&)${name}=[^&]*&?`), '');
}

function v3Opens(query: string, secret = vectors.v3_secret): V3Values | undefined {
  const readings = readV3Link(query);
  return readings.ok ? verifiedReading(readings.value, secret) : undefined;
}

function faultOf(read: { ok: true } | { ok: false; refusal: { code: string; detail?: string } }) {
  return read.ok ? undefined : [read.refusal.code, read.refusal.detail];
}

describe('a V3 link', () => {
  it.each(vectors.v3_links)('opens: $name', ({ parameters, hsh }) => {
    expect(v3Opens(v3Query({ ...parameters, hsh }))).toEqual({ ...parameters, hsh });
  });

  it('opens if its form encoded spaces as pluses, and also if a plus is meant', () => {
    const spaced = vectors.v3_links.find(({ name }) => name.includes('spaces'));
    const asForm = new URLSearchParams({ ...spaced?.parameters, hsh: spaced?.hsh ?? '' });
    expect(v3Opens(asForm.toString())?.p2).toBe('100 % safi');
    const values = { ...plain.parameters, p1: '1+1' };
    const order = 'live oid inv ttl tel eml vid curr p1 p2 p3 p4 cbk cst crl'.split(' ');
    const text = order.map((name) => (values as Record<string, string>)[name]);
    const hsh = checkoutHashV3(vectors.v3_secret, text as string[]);
    expect(v3Opens(v3Query({ ...values, hsh }).replace('1%2B1', '1+1'))?.p1).toBe('1+1');
  });

  it('does not open with another secret, another hash, or a hash in capitals', () => {
    expect(v3Opens(v3Query(), 'another')).toBeUndefined();
    expect(v3Opens(v3Query({ hsh: vectors.v3_links[1]?.hsh ?? '' }))).toBeUndefined();
    expect(v3Opens(v3Query({ hsh: plain.hsh.toUpperCase() }))).toBeUndefined();
    expect(v3Opens(v3Query({ hsh: '' }))).toBeUndefined();
  });

  it.each(Object.keys({ ...plain.parameters, hsh: '' }))('needs %s, once', (name) => {
    expect(faultOf(readV3Link(without(v3Query(), name)))).toEqual([
      'malformed_link',
      `${name} is missing`,
    ]);
    expect(faultOf(readV3Link(`${v3Query()}&${name}=x`))).toEqual([
      'malformed_link',
      `${name} is given twice`,
    ]);
  });

  it('is not disturbed by what messengers add', () => {
    expect(v3Opens(`${v3Query()}&fbclid=abc&utm_source=sms`)?.oid).toBe('ORDER-7');
  });

  it('has values of bounded length', () => {
    expect(faultOf(readV3Link(v3Query({ p1: 'x'.repeat(256) })))).toEqual([
      'oversized_link',
      'p1 has more than 255 characters',
    ]);
  });

  it('is malformed if its query is not valid text', () => {
    expect(faultOf(readV3Link(`${v3Query()}&x=%ff`))?.[0]).toBe('malformed_link');
  });

  it('opens only with its own values, except digits moved between inv and ttl, which strictness prevents', () => {
    const moved = vectors.v3_links.slice(4, 6).map(({ parameters }) => parameters as V3Values);
    expect(moved.map(isUnambiguous)).toEqual([false, true]);
    const of = (oid: string, inv: string) =>
      isUnambiguous({ oid, inv, tel: '', eml: '' } as V3Values);
    expect([of('A1', 'A1'), of('A1', 'B'), of('A', ''), of('A', '7'), of('A', '٣')]).toEqual([
      ...[true, true, false, false, true],
    ]);
  });
});

describe('under strictness, the other end of the amount', () => {
  const of = (tel: string, eml = '') =>
    isUnambiguous({ oid: 'A1', inv: 'A1', tel, eml } as V3Values);

  it('may be followed by a whole number, by text that does not begin like one, or by nothing', () => {
    expect(
      ['0712345678', '254712345678', '+254712345678', '0712 345 678', '+44 20', ''].map((tel) =>
        of(tel, 'a@b.example'),
      ),
    ).toEqual([true, true, true, true, true, true]);
    expect([of(''), of('0712345678', '7@b.example')]).toEqual([true, true]);
  });

  it('cannot be followed by digits of the amount, so no customer pays a thousandth under the same hash', () => {
    expect([
      ...[of('0000712345678'), of('000254712345678'), of('.000712345678'), of('000')],
      ...[of('', '000a@b.example'), of('', '.00a@b.example')],
    ]).toEqual([false, false, false, false, false, false]);
  });

  it('cannot be followed by the rest of a number whose first digits went into the amount', () => {
    expect([of('712345678'), of(' 345 678'), of('-345-678')]).toEqual([false, false, false]);
  });

  it('allows at most one unambiguous way to cut an honest link into values', () => {
    const amount = fc.tuple(
      fc.integer({ min: 1, max: 250_000 }),
      fc.constantFrom('', '.00', '.50'),
    );
    const phone = fc.tuple(
      fc.constantFrom('07', '01', '2547', '+2541'),
      fc.stringMatching(/^[0-9]{8}$/),
    );
    const email = fc.constantFrom('', 'a@b.example', '7@b.example');
    fc.assert(
      fc.property(amount, phone, email, ([whole, decimals], [head, tail], eml) => {
        const [ttl, tel] = [`${whole}${decimals}`, head + tail];
        expect(of(tel, eml)).toBe(true);
        const text = ttl + tel;
        for (let end = 1; end <= text.length; end += 1) {
          const moved = text.slice(0, end);
          const minor = minorFromDecimal(moved);
          // An amount above the rail's maximum is refused for that reason.
          if (moved === ttl || minor === undefined || minor > 25_000_000n) continue;
          expect(of(text.slice(end), eml)).toBe(false);
          expect(of('', text.slice(end) + eml)).toBe(false);
        }
      }),
    );
  });
});

describe('a V4 link', () => {
  const [link] = vectors.v4_links;
  if (!link) throw new Error('no vectors');
  const query = `${link.query}&hash=${link.hash}`;

  it('opens with the hash of its maker and no other', () => {
    const values = readV4Link(query);
    if (!values.ok) throw new Error('it does not open');
    expect(isHashOf(query, values.value, vectors.v4_secret)).toBe(true);
    expect(isHashOf(query, values.value, 'another')).toBe(false);
    const other = query.replace('25000', '26000');
    expect(isHashOf(other, values.value, vectors.v4_secret)).toBe(false);
  });

  it.each(['account_no', 'amount_minor', 'reference', 'return_url', 'key_id', 'nonce', 'hash'])(
    'needs %s, once',
    (name) => {
      expect(faultOf(readV4Link(without(query, name)))).toEqual([
        'malformed_link',
        `${name} is missing`,
      ]);
      expect(faultOf(readV4Link(`${query}&${name}=`))?.[1]).toBe(`${name} is given twice`);
    },
  );

  it('has no other parameters', () => {
    expect(faultOf(readV4Link(`${query}&fbclid=1`))).toEqual([
      'malformed_link',
      'a parameter is unknown',
    ]);
  });

  const madeAt = 1_795_231_200;
  const at = (timestamp: string, nonce = 'n'.repeat(16)) =>
    linkEnd({ timestamp, nonce } as V4Values, madeAt * 1000);

  it('ends 15 minutes after its timestamp and begins at most five minutes early', () => {
    expect(at(`${madeAt}`)).toEqual({ ok: true, value: (madeAt + 900) * 1000 });
    expect(at(`${madeAt + 300}`)).toMatchObject({ ok: true });
    expect(at(`${madeAt + 301}`)).toMatchObject({ refusal: { code: 'early_link' } });
  });

  it.each(['', '-1', '1e9', '1795231200.0', '١٧٩٥٢٣١٢٠٠', '9'.repeat(13)])(
    'has no timestamp %s',
    (timestamp) => {
      expect(at(timestamp)).toMatchObject({ refusal: { code: 'malformed_link' } });
    },
  );

  it.each(['', 'short', 'x'.repeat(65), 'with space 123456', 'ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐ'])(
    'has no nonce %s',
    (nonce) => {
      expect(at(`${madeAt}`, nonce)).toMatchObject({ refusal: { code: 'malformed_link' } });
    },
  );
});

describe('a decimal amount', () => {
  it.each([
    ['250', 25_000n],
    ['250.5', 25_050n],
    ['250.00', 25_000n],
    ['0.01', 1n],
    ['0', 0n],
    ['9999999999999.99', 999_999_999_999_999n],
  ])('%s is %s minor units', (text, minor) => {
    expect(minorFromDecimal(text)).toBe(minor);
  });

  it.each([
    ...['', '1e3', '.5', '1.', '1.234', '01.00', '00', '-1', '+1', ' 1', '1 ', '1,000', '0x10'],
    ...['１２３', '٣', '1.٣', 'NaN', 'Infinity', '12345678901234', '1\n'],
  ])('%j is not one', (text) => {
    expect(minorFromDecimal(text)).toBeUndefined();
  });

  it('is the same after conversion from minor units to two decimals and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (minor) => {
        expect(minorFromDecimal(decimalFromMinor(minor))).toBe(minor);
      }),
    );
  });
});
