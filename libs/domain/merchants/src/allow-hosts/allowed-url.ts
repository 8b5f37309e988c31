import { ok, refuse, type Result } from '#domain/kernel';

export type UrlRefusal = 'malformed' | 'scheme_not_allowed' | 'host_not_allowed';

/** What readers of URLs disagree on: white space, control characters, backslashes. Such a URL means nothing here. */
const disputed = /[\s\\\p{Cc}]/u;
const maxCharacters = 2048;

/**
 * Reads a URL that a caller gave, where it leads to a host on the merchant's list (any port of it).
 * @param schemes such as `https:`
 * @returns the URL as parsed: whoever follows it uses its `href`, so that nobody reads it another way
 */
export function allowedUrl(
  text: string,
  { hosts, schemes }: { readonly hosts: readonly string[]; readonly schemes: readonly string[] },
): Result<URL, UrlRefusal> {
  if (text.length > maxCharacters || disputed.test(text) || !URL.canParse(text))
    return refuse('malformed');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('malformed');
  if (!schemes.includes(url.protocol)) return refuse('scheme_not_allowed');
  return hosts.includes(url.hostname) ? ok(url) : refuse('host_not_allowed');
}

/**
 * A host as a URL names it: lower case, international names in their ASCII form, IPv6 in brackets.
 * @returns undefined where the text is no bare host (a port, a path, a wildcard)
 */
export function canonicalHost(text: string): string | undefined {
  if (disputed.test(text) || /[/?#@*%,]/.test(text) || !URL.canParse(`https://${text}`))
    return undefined;
  const { host, hostname, href } = new URL(`https://${text}`);
  const isBare = host === hostname && href === `https://${hostname}/` && !/:\d*$/.test(bare(text));
  return isBare ? hostname : undefined;
}

/** Without the brackets of IPv6 and what stands in them: a colon that is left begins a port. */
function bare(text: string): string {
  return text.replace(/^\[[^\]]*\]/, '');
}
