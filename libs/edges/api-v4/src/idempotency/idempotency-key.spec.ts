import { describe, expect, it } from '@jest/globals';
import { parseIdempotencyKey } from './idempotency.js';

describe('an Idempotency-Key', () => {
  it.each([
    ['a', 'a'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"quoted"', 'quoted'],
    ['""inner""', '"inner"'],
    ['"', '"'],
    ['"half', '"half'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s is read as %s', (header, key) => {
    expect(parseIdempotencyKey(header)).toEqual({ ok: true, value: key });
  });

  it.each(['', '""', 'a b', 'a, b', 'a\tb', 'clé', 'x'.repeat(256), '\u007f'])(
    '%j is malformed',
    (header) => {
      expect(parseIdempotencyKey(header)).toEqual({
        ok: false,
        refusal: 'invalid_idempotency_key',
      });
    },
  );

  it('is missing if there is no header', () => {
    expect(parseIdempotencyKey(undefined)).toEqual({
      ok: false,
      refusal: 'missing_idempotency_key',
    });
  });
});
