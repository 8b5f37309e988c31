import { type Language } from '#shared/http';

const days = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
const formats: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  en: new Intl.DateTimeFormat('en-GB', days),
  sw: new Intl.DateTimeFormat('sw-KE', days),
};

/** A day (`YYYY-MM-DD`) as an axis shows it: `25 Nov`. */
export function dayLabel(day: string, language: Language): string {
  return formats[language].format(new Date(`${day}T00:00:00Z`));
}
