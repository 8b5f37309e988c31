import { type Failure } from '../errors/failure.js';
import { expired, underDeadline } from './deadline.js';

/** The part of `fetch` that the client needs. The global one and undici's have this shape. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: FetchAnswer['headers'];
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** A value or a failure. A failure is thrown only at the edge, when no retry is left. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure; readonly cause?: unknown };

/**
 * Sends one request and reads its whole answer within a deadline. Redirects are not followed, because they would send
 * the credentials elsewhere (SDK-3, SDK-9).
 * @throws only the caller's own abort
 */
export async function exchange(
  fetch: Fetch,
  request: HttpRequest,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Outcome<HttpAnswer>> {
  const { url, ...init } = request;
  try {
    const answer = await underDeadline(timeoutMs, signal, async (whileWaiting) => {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: whileWaiting });
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
    if (answer === expired)
      return { ok: false, failure: { code: 'timeout', kind: 'timeout', timeoutMs } };
    const { status, headers, text } = answer;
    return {
      ok: true,
      value: { status, text, headers, header: (name) => headers.get(name) ?? undefined },
    };
  } catch (cause) {
    signal?.throwIfAborted();
    return { ok: false, failure: { code: 'network_failure', kind: 'network' }, cause };
  }
}
