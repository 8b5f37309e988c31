import { ok } from '#domain/kernel';
import { sha256Hex, stringToSign } from '#shared/signing';
import { type RawProblem } from './curl-command.js';
import { splitRequest } from './raw-request.js';

/** A request as it was pasted. The service keeps nothing of it. */
export interface Pasted {
  /** The whole request as text. If it is not empty, the parts below are not used. */
  readonly raw: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly headers: string;
  /** The text that the client says it signed; empty if it does not say. */
  readonly theirs: string;
}

/** The string to sign of a request, and the first line in which another one differs from it. */
export interface Debugged {
  /** The six lines. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly sha256: string;
  readonly signature: string | undefined;
  /** The first line that differs; `line` counts from 1. Undefined if there is nothing to compare, or both are the same. */
  readonly difference:
    { readonly line: number; readonly ours: string; readonly theirs: string } | undefined;
  readonly compared: 'same' | 'differs' | 'not_given';
}

export type DebugProblem =
  | { readonly kind: 'malformed_query' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'not_read'; readonly why: RawProblem }
  | { readonly kind: 'missing_headers'; readonly headers: readonly string[] };

const headerNames = ['X-PP-Nonce', 'X-PP-Timestamp'] as const;

/**
 * The path and query. People may paste both as one address; if the query's own field is filled as well, that field
 * wins.
 */
function addressOf({ path, query }: Pick<Pasted, 'path' | 'query'>): {
  readonly rawPath: string;
  readonly rawQuery: string;
} {
  const target = path.trim().replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = target.indexOf('?');
  const own = query.trim().replace(/^\?/, '');
  if (mark === -1) return { rawPath: target, rawQuery: own };
  return { rawPath: target.slice(0, mark), rawQuery: own === '' ? target.slice(mark + 1) : own };
}

/** Headers by their lower-case names. If a name occurs twice, the first one counts. */
function headersOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !found.has(name)) found.set(name, line.slice(colon + 1).trim());
  }
  return found;
}

/** Undoes the CR LF that a browser sends for each line feed of a text field. */
const asPasted = (text: string): string => text.replaceAll('\r\n', '\n');

/** Makes the exact text that the service verifies (AUTH-11), and finds the first line in which the client's differs. */
export function debugSignature(pasted: Pasted): Debugged | DebugProblem {
  if (isBlank(pasted.raw) && isBlank(pasted.headers) && isBlank(pasted.body))
    return { kind: 'nothing' };
  const split = isBlank(pasted.raw) ? ok(pasted) : splitRequest(pasted.raw);
  if (!split.ok) return { kind: 'not_read', why: split.refusal };
  const parts = { query: '', ...split.value };
  const headers = headersOf(parts.headers);
  const missing = headerNames.filter((name) => !headers.has(name.toLowerCase()));
  if (missing.length > 0) return { kind: 'missing_headers', headers: missing };
  const signed = stringToSign({
    method: parts.method.trim().toUpperCase(),
    ...addressOf(parts),
    bodyBytes: Buffer.from(asPasted(parts.body), 'utf8'),
    nonce: headers.get('x-pp-nonce') ?? '',
    timestamp: headers.get('x-pp-timestamp') ?? '',
  });
  if (!signed.ok) return { kind: 'malformed_query' };
  const text = signed.value;
  return {
    text,
    lines: text.split('\n'),
    sha256: sha256Hex(text),
    signature: headers.get('x-pp-signature'),
    ...compare(text, asPasted(pasted.theirs)),
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function compare(ours: string, theirs: string): Pick<Debugged, 'difference' | 'compared'> {
  if (theirs === '') return { difference: undefined, compared: 'not_given' };
  if (theirs === ours) return { difference: undefined, compared: 'same' };
  const [own, other] = [ours.split('\n'), theirs.split('\n')];
  const most = Math.max(own.length, other.length);
  const index = Array.from({ length: most }, (_, at) => at).find((at) => own[at] !== other[at]);
  const line = index ?? 0;
  return {
    difference: { line: line + 1, ours: own[line] ?? '', theirs: other[line] ?? '' },
    compared: 'differs',
  };
}
