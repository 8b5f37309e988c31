import { utf8 } from '../bytes.js';
import { type Failure } from '../errors/failure.js';
import { pesaPostError } from '../errors/pesapost-error.js';
import { type Settings } from '../options.js';
import { encodeQuery, type QueryParameter } from '../signing/canonical-query.js';
import { sign, stringToSign } from '../signing/sign-request.js';
import { expired, sleep, underDeadline } from './deadline.js';
import { unlessDifferent } from './different.js';
import { exchange, type HttpAnswer, type HttpRequest, type Outcome } from './exchange.js';
import { type Answer, readAnswer } from './read-answer.js';
import { retryDelayMs } from './retry.js';
import { TokenSource } from './token-source.js';

/** A call of the API, before it is signed. */
export interface ApiCall {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query?: readonly QueryParameter[];
  /** JSON. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Further headers. Those that the client sets itself win. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly minPosition?: string | undefined;
  readonly atPosition?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a call after its last try. */
export interface Tried {
  readonly outcome: Outcome<Answer>;
  /** The answer to the last try; undefined if there was none. */
  readonly raw: HttpAnswer | undefined;
  readonly attempts: number;
}

/** Sends calls: token, signature, retries. */
export class Connection {
  private readonly tokens: TokenSource;

  constructor(private readonly settings: Settings) {
    this.tokens = new TokenSource(settings);
  }

  /**
   * Sends the call.
   * @throws PesaPostError when no retry is left; the signal's reason
   */
  async send(call: ApiCall): Promise<Answer> {
    const { outcome, attempts } = await this.tries(call);
    if (outcome.ok) return outcome.value;
    throw callFailed(call, attempts, outcome);
  }

  /**
   * Sends the call until it succeeds or no retry is left (SDK-1). Every try has the same key and the same bytes, with a
   * new nonce and a new timestamp (SDK-4, SDK-6).
   * @throws the signal's reason
   */
  async tries(call: ApiCall): Promise<Tried> {
    const renewal = { left: 1 };
    for (let attempts = 1; ; attempts += 1) {
      const { outcome, raw } = await this.attempt(call, renewal);
      if (outcome.ok) return { outcome, raw, attempts };
      const { retries } = this.settings;
      const delayMs = retryDelayMs(outcome.failure, attempts, retries, Math.random());
      if (delayMs === undefined) return { outcome, raw, attempts };
      await sleep(delayMs, call.signal);
    }
  }

  /** Makes one try. A refused token is renewed once per call (SDK-8). */
  private async attempt(
    call: ApiCall,
    renewal: { left: number },
  ): Promise<Omit<Tried, 'attempts'>> {
    const held = await this.token(call.signal);
    if (!held.ok) return { outcome: held, raw: undefined };
    const { token } = held.value;
    const tried = await this.exchange(call, token);
    if (tried.outcome.ok || tried.outcome.failure.code !== 'invalid_token') return tried;
    this.tokens.forget(token);
    if (renewal.left === 0) return tried;
    renewal.left -= 1;
    return this.attempt(call, renewal);
  }

  /**
   * Returns the token. If the caller aborts, the token's own request continues for the other calls that wait for it.
   */
  private async token(signal: AbortSignal | undefined): ReturnType<TokenSource['current']> {
    const { timeoutMs } = this.settings;
    const held = await underDeadline(timeoutMs, signal, () => this.tokens.current());
    if (held !== expired) return held;
    return { ok: false, failure: { code: 'timeout', kind: 'timeout', timeoutMs } };
  }

  private async exchange(call: ApiCall, token: string): Promise<Omit<Tried, 'attempts'>> {
    const { fetch, timeoutMs, now } = this.settings;
    const request = await this.signed(call, token);
    const raw = await exchange(fetch, request, { timeoutMs, signal: call.signal });
    if (!raw.ok) return { outcome: raw, raw: undefined };
    return { outcome: unlessDifferent(call.path, readAnswer(raw.value, now())), raw: raw.value };
  }

  private async signed(call: ApiCall, token: string): Promise<HttpRequest> {
    const { method, path, body, idempotencyKey, minPosition, atPosition } = call;
    const rawQuery = encodeQuery(call.query ?? []);
    const url = new URL(`${this.settings.origin}${path}${rawQuery === '' ? '' : `?${rawQuery}`}`);
    const nonce = crypto.randomUUID();
    const timestamp = Math.floor(this.settings.now() / 1000).toString();
    // The path that is sent is the URL's own.
    const rawPath = url.pathname;
    const bodyBytes = utf8(body ?? '');
    const text = await stringToSign({ method, rawPath, rawQuery, bodyBytes, nonce, timestamp });
    const headers = {
      accept: 'application/json',
      ...call.headers,
      authorization: `Bearer ${token}`,
      'x-pp-signature': await sign(await this.settings.signingKey(), text),
      'x-pp-nonce': nonce,
      'x-pp-timestamp': timestamp,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(minPosition === undefined ? {} : { 'x-pp-min-position': minPosition }),
      ...(atPosition === undefined ? {} : { 'x-pp-at-position': atPosition }),
    };
    return { url: url.href, method, headers, ...(body === undefined ? {} : { body }) };
  }
}

export function callFailed(
  { method, path, idempotencyKey }: ApiCall,
  attempts: number,
  { failure, cause }: { readonly failure: Failure; readonly cause?: unknown },
): Error {
  return pesaPostError(failure, { call: `${method} ${path}`, attempts, idempotencyKey }, cause);
}
