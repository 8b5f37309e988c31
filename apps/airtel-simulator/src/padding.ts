import { createHash } from 'node:crypto';

export type Padding = 'pkcs1' | 'oaep' | 'oaep_sha1';

/** Removes the padding of a decrypted block. @returns undefined if the block does not have that padding */
export function unpad(block: Buffer, padding: Padding): Buffer | undefined {
  switch (padding) {
    case 'pkcs1':
      return unpadPkcs1(block);
    case 'oaep':
      return unpadOaep(block, 'sha256');
    case 'oaep_sha1':
      return unpadOaep(block, 'sha1');
  }
}

/** PKCS#1 v1.5 for encryption: 00 02, eight or more bytes that are not zero, 00, the message. */
function unpadPkcs1(block: Buffer): Buffer | undefined {
  const end = block.indexOf(0, 2);
  return block[0] === 0 && block[1] === 2 && end >= 10 ? block.subarray(end + 1) : undefined;
}

/** OAEP with SHA-256 and an empty label. The mask's hash is Java's SHA-1 unless its caller says otherwise. */
function unpadOaep(block: Buffer, maskHash: 'sha256' | 'sha1'): Buffer | undefined {
  const label = createHash('sha256').digest();
  const [maskedSeed, maskedData] = [
    block.subarray(1, 1 + label.length),
    block.subarray(1 + label.length),
  ];
  const seed = xor(maskedSeed, mask(maskedData, maskedSeed.length, maskHash));
  const data = xor(maskedData, mask(seed, maskedData.length, maskHash));
  const start = data.findIndex((byte, index) => index >= label.length && byte !== 0);
  const isPadded =
    block[0] === 0 && data.subarray(0, label.length).equals(label) && data[start] === 1;
  return isPadded ? data.subarray(start + 1) : undefined;
}

/** MGF1 of RFC 8017. */
export function mask(seed: Buffer, length: number, hash: 'sha256' | 'sha1'): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0; Buffer.concat(parts).length < length; counter += 1) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(counter);
    parts.push(createHash(hash).update(seed).update(bytes).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}
