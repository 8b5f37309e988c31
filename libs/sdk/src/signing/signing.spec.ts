import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64 } from '../bytes.js';
import { canonicalQuery, encodeQuery } from './canonical-query.js';
import { importPkcs8, readPkcs8Pem } from './private-key.js';
import { sign, stringToSign } from './sign-request.js';

interface Vectors {
  readonly private_key_pem: string;
  readonly public_key_pem: string;
  readonly vectors: readonly Readonly<Record<string, string>>[];
  readonly malformed_queries: readonly string[];
}

const file = JSON.parse(
  readFileSync(new URL('../../../shared/signing/vectors.json', import.meta.url), 'utf8'),
) as Vectors;

describe('the vectors that the service must match', () => {
  it.each(file.vectors.map((vector) => [vector['name'] ?? '', vector] as const))(
    '%s',
    async (_, vector) => {
      expect(canonicalQuery(vector['raw_query'] ?? '')).toBe(vector['canonical_query']);
      const text = await stringToSign({
        method: vector['method'] ?? '',
        rawPath: vector['raw_path'] ?? '',
        rawQuery: vector['raw_query'] ?? '',
        bodyBytes: fromBase64(vector['body_base64'] ?? ''),
        nonce: vector['nonce'] ?? '',
        timestamp: vector['timestamp'] ?? '',
      });
      expect(text).toBe(vector['string_to_sign']);
      const key = await importPkcs8(readPkcs8Pem(file.private_key_pem));
      expect(await sign(key, text)).toBe(vector['signature']);
    },
  );

  it.each(file.malformed_queries)('reject the query %s', (query) => {
    expect(() => canonicalQuery(query)).toThrow(URIError);
  });
});

describe('a canonical query', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed());
  const parameters = fc.array(fc.tuple(text, text), { maxLength: 8 });
  /** A second implementation of RFC 3986 and the order of bytes: byte by byte, over Buffers. */
  const reference = (list: readonly (readonly [string, string])[]): string => {
    const encode = (value: string): Buffer =>
      Buffer.concat(
        [...Buffer.from(value, 'utf8')].map((byte) =>
          /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
            ? Buffer.from([byte])
            : Buffer.from(`%${byte.toString(16).padStart(2, '0').toUpperCase()}`),
        ),
      );
    return list
      .map(([name, value]) => [encode(name), encode(value)] as const)
      .sort((a, b) => Buffer.compare(a[0], b[0]) || Buffer.compare(a[1], b[1]))
      .map(([name, value]) => `${name.toString()}=${value.toString()}`)
      .join('&');
  };

  it('equals a byte-by-byte reading of the rule', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        expect(encodeQuery(list)).toBe(reference(list));
      }),
    );
  });

  it('is identical to the query that the client sends', () => {
    fc.assert(
      fc.property(parameters, (list) => {
        const sent = new URL(`http://x/?${encodeQuery(list)}`).search.replace(/^\?/, '');
        expect(sent).toBe(encodeQuery(list));
        // Except for empty names with empty values, which no URL can express.
        expect(canonicalQuery(sent)).toBe(sent);
      }),
    );
  });
});

describe('a private key', () => {
  const pkcs1 = { type: 'pkcs1', format: 'pem' } as const;
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('is read from PKCS#8, with CRLF, or with \\n spelled out as in an environment variable', async () => {
    const pem = rsa.privateKey.export(pkcs8).toString();
    const bytes = readPkcs8Pem(pem);
    await expect(importPkcs8(bytes)).resolves.toMatchObject({ type: 'private' });
    expect(readPkcs8Pem(pem.replaceAll('\n', '\r\n'))).toEqual(bytes);
    expect(readPkcs8Pem(pem.replaceAll('\n', '\\n'))).toEqual(bytes);
    expect(readPkcs8Pem(pem.replaceAll('\n', '\\r\\n'))).toEqual(bytes);
  });

  const encrypted = { ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  it.each([
    ['PKCS#1', rsa.privateKey.export(pkcs1), 'openssl pkcs8 -topk8 -nocrypt'],
    ['an encrypted key', rsa.privateKey.export(encrypted), 'openssl pkcs8 -topk8 -nocrypt'],
    ['a public key', file.public_key_pem, 'is a public key'],
    ['a curve key', curve.privateKey.export({ type: 'sec1', format: 'pem' }), 'elliptic-curve'],
    ['a file name', './private.pem', 'openssl genpkey'],
    ['nothing', '', 'openssl genpkey'],
    ['damage', '-----BEGIN PRIVATE KEY-----\n#?#\n-----END PRIVATE KEY-----', 'no base64'],
  ])('is not %s, and the message says what to do', (_, pem, says) => {
    expect(() => readPkcs8Pem(pem.toString())).toThrow(says);
    expect(() => readPkcs8Pem(pem.toString())).toThrow(TypeError);
  });

  it.each([
    ['another kind of key', curve.privateKey],
    ['fewer than 2048 bits', small.privateKey],
  ])('is not one of %s', async (_, key) => {
    const bytes = readPkcs8Pem(key.export(pkcs8).toString());
    await expect(importPkcs8(bytes)).rejects.toThrow(/openssl genpkey/);
  });
});
