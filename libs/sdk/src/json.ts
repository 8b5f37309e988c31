/**
 * Parses JSON in which members named `…_minor` are amounts: integers, read as bigint, exact at any size (SDK-13).
 * Runtimes that pass the number's own digits to a reviver (`context.source`: Node 21, Deno 1.33, …) use those. For
 * others, including Node 20, the long digits of such a member are put into quotes before parsing.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  return JSON.parse(showsSource ? text : quoteLongAmounts(text), amountAsBigint);
}

const showsSource = (() => {
  let shown = false;
  const look = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    shown = context?.source === '1';
    return value;
  };
  JSON.parse('1', look);
  return shown;
})();

function amountAsBigint(
  key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (!key.endsWith('_minor')) return value;
  const digits = typeof value === 'number' ? (context?.source ?? value.toString()) : value;
  return typeof digits === 'string' && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

/** Fifteen digits are always exact as a number. */
const stringsAndLongAmounts =
  /("(?:[^"\\]|\\.)*")(\s*:\s*)(-?\d{16,})(?![\d.eE])|"(?:[^"\\]|\\.)*"/g;

/**
 * Quotes long amounts. Each match begins at the next string token, so that text inside a string never counts as a
 * member.
 */
export function quoteLongAmounts(text: string): string {
  // A text that is not JSON must not cost more than this parse.
  JSON.parse(text);
  return text.replace(
    stringsAndLongAmounts,
    (all: string, name?: string, colon?: string, digits?: string) =>
      name?.endsWith('_minor"') === true ? `${name}${colon ?? ''}"${digits ?? ''}"` : all,
  );
}

/** Returns an amount as JSON's digits. @throws RangeError if it is no integer, or a number that is not exact */
export function amountDigits(name: string, amount: number | bigint): string {
  if (typeof amount === 'bigint') return amount.toString();
  if (Number.isSafeInteger(amount)) return amount.toString();
  throw new RangeError(
    `${name} must be an integer in minor units (KES 250.00 is 25000); above 2^53 - 1 pass a bigint`,
  );
}
