/** An amount of money in minor units of its currency (KES 250.00 is 25000n). */
export type Minor = bigint;

const minorText = /^-?(0|[1-9][0-9]*)$/;

/** True if the text is an amount in canonical form, as events hold it: no leading zeros, no plus, no spaces. */
export function isMinorText(text: string): boolean {
  return minorText.test(text) && text !== '-0';
}

/**
 * @throws RangeError if the text is not in canonical form, which is a defect, since only our own texts are read here
 */
export function parseMinor(text: string): Minor {
  if (!isMinorText(text))
    throw new RangeError(`not an amount in minor units: ${text.slice(0, 40)}`);
  return BigInt(text);
}

export function formatMinor(amount: Minor): string {
  return amount.toString();
}

const decimal = /^([0-9]{1,13})(?:\.([0-9]{1,2}))?$/;

/**
 * Converts a decimal amount to minor units, by text and never by floating point. Leading zeros are ignored (`01.00` is
 * `1.00`).
 * @returns undefined for any other text: a sign, an exponent, a third decimal, a digit that is not ASCII
 */
export function minorFromDecimal(text: string): Minor | undefined {
  const match = decimal.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  return BigInt(whole + decimals.padEnd(2, '0'));
}

/** Returns the amount with two decimals, exact at any size: `1234.50` for 123450, `-0.05` for −5. */
export function decimalFromMinor(minor: Minor): string {
  const [sign, absolute] = minor < 0n ? ['-', -minor] : ['', minor];
  const digits = absolute.toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** JSON text to insert as it is (TC39's "JSON.parse source text access", which TypeScript does not know yet). */
const withRawJson = JSON as typeof JSON & { rawJSON(text: string): object };

/** Returns JSON with each bigint as an integer of all its digits; `JSON.stringify` alone throws on one. */
export function writeJson(value: unknown): string {
  return JSON.stringify(writable(value));
}

/** Replaces bigints by raw JSON. A replacer function, called for each member, costs several times as much. */
function writable(value: unknown): unknown {
  if (typeof value === 'bigint') return withRawJson.rawJSON(value.toString());
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(writable);
  if ('toJSON' in value) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) {
    const member = copy[name];
    if (typeof member === 'bigint' || typeof member === 'object') copy[name] = writable(member);
  }
  return copy;
}
