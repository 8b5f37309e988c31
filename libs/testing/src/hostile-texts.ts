/**
 * What others may call themselves and their things: the end of an attribute, markup, the braces of a template, an
 * address that runs, a mark that turns around what follows, a null character, and more than anybody reads.
 */
export const hostile = `"><script>alert('x')</script><img src=x onerror='x'>{{1}}\u202e\0javascript:alert(1)${'&amp;'.repeat(13_000)}`;

/** As our pages write their tags: each attribute's value in double quotes. */
const tag = /<!doctype html>|<\/?[a-z][a-z0-9]*(?:\s+[a-z0-9-]+(?:="[^"<>]*")?)*\s*\/?>/gi;
const attribute = /\s([a-z0-9-]+)="([^"]*)"/gi;
const addresses = new Set(['href', 'src', 'action', 'hx-get']);

/** @returns what of a page's markup is none of ours: tags, attributes, and addresses that lead elsewhere */
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
