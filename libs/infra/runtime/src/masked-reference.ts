/** A Kenyan mobile number, with its prefix or without, that touches no other digit. */
const wholeNumber = /(?<!\d)((?:254|0)?[17])\d{5}(\d{3})(?!\d)/g;
/** Nine digits or more, with up to three of a reference's signs between two of them. */
const longNumber = /\d(?:[._:/~-]{0,3}\d){8,}/g;
/** The shortest form of a Kenyan mobile number. */
const shortestNumber = /[17]\d{8}/;

/** Digits without all but the first and the last three. */
export function maskedDigits(digits: string): string {
  return `${digits.slice(0, 1)}${'*'.repeat(digits.length - 4)}${digits.slice(-3)}`;
}

/**
 * Masks the digits of a reference that can contain a phone number (OPS-18). V3 accepts a customer's number as a
 * reference: alone, in groups, and between letters or other digits.
 */
export function maskedReference(reference: string): string {
  return reference.replace(wholeNumber, '$1*****$2').replace(longNumber, (found) => {
    const digits = found.replace(/\D/g, '');
    return shortestNumber.test(digits) ? maskedDigits(digits) : found;
  });
}
