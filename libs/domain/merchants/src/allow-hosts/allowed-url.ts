import { ok, refuse, type Result } from '#domain/kernel';

export type UrlRefusal = 'malformed' | 'scheme_not_allowed' | 'host_not_allowed';

/**
 * Characters that URL parsers treat differently: white space, control characters, backslashes. Such a URL is malformed
 * here.
 */
const disputed = /[\s\\\p{Cc}]/u;
const maxCharacters = 2048;

/**
 * Reads a caller's URL if it leads to a host on the merchant's list (any port of it).
 * @param schemes such as `https:`
 * @returns the URL as parsed; use its `href`, so that it cannot be read in another way
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
 * A host as URLs write it: lower case, international names in their ASCII form, IPv6 in brackets.
 * @returns undefined if the text is not a bare host (a port, a path, a wildcard)
 */
export function canonicalHost(text: string): string | undefined {
  if (disputed.test(text) || /[/?#@*%,]/.test(text) || !URL.canParse(`https://${text}`))
    return undefined;
  const { host, hostname, href } = new URL(`https://${text}`);
  const isBare = host === hostname && href === `https://${hostname}/` && !/:\d*$/.test(bare(text));
  return isBare ? hostname : undefined;
}

/** Removes IPv6 brackets and their content, so that a remaining colon begins a port. */
function bare(text: string): string {
  return text.replace(/^\[[^\]]*\]/, '');
}
