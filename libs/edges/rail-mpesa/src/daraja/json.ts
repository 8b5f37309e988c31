/** Where it stands nowhere, there is no number but in a string. */
const anyNumber = /[:[,]\s*-?\d/;
/** Strings whole, so that nothing inside one is taken for a number. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A JSON object of the rail, or undefined where the text is none. Every number is given as its literal text: amounts and
 * dates of 14 digits are read digit by digit, never through floating point. A reviver would cost twice as much.
 */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    let value: unknown = JSON.parse(text);
    if (anyNumber.test(text)) value = JSON.parse(text.replace(stringOrNumber, asString));
    return isObject(value) ? value : undefined;
  } catch {
    // The message would quote the text, which may hold a phone number.
    return undefined;
  }
}

function asString(token: string): string {
  return token.startsWith('"') ? token : `"${token}"`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member's text; numbers are text already. Undefined where it is neither, or empty. */
export function textOf(
  object: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const value = Object.hasOwn(object, member) ? object[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What the gateway before Daraja says in words of its own where it turned a request away, by Daraja's code for it. */
const gatewayFaults: Readonly<Record<string, string>> = {
  'policies.ratelimit.SpikeArrestViolation': '500.003.02',
  'policies.ratelimit.QuotaViolation': '500.003.03',
};

/** As Daraja writes its codes; a firewall's JSON has words of its own. */
const errorCodePattern = /^\d{3}\.\d{3}\.\d{1,4}$/;

/** The `errorCode` of an answer that is one of Daraja's own errors, or of its gateway's. */
export function errorCodeIn(answer: Readonly<Record<string, unknown>>): string | undefined {
  const fault = textOf(memberObject(memberObject(answer, 'fault'), 'detail') ?? {}, 'errorcode');
  const ofGateway =
    fault !== undefined && Object.hasOwn(gatewayFaults, fault) ? gatewayFaults[fault] : undefined;
  const ofDaraja = textOf(answer, 'errorCode');
  return ofDaraja !== undefined && errorCodePattern.test(ofDaraja) ? ofDaraja : ofGateway;
}

/** The same of an answer's text. */
export function errorCodeOf(body: string): string | undefined {
  const answer = parseObject(body);
  return answer && errorCodeIn(answer);
}

const railId = /^[A-Za-z0-9_.:-]{1,100}$/;

/** An id that the rail gave: what we are willing to keep and to send back. */
export function railIdOf(
  object: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const text = textOf(object, member);
  return text !== undefined && railId.test(text) ? text : undefined;
}

/** A customer's name may come in whatever encoding: it must not keep what stands beside it, in ASCII, from being read. */
const utf8 = new TextDecoder();

/** A JSON object in bytes; undefined where they hold none. */
export function parseBytes(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  return parseObject(utf8.decode(bytes));
}

/** The member where it is an object. */
export function memberObject(
  object: Readonly<Record<string, unknown>> | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const member = object && Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(member) ? member : undefined;
}
