import { type Language } from '#shared/http';
import { pagePolicy } from './style.js';

/** Of every page, beside what every answer of the service has (no-store, no-referrer, nosniff). */
export function pageHeaders(language: Language): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': pagePolicy,
    // For browsers that do not know frame-ancestors.
    'X-Frame-Options': 'DENY',
  };
}
