import { maskPhone, parsePhone } from '#shared/signing';

/**
 * True if the text can be a code of ours. Customers may type anything as an account, even a phone number, so only such
 * codes are stored.
 */
export function isCode(text: string): boolean {
  return /^[A-Z0-9]{12}$/.test(text) && !/^(?:254|0)?[17]\d{8}$/.test(text);
}

const maskedNumber = /^(?:254|0) ?([17])\d{0,2} ?[*xX]{3,8} ?(\d{3})\b/;

/** Returns the mask of the number at the start, whatever its form: no number is stored (REC-12). */
export function partyOf(text: string): string | undefined {
  const trimmed = text.trim();
  const [first = ''] = trimmed.split(/[\s-]/, 1);
  const phone = parsePhone(first);
  if (phone !== undefined) return maskPhone(phone);
  const [, prefix = '', last = ''] = maskedNumber.exec(trimmed) ?? [];
  return prefix === '' ? undefined : maskPhone(`254${prefix}${last}`);
}

/** Returns the mask of a cell that contains only a number, which may lack its country code and have spaces. */
export function partyOfNumber(text: string): string | undefined {
  const bare = text.replace(/[\s+-]/g, '');
  return partyOf(/^[17](?:\d{8}|\d{0,2}[*xX]{3,8}\d{3})$/.test(bare) ? `254${bare}` : bare);
}
