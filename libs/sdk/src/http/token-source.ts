import { toBase64, utf8 } from '../bytes.js';
import { type Settings } from '../options.js';
import { exchange, type Outcome } from './exchange.js';
import { readAnswer } from './read-answer.js';

/** How long before its end a token is renewed, or a tenth of its life if that is less. */
const renewAheadMs = 60_000;

interface CachedToken {
  readonly token: string;
  readonly renewAtMs: number;
}

/**
 * The bearer token. It is fetched when first needed, by one request for all callers, and renewed before it ends (SDK-8).
 */
export class TokenSource {
  private held: CachedToken | undefined;
  private underWay: Promise<Outcome<CachedToken>> | undefined;

  constructor(private readonly settings: Settings) {}

  async current(): Promise<Outcome<CachedToken>> {
    if (this.held && this.settings.now() < this.held.renewAtMs)
      return { ok: true, value: this.held };
    this.underWay ??= this.fetch().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  /** Drops a token that the service refused. A newer token is kept. */
  forget(token: string): void {
    if (this.held?.token === token) this.held = undefined;
  }

  /** OAuth 2.0 client credentials (RFC 6749 §4.4). */
  private async fetch(): Promise<Outcome<CachedToken>> {
    const { clientId, clientSecret, origin, timeoutMs } = this.settings;
    const request = {
      url: `${origin}/api/v4/oauth/token`,
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${toBase64(utf8(`${clientId}:${clientSecret}`))}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    } as const;
    // No caller's signal is passed, because other callers wait for the same token.
    const raw = await exchange(this.settings.fetch, request, { timeoutMs, signal: undefined });
    if (!raw.ok) return raw;
    const answer = readAnswer(raw.value, this.settings.now());
    if (!answer.ok) return answer;
    const { access_token: token, expires_in: seconds } = answer.value.body;
    if (typeof token !== 'string' || typeof seconds !== 'number') {
      const { status, header } = raw.value;
      const told = { status, requestId: header('X-Request-Id'), retryAfterSeconds: undefined };
      return { ok: false, failure: { ...told, code: 'unexpected_answer', kind: 'unknown' } };
    }
    this.held = { token, renewAtMs: this.renewAt(seconds * 1000) };
    return { ok: true, value: this.held };
  }

  private renewAt(lifeMs: number): number {
    return this.settings.now() + lifeMs - Math.min(renewAheadMs, lifeMs / 10);
  }
}
