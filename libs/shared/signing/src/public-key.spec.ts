import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parsePublicKey } from './index.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('a public key', () => {
  it('has one fingerprint in every spelling', () => {
    const spki = parsePublicKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const pkcs1 = parsePublicKey(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString());
    expect(spki.ok && spki.value.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(pkcs1.ok && pkcs1.value.fingerprint).toBe(spki.ok && spki.value.fingerprint);
  });

  it('is rejected if it has fewer than 2048 bits', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 2040 });
    const pem = small.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(parsePublicKey(pem)).toEqual({ ok: false, refusal: 'rsa_key_too_small' });
  });

  it.each([
    ['a private key', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    [
      'a key of another algorithm',
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
    ['text', 'ssh-rsa AAAAB3Nza'],
    ['a damaged PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
  ])('is not read from %s', (_, pem) => {
    expect(parsePublicKey(pem)).toEqual({ ok: false, refusal: 'not_an_rsa_public_key' });
  });
});
