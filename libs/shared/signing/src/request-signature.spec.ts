import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalQuery,
  parseQuery,
  parsePublicKey,
  signV4,
  stringToSign,
  verifyV4,
} from './index.js';

interface Vectors {
  readonly public_key_pem: string;
  readonly private_key_pem: string;
  readonly vectors: readonly Record<string, string>[];
  readonly malformed_queries: readonly string[];
}

const file = JSON.parse(
  readFileSync(new URL('../vectors.json', import.meta.url), 'utf8'),
) as Vectors;
const privateKey = createPrivateKey(file.private_key_pem);
const publicKey = keyOf(file.public_key_pem);

describe('the vectors', () => {
  it('are at least twenty', () => {
    expect(file.vectors.length).toBeGreaterThanOrEqual(20);
  });

  it.each(file.vectors.map((vector) => [vector['name'] ?? '', vector] as const))(
    '%s',
    (_, vector) => {
      const request = requestOf(vector);
      expect(canonicalQuery(request.rawQuery)).toEqual({
        ok: true,
        value: vector['canonical_query'],
      });
      expect(stringToSign(request)).toEqual({ ok: true, value: vector['string_to_sign'] });
      expect(signV4(privateKey, vector['string_to_sign'] ?? '')).toBe(vector['signature']);
      expect(verifyV4(publicKey, vector['string_to_sign'] ?? '', vector['signature'] ?? '')).toBe(
        true,
      );
    },
  );

  it.each(file.malformed_queries)('reject the query %s', (query) => {
    expect(canonicalQuery(query)).toEqual({ ok: false, refusal: 'malformed_query' });
  });
});

describe('a signature', () => {
  const vector = file.vectors[0] ?? {};
  const request = requestOf(vector);
  const signature = vector['signature'] ?? '';

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { rawPath: '/api/v4/payouts' }],
    ['query', { rawQuery: 'limit=1' }],
    ['body', { bodyBytes: Buffer.from('{}') }],
    ['nonce', { nonce: 'another-nonce-12' }],
    ['timestamp', { timestamp: '1767225601' }],
  ])('does not verify over another %s', (_, change) => {
    expect(verifyV4(publicKey, textOf({ ...request, ...change }), signature)).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['text that is no base64', 'not base64!'],
    ['unpadded base64', signature.replace(/=+$/, '')],
    ['base64url', signature.replaceAll('+', '-').replaceAll('/', '_')],
    ['white space inside', `${signature.slice(0, 40)} ${signature.slice(40)}`],
    ['a trailing line feed', `${signature}\n`],
    ['a shorter signature', Buffer.from(signature, 'base64').subarray(1).toString('base64')],
  ])('is not read from %s', (_, text) => {
    expect(verifyV4(publicKey, textOf(request), text)).toBe(false);
  });

  it('is not read from a spelling whose last bits differ', () => {
    expect(signature.endsWith('==')).toBe(true);
    const last = signature.charAt(signature.length - 3);
    const twin = String.fromCharCode(last.charCodeAt(0) + 1);
    expect(verifyV4(publicKey, textOf(request), `${signature.slice(0, -3)}${twin}==`)).toBe(false);
  });
});

describe('the canonical query', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed());
  const parameters = fc.array(fc.tuple(text, text), { maxLength: 8 });
  const encode = (list: readonly (readonly [string, string])[]) =>
    list
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');

  it('is unchanged if computed from a canonical query', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        const once = valueOf(canonicalQuery(encode(list)));
        expect(canonicalQuery(once)).toEqual({ ok: true, value: once });
      }),
    );
  });

  it('does not depend on the order of the parameters', () => {
    const shuffled = parameters.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(canonicalQuery(encode(other))).toEqual(canonicalQuery(encode(list)));
      }),
    );
  });

  it('keeps every parameter', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        const canonical = valueOf(canonicalQuery(encode(list)));
        const sorted = (pairs: readonly (readonly [string, string])[]) =>
          pairs.map((pair) => JSON.stringify(pair)).sort();
        expect(sorted(valueOf(parseQuery(canonical)))).toEqual(sorted(list));
      }),
    );
  });

  it('differs if the parameters differ', () => {
    fc.assert(
      fc.property(parameters, text, (list, value) => {
        const more = encode([...list, ['extra', value]]);
        expect(canonicalQuery(more)).not.toEqual(canonicalQuery(encode(list)));
      }),
    );
  });

  it('contains only unreserved characters, escapes and its own separators', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        expect(valueOf(canonicalQuery(encode(list)))).toMatch(
          /^(?:[A-Za-z0-9._~=&-]|%[0-9A-F]{2})*$/,
        );
      }),
    );
  });

  it('returns a result for any text and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        expect(typeof canonicalQuery(query).ok).toBe('boolean');
      }),
    );
  });
});

function requestOf(vector: Record<string, string>) {
  return {
    method: vector['method'] ?? '',
    rawPath: vector['raw_path'] ?? '',
    rawQuery: vector['raw_query'] ?? '',
    bodyBytes: Buffer.from(vector['body_base64'] ?? '', 'base64'),
    nonce: vector['nonce'] ?? '',
    timestamp: vector['timestamp'] ?? '',
  };
}

function textOf(request: ReturnType<typeof requestOf>): string {
  return valueOf(stringToSign(request));
}

function valueOf<Value>(result: { ok: true; value: Value } | { ok: false }): Value {
  if (!result.ok) throw new Error('refused');
  return result.value;
}

function keyOf(pem: string): KeyObject {
  return valueOf(parsePublicKey(pem)).key;
}
