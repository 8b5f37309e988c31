import { decimalFromMinor, type Instant, type Minor, msFromInstant } from '#domain/kernel';
import { type Language } from './language.js';

/** An amount as people read it, `KES 1,250.00`; the same in both languages. The space does not break. */
export function shownAmount(currency: string, minor: Minor): string {
  return `${currency}\u00a0${decimalFromMinor(minor).replace(/\B(?=(?:\d{3})+(?=\.))/g, ',')}`;
}

/** The zone of M-Pesa's own receipts. */
const timeZone = 'Africa/Nairobi';
const locales = { en: 'en-KE', sw: 'sw-KE' } as const satisfies Record<Language, string>;

/** An instant as people in Kenya write it. */
export function shownTime(language: Language, instant: Instant): string {
  const format = new Intl.DateTimeFormat(locales[language], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  return format.format(msFromInstant(instant));
}
