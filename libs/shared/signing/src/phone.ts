import { type KeyObject } from 'node:crypto';
import { hmacSha256Hex } from './digest.js';

/** National, or international with or without the plus; then 7 or 1 and eight digits. */
const kenyanMobile = /^(?:\+?254|0)([17][0-9]{8})$/;

/** @returns the number as the rail needs it, `254712345678`; undefined if the text is not a Kenyan mobile number */
export function parsePhone(text: string): string | undefined {
  const [, subscriber] = kenyanMobile.exec(text) ?? [];
  return subscriber === undefined ? undefined : `254${subscriber}`;
}

/**
 * Returns the value that events contain instead of a phone number. The same number gives the same value, so it can be
 * searched for.
 * @param key the service's phone key, made once, stored in the records, never rotated
 * @param phone international digits, `2547XXXXXXXX`
 * @returns lower-case hex HMAC-SHA256
 */
export function phoneHmac(key: KeyObject, phone: string): string {
  return hmacSha256Hex(key, phone);
}

/** @returns the form that people may see: `2547*****678` of `254712345678` */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}*****${phone.slice(-3)}`;
}
