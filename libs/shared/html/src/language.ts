/** The languages of pages for people. The first is used if a reader prefers none of them. */
export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: string): text is Language {
  return languages.some((language) => language === text);
}

/** Browsers send only a few. Longer headers of an untrusted sender are not read to the end, as negotiator would do. */
const maxRanges = 10;
const rangePattern = /^\s*([a-z]{1,8})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?$/i;

/** Returns the language that an Accept-Language header prefers (RFC 9110 §12.5.4), by its primary subtag. */
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
