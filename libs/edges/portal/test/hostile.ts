import { expect } from '@jest/globals';

/**
 * What others may call themselves and their things: the end of an attribute, markup, the braces of a template, an
 * address that runs, a mark that turns around what follows, a null character, and more than anybody reads.
 */
export const hostile = `"><script>alert('x')</script><img src=x onerror='x'>{{1}}\u202e\0javascript:alert(1)${'&amp;'.repeat(13_000)}`;

/** As our pages write their tags: each attribute's value in double quotes. */
const tag = /<!doctype html>|<\/?[a-z][a-z0-9]*(?:\s+[a-z0-9-]+(?:="[^"<>]*")?)*\s*\/?>/gi;
const attribute = /\s([a-z0-9-]+)="([^"]*)"/gi;
const addresses = new Set(['href', 'src', 'action', 'hx-get']);

/** Nothing of a page is markup but what is ours, and each of its addresses is one of ours. */
export function expectOursAlone(text: string): void {
  expect(text.replace(tag, '')).not.toContain('<');
  for (const [whole] of text.matchAll(tag)) {
    expect(whole).not.toMatch(/^<(?:img|iframe|object|embed|base|script>)/i);
    for (const [, name = '', value = ''] of whole.matchAll(attribute)) {
      expect(name).not.toMatch(/^(?:on.*|style|srcdoc|formaction)$/i);
      if (addresses.has(name)) expect(value).toMatch(/^(?:\/(?!\/)|#|data:,$)/);
    }
  }
}
