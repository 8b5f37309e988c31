import { type Rate } from '#runtime';
import { type RedisStore } from './redis-store.js';
import { admit } from './scripts.js';

export interface AdmissionRequest {
  readonly credentialId: string;
  readonly nonce: string;
  readonly nonceTtlSeconds: number;
  readonly rate: Rate;
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
  | ({ readonly kind: 'limited'; readonly retryAfterMs: number } & RateLimitState)
  | ({ readonly kind: 'ok' } & RateLimitState);

/**
 * Records the nonce and takes from the credential's bucket, in one round trip and one atomic step. Only
 * for requests whose signature verified.
 * @throws DependencyUnavailable: then the request must not be served
 */
export async function admitRequest(
  store: RedisStore,
  request: AdmissionRequest,
): Promise<Admission> {
  const { credentialId, nonce, nonceTtlSeconds, rate } = request;
  // The braces make both keys of a credential live on one node of a cluster.
  const answer = await store.run(
    admit,
    [`nonce:{${credentialId}}:${nonce}`, `rate:{${credentialId}}`],
    [nonceTtlSeconds, Math.ceil((rate.intervalMs * 1000) / rate.limit), rate.burst],
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
      return { kind, retryAfterMs: Math.ceil(waitMicros / 1000), remaining, resetMs };
    case 'ok':
      return { kind, remaining, resetMs };
  }
}
