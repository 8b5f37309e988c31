import { type Rate } from '#infra/runtime';
import { entriesCap, liveEntriesOf } from './live-entries.js';
import { type RedisStore } from './redis-store.js';
import { admit } from './scripts.js';

export interface AdmissionRequest {
  readonly credentialId: string;
  readonly nonce: string;
  readonly rate: Rate;
  /** CREDENTIAL_MEMORY_CAP, where it is set. */
  readonly memoryCap?: number | undefined;
}

/** What the RateLimit headers say, besides whether the request may go on. */
export interface RateLimitState {
  /** Requests that could follow at once. */
  readonly remaining: number;
  /** Milliseconds until the whole burst is available again. */
  readonly resetMs: number;
}

export type Admission =
  | { readonly kind: 'nonce_reused' }
  /** Over the rate; or too many of the credential's nonces and claims are alive (\`entriesCap\`). */
  | ({ readonly kind: 'limited' | 'full'; readonly retryAfterMs: number } & RateLimitState)
  | ({ readonly kind: 'ok' } & RateLimitState);

/**
 * Records the nonce and takes from the credential's bucket, in one round trip and one atomic step; a request
 * that is refused leaves nothing behind. Only for requests whose signature verified.
 * @throws DependencyUnavailable: then the request must not be served
 */
export async function admitRequest(
  store: RedisStore,
  request: AdmissionRequest,
): Promise<Admission> {
  const { credentialId, nonce, rate, memoryCap: configured } = request;
  const cap = entriesCap(rate, { configured, maxMemoryBytes: store.maxMemoryBytes });
  const answer = await store.run(
    admit,
    [`nonce:{${credentialId}}:${nonce}`, `rate:{${credentialId}}`, liveEntriesOf(credentialId)],
    [Math.ceil((rate.intervalMs * 1000) / rate.limit), rate.burst, cap],
  );
  const [kind, remaining, waitMicros, resetMicros] = answer as [
    Admission['kind'],
    number,
    number,
    number,
  ];
  const resetMs = Math.ceil(resetMicros / 1000);
  switch (kind) {
    case 'nonce_reused':
      return { kind };
    case 'limited':
    case 'full':
      return { kind, retryAfterMs: Math.ceil(waitMicros / 1000), remaining, resetMs };
    case 'ok':
      return { kind, remaining, resetMs };
  }
}
