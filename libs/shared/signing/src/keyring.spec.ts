import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  constantTimeEqual,
  Keyring,
  maskPhone,
  openEvidence,
  readToken,
  phoneHmac,
  sealEvidence,
  sealToken,
  UnopenableCiphertext,
} from './index.js';

const oldKey = { id: '2025', bytes: randomBytes(32) };
const newKey = { id: '2026', bytes: randomBytes(32) };
const before = Keyring.from([oldKey]);
const rotated = Keyring.from([newKey, oldKey]);

describe('a keyring', () => {
  it('opens what it sealed, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, aad) => {
        expect(before.open('a', before.seal('a', bytes, aad), aad)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('opens what the old key sealed after a rotation, and seals with the new key', () => {
    expect(rotated.open('a', before.seal('a', 'text')).toString()).toBe('text');
    expect(rotated.seal('a', 'text').keyId).toBe('2026');
    expect(() => before.open('a', rotated.seal('a', 'text'))).toThrow(UnopenableCiphertext);
  });

  it('opens nothing under another label or aad, or another key of the same id', () => {
    const sealed = before.seal('a', 'text', 'row 1');
    const impostor = Keyring.from([{ id: '2025', bytes: randomBytes(32) }]);
    expect(() => before.open('b', sealed, 'row 1')).toThrow(UnopenableCiphertext);
    expect(() => before.open('a', sealed, 'row 2')).toThrow(UnopenableCiphertext);
    expect(() => impostor.open('a', sealed, 'row 1')).toThrow(UnopenableCiphertext);
  });

  it('opens nothing that was cut or changed by a bit', () => {
    const sealed = before.seal('a', 'some text');
    const bytes = Buffer.from(sealed.ciphertext, 'base64');
    for (let index = 0; index < bytes.length; index += 1) {
      const damaged = Buffer.from(bytes);
      damaged[index] = (damaged[index] ?? 0) ^ 1;
      const ciphertext = damaged.toString('base64');
      expect(() => before.open('a', { ...sealed, ciphertext })).toThrow(UnopenableCiphertext);
      const cut = bytes.subarray(0, index).toString('base64');
      expect(() => before.open('a', { ...sealed, ciphertext: cut })).toThrow(UnopenableCiphertext);
    }
  });

  it('never seals the same text to the same bytes', () => {
    expect(before.seal('a', 'text')).not.toEqual(before.seal('a', 'text'));
  });

  it('names the key of a digest, which differs under another label or key', () => {
    expect(before.hmac('a', 'text')).toMatch(/^2025:[0-9a-f]{64}$/);
    expect(before.hmac('a', 'text')).toBe(before.hmac('a', 'text'));
    expect(before.hmac('b', 'text')).not.toBe(before.hmac('a', 'text'));
    expect(rotated.hmac('a', 'text')).not.toBe(before.hmac('a', 'text'));
  });

  it('recognises a digest under each of its master keys, whichever is first', () => {
    const data = Buffer.from('data');
    const digests = [before.hmac('a', data), rotated.hmac('a', data)];
    expect(digests.map((digest) => rotated.isHmac(digest, 'a', data))).toEqual([true, true]);
    expect(digests.map((digest) => before.isHmac(digest, 'a', data))).toEqual([true, false]);
    expect(digests.map((digest) => rotated.isHmac(digest, 'b', data))).toEqual([false, false]);
    const [digest = ''] = digests;
    for (const forged of ['', ':', digest.slice(0, -1), digest.replace('2025:', '2026:')])
      expect(rotated.isHmac(forged, 'a', data)).toBe(false);
  });

  it('is not created from nothing, from short keys or with a repeated id', () => {
    expect(() => Keyring.from([])).toThrow(RangeError);
    expect(() => Keyring.from([{ id: 'a', bytes: randomBytes(31) }])).toThrow(RangeError);
    expect(() => Keyring.from([oldKey, { ...newKey, id: '2025' }])).toThrow(RangeError);
  });
});

describe('sealed evidence', () => {
  const evidence = { method: 'POST', path: '/api/v4/collections', bodyDigest: 'ab'.repeat(32) };

  it('is bound by its commitment: SHA-256 of salt and evidence', () => {
    const sealed = sealEvidence(before, evidence);
    const { salt, json } = openEvidence(rotated, sealed);
    expect(salt).toHaveLength(32);
    expect(JSON.parse(json.toString())).toEqual(evidence);
    expect(createHash('sha256').update(salt).update(json).digest('hex')).toBe(sealed.commitment);
  });

  it('has a new commitment each time, so that no one can guess its contents', () => {
    expect(sealEvidence(before, evidence).commitment).not.toBe(
      sealEvidence(before, evidence).commitment,
    );
  });

  it('does not open with another commitment', () => {
    const { commitment } = sealEvidence(before, evidence);
    expect(() => openEvidence(before, { ...sealEvidence(before, evidence), commitment })).toThrow(
      RangeError,
    );
  });
});

describe('a callback token', () => {
  const stream = `collection-demo:0193f9a2-7c3e-7a11-8a55-0c6f3a3b2d11:${'r'.repeat(64)}`;

  it('opens to the stream it was sealed for, also after a rotation', () => {
    expect(readToken(before, sealToken(before, stream))).toEqual({ kind: 'stream', stream });
    expect(readToken(rotated, sealToken(before, stream))).toEqual({ kind: 'stream', stream });
  });

  it('is lower-case hex and short enough for any URL', () => {
    expect(sealToken(before, stream)).toMatch(/^[0-9a-f]+$/);
    expect(sealToken(before, 's'.repeat(140)).length).toBeLessThan(450);
  });

  it('does not open if any part of it was changed', () => {
    const token = sealToken(before, stream);
    for (let index = 0; index < token.length; index += 1) {
      const digit = token[index] === '0' ? '1' : '0';
      const changed = token.slice(0, index) + digit + token.slice(index + 1);
      expect(readToken(before, changed).kind).not.toBe('stream');
    }
  });

  it.each(['', '0', 'zz', '01', '0104', 'AB'.repeat(60), '01ff'.repeat(30), 'ab'.repeat(2000)])(
    'is not %s',
    (text) => {
      expect(readToken(before, text).kind).not.toBe('stream');
    },
  );

  it('is not what was sealed for another purpose', () => {
    const { ciphertext } = before.seal('evidence', stream);
    const head = Buffer.concat([Buffer.from([1, 4]), Buffer.from('2025')]);
    const forged = Buffer.concat([head, Buffer.from(ciphertext, 'base64')]).toString('hex');
    expect(readToken(before, forged).kind).not.toBe('stream');
  });
});

describe('a phone number', () => {
  it('is shown masked', () => {
    expect(maskPhone('254712345678')).toBe('2547*****678');
  });

  it('has one digest per key', () => {
    const key = createSecretKey(randomBytes(32));
    expect(phoneHmac(key, '254712345678')).toBe(phoneHmac(key, '254712345678'));
    expect(phoneHmac(key, '254712345678')).not.toBe(phoneHmac(key, '254712345679'));
    expect(phoneHmac(createSecretKey(randomBytes(32)), '254712345678')).not.toBe(
      phoneHmac(key, '254712345678'),
    );
  });
});

describe('constant-time comparison', () => {
  it('distinguishes equal from unequal values of any length', () => {
    expect(constantTimeEqual('secret', 'secret')).toBe(true);
    expect(constantTimeEqual('secret', 'secres')).toBe(false);
    expect(constantTimeEqual('secret', 'secret ')).toBe(false);
    expect(constantTimeEqual('', 'x')).toBe(false);
  });
});
