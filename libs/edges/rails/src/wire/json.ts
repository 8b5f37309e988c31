/** If the text does not match, its only numbers are inside strings. */
const anyNumber = /[:[,]\s*-?\d/;
/** Matches strings as a whole, so that nothing inside one counts as a number. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses a JSON object of the rail; returns undefined if the text is none. Every number becomes its literal text:
 * amounts and dates of 14 digits are read digit by digit, never through floating point. A reviver would cost twice as
 * much.
 */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    let value: unknown = JSON.parse(text);
    if (anyNumber.test(text)) value = JSON.parse(text.replace(stringOrNumber, asString));
    return isObject(value) ? value : undefined;
  } catch {
    // The error's message would quote the text, which may contain a phone number.
    return undefined;
  }
}

function asString(token: string): string {
  return token.startsWith('"') ? token : `"${token}"`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the member's text (numbers are text already), or undefined if it is neither, or empty. */
export function textOf(
  object: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const value = Object.hasOwn(object, member) ? object[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const railId = /^[A-Za-z0-9_.:-]{1,100}$/;

/** Returns an id that the rail gave, if it has a form that we store and send back. */
export function railIdOf(
  object: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const text = textOf(object, member);
  return text !== undefined && railId.test(text) ? text : undefined;
}

/** A customer's name may have any encoding. It must not prevent the ASCII members beside it from being read. */
const utf8 = new TextDecoder();

/** Parses a JSON object in bytes; returns undefined if they contain none. */
export function parseBytes(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  return parseObject(utf8.decode(bytes));
}

/** Returns the member if it is an object. */
export function memberObject(
  object: Readonly<Record<string, unknown>> | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const member = object && Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(member) ? member : undefined;
}
