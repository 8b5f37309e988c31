import { parsePhone } from '#shared/signing';

/** The separators between digits that people write: spaces, dots, dashes or brackets. */
const separators = /[\s().-]/g;

/** @returns the number as the rail needs it, `254712345678`; undefined if it is not a Kenyan mobile number */
export function parseTypedPhone(text: string): string | undefined {
  return parsePhone(text.replace(separators, ''));
}

/** Returns the number as Kenyans write it, `0712345678`; empty if the text is no number. */
export function nationalPhone(text: string): string {
  const phone = parseTypedPhone(text);
  return phone === undefined ? '' : `0${phone.slice(3)}`;
}
