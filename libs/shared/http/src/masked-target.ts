import { maskedDigits, redactText } from '#infra/runtime';

/** An escape of a printable ASCII character. */
const escape = /%([2-7][0-9a-f])/gi;
/** Nine digits or more, with up to three signs between two of them, since a phone number may be written in groups. */
const longNumber = /\d(?:(?:[\s+().,_-]|%[0-9a-f]{2}){0,3}\d){8,}/gi;
const maxLength = 300;

/**
 * Returns path and query in a form that may be stored: each number of nine digits or more is masked, because a phone
 * number without its prefix has nine. Longer texts are cut off.
 */
export function maskedTarget(target: string): string {
  const plain = target.replace(escape, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const masked = plain.replace(longNumber, (found) =>
    maskedDigits(found.replace(/%[0-9a-f]{2}/gi, '').replace(/\D/g, '')),
  );
  const safe = redactText(masked);
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe;
}
