import {
  constants,
  createHash,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { mask, type Padding, unpad } from './padding.js';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const message = Buffer.from('1234');

/** The block that a text decrypts to, with its padding. */
const blockOf = (encrypted: Buffer): Buffer =>
  privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted);

const blocks: Readonly<Record<Padding, () => Buffer>> = {
  pkcs1: () =>
    blockOf(publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, message)),
  oaep: () => blockOf(publicEncrypt({ key: publicKey, oaepHash: 'sha256' }, message)),
  // Node does not write this one: its two hashes differ.
  oaep_sha1: () => {
    const label = createHash('sha256').digest();
    const empty = Buffer.alloc(128 - 2 * label.length - 2 - message.length);
    const data = Buffer.concat([label, empty, Buffer.from([1]), message]);
    const xor = (left: Buffer, right: Buffer): Buffer =>
      Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
    const seed = randomBytes(label.length);
    const maskedData = xor(data, mask(seed, data.length, 'sha1'));
    const maskedSeed = xor(seed, mask(maskedData, seed.length, 'sha1'));
    return Buffer.concat([Buffer.from([0]), maskedSeed, maskedData]);
  },
};
const paddings = Object.keys(blocks) as Padding[];

describe.each(paddings)('a block with %s', (padding) => {
  it('gives its message, and has no other padding', () => {
    const block = blocks[padding]();
    for (const other of paddings)
      expect(unpad(block, other)?.toString()).toBe(other === padding ? '1234' : undefined);
  });
});

it.each([
  ['too short a filling', `0002${'11'.repeat(7)}00${'31'.repeat(118)}`],
  ['no end of its filling', `0002${'11'.repeat(126)}`],
  ['another first byte', `0102${'11'.repeat(10)}00${'31'.repeat(115)}`],
  ['another kind', `0001${'11'.repeat(10)}00${'31'.repeat(115)}`],
])('PKCS#1 with %s is none', (_name, hex) => {
  expect(unpad(Buffer.from(hex, 'hex'), 'pkcs1')).toBeUndefined();
});
