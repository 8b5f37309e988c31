import { formatMinor, parseMinor } from '#domain/kernel';

/** True for the fields that contain money, by name: `amountMinor`, `feeMinor`, `legs[].amountMinor` … */
const isAmount = (field: string): boolean => field.endsWith('Minor');

/**
 * Returns the value as the store keeps it: a bigint in a `…Minor` field, at any depth, becomes a decimal string.
 * @throws TypeError for a bigint anywhere else, which JSON cannot contain, and for an amount that is not a bigint
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
    if (isAmount(field)) stored[field] = amountToText(inner, path, field);
    else if (typeof inner === 'string' || typeof inner === 'number') stored[field] = inner;
    else stored[field] = amountsToText(inner, `${path}.${field}`);
  }
  return stored;
}

function amountToText(value: unknown, path: string, field: string): string {
  if (typeof value !== 'bigint')
    throw new TypeError(`${path}.${field} is an amount, but no bigint`);
  return formatMinor(value);
}

/**
 * Returns the value as code uses it: the decimal strings of all `…Minor` fields become bigint. The given value stays
 * unchanged, since an upcaster may have put shared parts into it.
 * @throws RangeError for an amount that is not canonical text
 */
export function textToAmounts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(textToAmounts);
  const read: Record<string, unknown> = {};
  for (const field of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[field];
    if (!isAmount(field)) read[field] = typeof inner === 'object' ? textToAmounts(inner) : inner;
    else if (typeof inner === 'string') read[field] = parseMinor(inner);
    else throw new RangeError(`stored field ${field} is an amount, but no text`);
  }
  return read;
}
