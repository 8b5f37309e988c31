/** International with or without a plus, or national: then 7 or 1 and eight digits. */
const mobile = /^(?:\+?254|0)([17][0-9]{8})$/;

/** @returns the number as the rail wants it, `254712345678`; undefined where the text is none of V3's forms */
export function phoneFromMobileNumber(text: string): string | undefined {
  const [, subscriber] = mobile.exec(text) ?? [];
  return subscriber === undefined ? undefined : `254${subscriber}`;
}
