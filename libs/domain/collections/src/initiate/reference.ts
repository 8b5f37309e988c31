/** A reference of a new collection (COL-7). `~` is reserved for further attempts on the checkout page. */
export const referencePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/**
 * A reference of an existing collection: a further attempt on the checkout page ends in its number. A payment without a
 * push has the rail's name and the receipt (C2B-3).
 */
export const listedReferencePattern =
  /^(?:[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}(?:~[2-4])?|[a-z0-9-]{1,31}~[A-Z0-9]{4,32})$/;

/** The digits without the country code, which every notation of a number ends in. */
const subscriberDigits = 9;

/**
 * True if a reference contains the customer's own number, in any notation. A reference is part of a stream's name, so a
 * number in it could never be erased.
 * @param phone `254` and nine digits
 */
export function referenceHoldsPhone(reference: string, phone: string): boolean {
  return reference.includes(phone.slice(-subscriberDigits));
}

/** Returns the numbers that a reference could contain, as `254` and nine digits. */
export function numbersIn(reference: string): readonly string[] {
  return Array.from(reference.matchAll(/(?=(\d{9}))/g), ([, digits = '']) => `254${digits}`);
}

/** Like `referenceHoldsPhone`, for a set of numbers. The cost for a reference does not grow with the set. */
export function anyPhoneIn(phones: readonly string[]): (reference: string) => boolean {
  const endings = new Set(phones.map((phone) => phone.slice(-subscriberDigits)));
  return (reference) => {
    for (let at = 0; at + subscriberDigits <= reference.length; at += 1)
      if (endings.has(reference.slice(at, at + subscriberDigits))) return true;
    return false;
  };
}
