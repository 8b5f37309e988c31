/** The languages of pages for people; the first is that of whoever prefers none of them. */
export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: string): text is Language {
  return languages.some((language) => language === text);
}

/** Browsers send a handful; what an untrusted sender makes up is not read to its end, as negotiator would. */
const maxRanges = 10;
const rangePattern = /^\s*([a-z]{1,8})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?$/i;

/** The language that an Accept-Language header prefers (RFC 9110 §12.5.4), by its primary subtag. */
export function preferredLanguage(header: string | undefined): Language {
  let best: Language = languages[0];
  let bestWeight = 0;
  for (const range of (header ?? '').split(',').slice(0, maxRanges)) {
    const [, tag = '', weightText = '1'] = rangePattern.exec(range) ?? [];
    const language = tag.toLowerCase();
    const weight = Number(weightText);
    if (!isLanguage(language) || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}
