import { type RawBody, type RawQuery } from '#shared/http';
import { problem } from './errors.js';
import { type Mode } from '#domain/kernel';

/** A value of the body: the content of a text, a number as it was written, or only the kind of anything else. */
export type Member =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'null' | 'other' };

export type Members = ReadonlyMap<string, Member>;

/** Matches strings, single marks, and the numbers and words between them. Only for JSON that was parsed before. */
const tokens = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/**
 * Returns the members of the body's object, read from its text. `JSON.parse` would round numbers, and of two members
 * with one name it would keep the last, though the signature may cover the first.
 * @throws Problem invalid_request, unsupported_media_type (not JSON, and does not claim to be)
 */
export function readMembers(body: RawBody | undefined): Members {
  const json = body?.json();
  if (!json?.ok) {
    const claimsJson = body?.mediaType === undefined || body.mediaType === 'application/json';
    throw claimsJson
      ? problem('invalid_request', { detail: 'The body must be JSON in UTF-8.' })
      : problem('unsupported_media_type');
  }
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    throw problem('invalid_request', { detail: 'The body must be a JSON object.' });
  return membersOf(body?.bytes.toString('utf8') ?? '');
}

function membersOf(text: string): Members {
  const members = new Map<string, Member>();
  let depth = 0;
  let name: string | undefined;
  let previous = '';
  for (const [token] of text.matchAll(tokens)) {
    const isTop = depth === 1;
    if (isTop && token === ':') name = add(members, JSON.parse(previous) as string);
    else if (isTop && name !== undefined && previous === ':') {
      members.set(name, memberOf(token));
      name = undefined;
    }
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    previous = token;
  }
  return members;
}

/** Unknown members are ignored, but a repeated name is refused: either value may be the intended one. */
function add(members: Map<string, Member>, name: string): string {
  if (members.has(name))
    throw problem('invalid_request', { detail: 'No member of the body may stand twice.' });
  return name;
}

function memberOf(token: string): Member {
  if (token.startsWith('"')) return { kind: 'text', text: JSON.parse(token) as string };
  if (/^[-0-9]/.test(token)) return { kind: 'number', text: token };
  return { kind: token === 'null' ? 'null' : 'other' };
}

const wrong = { detail: 'live must be 1 or 0.' };

/** Reads `?live=0|1`; 1 if it is absent. Other parameters are ignored. @throws Problem invalid_request */
export function modeOfQuery(query: RawQuery): Mode {
  const parameters = query.parameters();
  if (!parameters.ok)
    throw problem('invalid_request', { detail: 'The query is not percent-encoded UTF-8.' });
  const flags = parameters.value.filter(([name]) => name === 'live').map(([, value]) => value);
  if (flags.length > 1) throw problem('invalid_request', { detail: 'live must be given once.' });
  return modeOf(flags[0] ?? '1');
}

/** Reads the body's `live`, a number or a text; 1 if it is absent. @throws Problem invalid_request */
export function modeOfMembers(members: Members): Mode {
  const live = members.get('live');
  if (live === undefined) return 'live';
  return modeOf(live.kind === 'text' || live.kind === 'number' ? live.text : '');
}

function modeOf(flag: string): Mode {
  if (flag !== '0' && flag !== '1') throw problem('invalid_request', wrong);
  return flag === '1' ? 'live' : 'demo';
}
