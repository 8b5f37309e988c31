import { type Language } from '#shared/http';
import { pagePolicy } from './style.js';

/**
 * Returns the headers of every page, in addition to those of every answer of the service (no-store, no-referrer,
 * nosniff).
 */
export function pageHeaders(language: Language): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': pagePolicy,
    // For browsers that do not know frame-ancestors.
    'X-Frame-Options': 'DENY',
  };
}
