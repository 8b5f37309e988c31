import fc from 'fast-check';

/** Texts that break parsers, prototypes, dates, numbers, databases and logs, in addition to random ones. */
const nasty = [
  ...['', ' ', '0', '-1', '1e400', '-0', 'NaN', 'null', 'true', '9'.repeat(400), '0x10', '1_000'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$where', '{{7*7}}'],
  ...["' or 1=1 --", '"; drop table x', '%00', '%', '%zz', '%C3%28', '%F0%9F%92%B8', '+', '%2B'],
  ...[
    '../../etc/passwd',
    '..%2f..%2f',
    '<script>',
    '\u0000',
    '\u202e',
    '\ud800',
    'é',
    '💸',
    '\r\n',
  ],
  ...['a'.repeat(5000), '=,;'.repeat(500), '"'.repeat(300), '\\'.repeat(300), '&'.repeat(300)],
  ...['2026-02-30', '0000-00-00', '9999-12-31', '275760-09-13', 'AQ', 'AAAAAAAAAAAAAAAAAAAAAA'],
];

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Header values without control characters and without characters above Latin-1, which no client could send. */
export const hostileHeader = hostileText.map((text) =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 6000),
);

const hostileNumber = fc.constantFrom(
  ...['-1', '0', '0.5', '1e5', '1e400', '-1e400', '9007199254740993', '100.00', '1E2', '-0'],
  ...['25000001', '9'.repeat(400), '0.1e-400', '10000'],
);

/** A JSON value as text, in a form that no serializer would write. */
const hostileJson: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  hostileNumber,
  fc.constantFrom('null', 'true', '{}', '[]', '[[[]]]', '{"__proto__":{"x":1}}', '"\\ud800"'),
  fc.integer({ min: 1, max: 5000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)),
  fc.json({ maxDepth: 4 }),
);

const fieldNames = ['account_no', 'phone', 'amount_minor', 'currency', 'channel', 'reference'];

/** A valid body except for some members, which are replaced, repeated, missing, or unknown. */
const spoiltBody = (right: Readonly<Record<string, unknown>>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...fieldNames) },
          { weight: 1, arbitrary: hostileText },
        ),
        fc.oneof({ weight: 6, arbitrary: hostileJson }, fc.constant(undefined)),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((spoilt) => {
      const gone = new Set(spoilt.filter(([, to]) => to === undefined).map(([name]) => name));
      const members = Object.entries(right)
        .filter(([name]) => !gone.has(name))
        .map(([name, value]) => [name, JSON.stringify(value)] as const);
      const all = [...members, ...spoilt.filter(([, to]) => to !== undefined)];
      return `{${all.map(([name, to]) => `${JSON.stringify(name)}:${String(to)}`).join(',')}}`;
    });

export const hostileBody = (right: Readonly<Record<string, unknown>>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 8, arbitrary: spoiltBody(right).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: hostileJson.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        Buffer.from('\ufeff{}'),
        Buffer.from('{"a":1}', 'utf16le'),
        Buffer.from([0x7b, 0xc3, 0x28, 0x7d]),
        Buffer.alloc(65_536, '['),
        Buffer.alloc(65_537, ' '),
        Buffer.from(`{${'"a":1,'.repeat(8000)}"b":1}`),
      ),
    },
  );

const parameterNames = ['type', 'status', 'from', 'to', 'limit', 'cursor', 'date_field'];
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

/** The part after the question mark: known names with values of all kinds, unknown names, repeats, broken escapes. */
export const hostileQuery: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...parameterNames) },
        { weight: 1, arbitrary: hostileText.map(encode) },
      ),
      fc.oneof(
        { weight: 3, arbitrary: hostileText.map(encode) },
        fc.constantFrom('%', '%zz', '%C3', '+', '1', '2026-11-21', 'pending', 'collection', '100'),
      ),
      fc.constantFrom('=', '=', '=', '', '==', '%3D'),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    pairs
      .map((pair) => `${pair[0]}${pair[2]}${pair[1]}`)
      .join('&')
      .slice(0, 8000),
  );

export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  hostileText.map(encode),
  fc.constantFrom('%', '%zz', '%00', '.', '..', '%2e%2e', 'INV-1', 'a%2Fb', ';a=b', 'a;b', '*'),
);

export const headerNames = [
  ...['authorization', 'x-pp-signature', 'x-pp-nonce', 'x-pp-timestamp', 'idempotency-key'],
  ...['content-type', 'x-forwarded-for', 'x-request-id', 'x-pp-min-position', 'accept', 'expect'],
  ...['if-none-match', 'range', 'cookie', 'x-http-method-override', 'content-encoding', 'te'],
  ...['__proto__', 'constructor', 'forwarded', 'host', 'accept-encoding', 'upgrade', 'origin'],
];
