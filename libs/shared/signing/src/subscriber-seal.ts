import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { sha256 } from './digest.js';

/** The part of a number that identifies a subscriber, `712345678`. */
const subscriber = /^[17][0-9]{8}$/;
const subscriberBytes = 9;
const blockBytes = 16;
const checkBytes = blockBytes - subscriberBytes;

/**
 * Hides a subscriber's nine digits in another party's identifier. Only the service can read them, and the same
 * identifier always gives the same text. One block is encrypted: the digits, and a digest of the rest of the
 * identifier. The digest shows if a text was made here, and keeps two identifiers of one subscriber apart.
 */
export class SubscriberSeal {
  /** @param key 32 bytes, made once and never rotated, because hidden identifiers must stay comparable */
  constructor(private readonly key: KeyObject) {}

  /** @param beside the rest of the identifier @returns 22 characters, base64url */
  seal(digits: string, beside: string): string {
    const cipher = createCipheriv('aes-256-ecb', this.key, null).setAutoPadding(false);
    const block = Buffer.concat([Buffer.from(digits, 'ascii'), checkOf(beside)]);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  }

  /** @returns the nine digits; undefined if the text was not made for them */
  open(sealed: string, beside: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length !== blockBytes || bytes.toString('base64url') !== sealed) return undefined;
    const decipher = createDecipheriv('aes-256-ecb', this.key, null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
    const digits = block.toString('ascii', 0, subscriberBytes);
    const isOurs = block.subarray(subscriberBytes).equals(checkOf(beside));
    return isOurs && subscriber.test(digits) ? digits : undefined;
  }
}

function checkOf(beside: string): Uint8Array {
  return sha256(beside).subarray(0, checkBytes);
}
