import { randomBytes } from 'node:crypto';

/**
 * A new reference for a form, so that sending the form twice asks once. It contains no word but its prefix, and no number
 * that could be a phone's.
 */
export function newReference(prefix: 'pay' | 'refund'): string {
  return `${prefix}-${randomBytes(9)
    .toString('base64url')
    .replace(/[^A-Za-z0-9]/g, '0')
    .toLowerCase()}`;
}
