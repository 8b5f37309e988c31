import { ok, refuse, type Result } from '#domain/kernel';

/** The limit of SMTP (RFC 5321, section 4.5.3.1.3, without the brackets). */
export const maxAddressLength = 254;

const word = `[A-Za-z0-9_+'-]+`;
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** One plain address. Quoted names, comments and lists could become another header or receiver in a mail. */
const address = new RegExp(
  String.raw`^(?=[^@]{1,64}@)${word}(?:\.${word})*@(?:${label}\.)+[A-Za-z]{2,63}$`,
);

export type AddressWrong = 'no_address' | 'address_too_long';

/** Reads the optional address for failures. @returns undefined if it is empty */
export function readFailureAddress(text: string): Result<string | undefined, AddressWrong> {
  if (text === '') return ok(undefined);
  if (text.length > maxAddressLength) return refuse('address_too_long');
  return address.test(text) ? ok(text) : refuse('no_address');
}
