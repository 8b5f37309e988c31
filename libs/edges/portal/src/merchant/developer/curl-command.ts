import { type Result, ok, refuse } from '#domain/kernel';

/** A request in parts, as the string to sign is made of it. */
export interface RequestParts {
  readonly method: string;
  /** The path, or a whole URL with its query. */
  readonly path: string;
  /** One header per line. */
  readonly headers: string;
  readonly body: string;
}

/** Why a pasted text is no request. */
export type RawProblem = 'request_line' | 'curl_option' | 'curl_file' | 'curl_quote' | 'curl_url';

/** Options without a value that change nothing of what is signed. */
const ignored =
  /^(?:-[sSivkLfg]+|--(?:silent|show-error|include|verbose|insecure|location|fail|compressed|globoff|http1\.1|http2))$/;
/** Options whose value changes nothing of what is signed. */
const ignoredWithValue = new Set(['-o', '--output', '-w', '--write-out', '-m', '--max-time']);
const methodOptions = new Set(['-X', '--request']);
const headerOptions = new Set(['-H', '--header']);
const dataOptions = new Set(['-d', '--data', '--data-ascii', '--data-binary', '--data-raw']);

/** Reads a simple curl command. A text with an option that this does not know is refused, because it may change the request. */
export function readCurl(command: string): Result<RequestParts, RawProblem> {
  const words = shellWords(command);
  if (!words) return refuse('curl_quote');
  const headers: string[] = [];
  const data: string[] = [];
  let method: string | undefined;
  let url: string | undefined;
  const rest = words.slice(1).flatMap(attached);
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (!word.startsWith('-')) {
      url ??= word;
      continue;
    }
    if (ignored.test(word)) continue;
    index += 1;
    const value = rest[index];
    if (value === undefined) return refuse('curl_option');
    if (methodOptions.has(word)) method = value;
    else if (headerOptions.has(word)) headers.push(value);
    else if (word === '--url') url ??= value;
    else if (dataOptions.has(word)) {
      if (value.startsWith('@') && word !== '--data-raw') return refuse('curl_file');
      data.push(value);
    } else if (!ignoredWithValue.has(word)) return refuse('curl_option');
  }
  if (url === undefined) return refuse('curl_url');
  return ok({
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    path: url,
    headers: headers.join('\n'),
    body: data.join('&'),
  });
}

/** An option with its value attached as two words: `-XPOST`, `--request=POST`. */
function attached(word: string): readonly string[] {
  const short = /^(-[XHd])(.+)$/s.exec(word);
  if (short) return [short[1] ?? '', short[2] ?? ''];
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
  return long ? [long[1] ?? '', long[2] ?? ''] : [word];
}

/** The words of a command by the shell's rules for quotes and backslashes; undefined if a quote does not end. */
function shellWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  const part = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(\s+)/y;
  let word: string | undefined;
  while (part.lastIndex < command.length) {
    const found = part.exec(command);
    if (!found) return undefined;
    const [, single, double, escaped, plain, space] = found;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (escaped === '\n') continue;
    else word = (word ?? '') + (single ?? unescaped(double) ?? escaped ?? plain ?? '');
  }
  return word === undefined ? words : [...words, word];
}

/** The text within double quotes: a backslash escapes only these characters. */
function unescaped(text: string | undefined): string | undefined {
  return text?.replaceAll(
    /\\(["\\$`])|\\\n/g,
    (_, character: string | undefined) => character ?? '',
  );
}
