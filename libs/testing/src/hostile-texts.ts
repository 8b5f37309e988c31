/**
 * A text that others may use as a name: it ends an attribute, and contains markup, a template's braces, an address that
 * runs code, a mark that reverses the following text, a null character, and more text than anybody reads.
 */
export const hostile = `"><script>alert('x')</script><img src=x onerror='x'>{{1}}\u202e\0javascript:alert(1)${'&amp;'.repeat(13_000)}`;

/** The form in which our pages write their tags: each attribute's value in double quotes. */
const tag = /<!doctype html>|<\/?[a-z][a-z0-9]*(?:\s+[a-z0-9-]+(?:="[^"<>]*")?)*\s*\/?>/gi;
const attribute = /\s([a-z0-9-]+)="([^"]*)"/gi;
const addresses = new Set(['href', 'src', 'action', 'hx-get']);

/** @returns the parts of a page's markup that are not ours: tags, attributes, and addresses that lead elsewhere */
export function foreignMarkup(text: string): readonly string[] {
  const others = /<.{0,80}/s.exec(text.replace(tag, ''));
  return [
    ...(others ?? []),
    ...[...text.matchAll(tag)].flatMap(([whole]) => {
      const isForeign = /^<(?:img|iframe|object|embed|base|script>)/i.test(whole);
      return isForeign || [...whole.matchAll(attribute)].some(isForeignAttribute) ? [whole] : [];
    }),
  ];
}

function isForeignAttribute([, name = '', value = '']: RegExpMatchArray): boolean {
  if (/^(?:on.*|style|srcdoc|formaction)$/i.test(name)) return true;
  return addresses.has(name) && !/^(?:\/(?!\/)|#|data:,$)/.test(value);
}
