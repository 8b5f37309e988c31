import { type Result, ok, refuse } from '#domain/kernel';
import { type RawProblem, readCurl, type RequestParts } from './curl-command.js';

/**
 * Splits a request as a client or a log writes it: the request line, the headers, an empty line and the body. A curl
 * command is read as well.
 */
export function splitRequest(text: string): Result<RequestParts, RawProblem> {
  const raw = text.replaceAll('\r\n', '\n').trimStart();
  if (/^(?:\$ )?curl\s/.test(raw)) return readCurl(raw.replace(/^\$ /, ''));
  const end = raw.indexOf('\n\n');
  const [first = '', ...headers] = (end === -1 ? raw : raw.slice(0, end)).split('\n');
  const [, method, path] = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/[\d.]+)?\s*$/.exec(first) ?? [];
  if (method === undefined || path === undefined) return refuse('request_line');
  const body = end === -1 ? '' : raw.slice(end + 2);
  return ok({ method, path, headers: headers.join('\n'), body: ofLength(body, headers) });
}

/** The body without the line feed that a copied text ends with, if its own length says that it has none. */
function ofLength(body: string, headers: readonly string[]): string {
  const length = headers
    .map((line) => /^content-length:\s*(\d+)\s*$/i.exec(line)?.[1])
    .find((digits) => digits !== undefined);
  const trimmed = body.replace(/\n+$/, '');
  return length === Buffer.byteLength(trimmed).toString() ? trimmed : body;
}
