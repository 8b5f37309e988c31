import { isLanguage, type Language, languages, preferredLanguage } from '#shared/http';
import { type FastifyRequest } from 'fastify';

/** The cookie with the chosen language. It has no other data, so it needs no binding. */
export const languageCookie = 'portal-language';

/** The chosen language, or else the browser's. */
export function languageOf({ headers }: FastifyRequest): Language {
  const chosen = new RegExp(
    `(?:^|;\\s*)(?:__Host-)?${languageCookie}=(${languages.join('|')})(?:;|$)`,
  );
  const [, language = ''] = chosen.exec(headers.cookie ?? '') ?? [];
  return isLanguage(language) ? language : preferredLanguage(headers['accept-language']);
}

/** The texts of an area in the viewer's language. */
export function inLanguage<Texts>(
  catalogue: Readonly<Record<Language, Texts>>,
  { language }: { readonly language: Language },
): Texts {
  return catalogue[language];
}
