import { type FastifyRequest } from 'fastify';

/** Colour schemes that a person may choose: the system's own, or always one. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The cookie with the chosen scheme. It has no other data, so it needs no binding. */
export const themeCookie = 'portal-theme';

export function isTheme(text: string): text is Theme {
  return themes.some((theme) => theme === text);
}

const pattern = new RegExp(`(?:^|;\\s*)(?:__Host-)?${themeCookie}=(${themes.join('|')})(?:;|$)`);

/** The chosen scheme, or undefined if the person chose none. */
export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  const [, theme = ''] = pattern.exec(headers.cookie ?? '') ?? [];
  return isTheme(theme) ? theme : undefined;
}
