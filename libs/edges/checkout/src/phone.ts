/** As people write it: with spaces, dots, dashes or brackets between the digits. */
const separators = /[\s().-]/g;
/** National, or international with or without the plus; then 7 or 1 and eight digits. */
const kenyanMobile = /^(?:\+?254|0)([17][0-9]{8})$/;

/** @returns the number as the rail wants it, `254712345678`; undefined where it is no Kenyan mobile number */
export function parsePhone(text: string): string | undefined {
  const [, subscriber] = kenyanMobile.exec(text.replace(separators, '')) ?? [];
  return subscriber === undefined ? undefined : `254${subscriber}`;
}

/** As Kenyans write it, `0712345678`; empty where the text is no number. */
export function nationalPhone(text: string): string {
  const phone = parsePhone(text);
  return phone === undefined ? '' : `0${phone.slice(3)}`;
}
