import { parsePhone } from '#shared/signing';

/** As people write it: with spaces, dots, dashes or brackets between the digits. */
const separators = /[\s().-]/g;

/** @returns the number as the rail wants it, `254712345678`; undefined where it is no Kenyan mobile number */
export function parseTypedPhone(text: string): string | undefined {
  return parsePhone(text.replace(separators, ''));
}

/** As Kenyans write it, `0712345678`; empty where the text is no number. */
export function nationalPhone(text: string): string {
  const phone = parseTypedPhone(text);
  return phone === undefined ? '' : `0${phone.slice(3)}`;
}
