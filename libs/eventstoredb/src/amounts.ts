import { formatMinor, parseMinor } from '#kernel';

/** The fields that hold money, by the rule of names: `amountMinor`, `feeMinor`, `legs[].amountMinor` … */
const isAmount = (field: string): boolean => field.endsWith('Minor');

/**
 * The value as the store keeps it: a bigint in a `…Minor` field, at any depth, becomes a decimal string.
 * @throws TypeError for a bigint anywhere else (the client would never settle such an append) and for an
 * amount that is no bigint
 */
export function amountsToText(value: unknown, path: string): unknown {
  if (typeof value === 'bigint')
    throw new TypeError(`${path} is a bigint, but its name does not end in Minor`);
  if (Array.isArray(value))
    return value.map((item, index) => amountsToText(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  const stored: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    stored[field] = isAmount(field)
      ? amountToText(inner, `${path}.${field}`)
      : amountsToText(inner, `${path}.${field}`);
  }
  return stored;
}

function amountToText(value: unknown, path: string): string {
  if (typeof value !== 'bigint') throw new TypeError(`${path} is an amount, but no bigint`);
  return formatMinor(value);
}

/**
 * Turns the decimal strings of all `…Minor` fields into bigint, in place: the value was just parsed for us.
 * @throws RangeError for an amount that is not canonical text
 */
export function textToAmounts(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) textToAmounts(item);
  } else if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    for (const [field, inner] of Object.entries(record)) {
      if (!isAmount(field)) textToAmounts(inner);
      else if (typeof inner === 'string') record[field] = parseMinor(inner);
      else throw new RangeError(`stored field ${field} is an amount, but no text`);
    }
  }
}
