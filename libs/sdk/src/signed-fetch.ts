import { callFailed, type ApiCall, Connection } from './http/connection.js';
import { type FetchInit, type HttpAnswer } from './http/exchange.js';
import { type PesaPostOptions, readOptions } from './options.js';
import { keyOf } from './resources/collections.js';

export interface SignedFetchOptions extends Omit<PesaPostOptions, 'fetch'> {
  /** The global one if omitted. */
  readonly fetch?: (url: string, init: FetchInit) => Promise<Response>;
}

/**
 * Returns a `fetch` for generated clients (SDK-20). It adds token, signature and, on a POST without one, an
 * `Idempotency-Key`, and retries as the client does. Make one and keep it, because it stores the token and the imported
 * key. It returns an error answer of the call as a Response, as `fetch` does.
 * @throws TypeError that names the option and the rule. The returned function throws PesaPostError if no answer came, if
 *   there is no token, and with `different_…` if the reference belongs to another item; TypeError for another origin
 */
export function signedFetch(options: SignedFetchOptions): typeof fetch {
  const settings = readOptions(options);
  const connection = new Connection(settings);
  return async (input, init) => {
    const call = await callOf(new Request(input, init), settings.origin);
    const { outcome, raw, attempts } = await connection.tries(call);
    if (!outcome.ok && (raw === undefined || 'differs' in outcome.failure))
      throw callFailed(call, attempts, outcome);
    return responseOf(raw);
  };
}

async function callOf(request: Request, origin: string): Promise<ApiCall> {
  const { method, signal } = request;
  const url = new URL(request.url);
  // The token must not reach another server (SDK-9).
  if (url.origin !== origin) throw new TypeError(`${url.origin} is not the baseUrl, ${origin}`);
  const body = await request.text();
  const key = request.headers.get('idempotency-key');
  return {
    method,
    path: url.pathname,
    // Generated clients may write a space as a plus, which the service reads as a plus.
    query: [...url.searchParams],
    headers: Object.fromEntries(request.headers),
    body: body === '' ? undefined : body,
    idempotencyKey:
      method === 'POST' ? keyOf(key === null ? {} : { idempotencyKey: key }) : undefined,
    signal,
  };
}

function responseOf(raw: HttpAnswer | undefined): Response {
  if (raw === undefined) throw new Error('a call that succeeded has an answer');
  const { status, text, headers } = raw;
  // The given fetch returns a Response, so these are its headers. A status such as 204 may have no body, not even "".
  return new Response(text === '' ? null : text, { status, headers: headers as Headers });
}
