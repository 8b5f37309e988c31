import { types } from 'node:util';
import { isError } from './is-error.js';

/** Names under which secrets and personal data travel; a log line never holds their values. */
const secretName =
  /^(authorization|cookie|set-cookie|password|passwd|passkey|securitycredential|phone|phonenumber|msisdn|mobilenumber|tel|partya|partyb|body|rawbody|x-pp-signature|signature|hsh|hash|nonce|x-pp-nonce|access_?token|client_?secret|consumer_?(key|secret)|private_?key(_?pem)?|master_?keys?|checkout_?secret|webhook_?secret|secret|token|databaseurl|redisurl|eventstoreurl)$/i;

/** A Kenyan mobile number in any of the forms that people write. */
const phoneNumber = /(?<![0-9A-Za-z])\+?(254|0)([17])\d{5}(\d{3})(?![0-9A-Za-z])/g;
/** The password of a URL. */
const urlPassword = /(\/\/[^/\s:@]*:)[^/\s@]+@/g;

const redacted = '[redacted]';
const deepest = 6;

/** The text without phone numbers and passwords of URLs. */
export function redactText(text: string): string {
  return text.replace(phoneNumber, '$1$2*****$3').replace(urlPassword, `$1${redacted}@`);
}

/**
 * What may be written to a log in the place of `value`: members with a secret's name are replaced, phone
 * numbers in texts masked, errors written out with their causes, bytes and depths left out.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return redactText(value.toString());
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && redactText(String(value)) !== String(value)
      ? redacted
      : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[deep]';
  if (isError(value)) return redactError(value, depth);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  if (types.isMap(value) || types.isSet(value)) return `[${value.size} entries]`;
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value))
    result[name] = secretName.test(name) ? redacted : redact(inner, depth + 1);
  return result;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const own = Object.fromEntries(
    Object.entries(error).filter(
      // `detail`, `parameters` and the like of a driver's error repeat the values of a row.
      ([name]) => ['code', 'dependency', 'constraint', 'table', 'problems'].includes(name),
    ),
  );
  return {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...(redact(own, depth + 1) as object),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
    ...('errors' in error ? { errors: redact(error.errors, depth + 1) } : {}),
  };
}
