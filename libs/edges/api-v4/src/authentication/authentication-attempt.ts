import { callerAddress, rawBody, type RawBody, rawPath, rawQuery } from '#shared/http';
import { type RateLimitState } from '#infra/redis';
import { type SignedRequest } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { parseIdempotencyKey } from '../idempotency/idempotency-key.js';
import { type Credential } from './credential-cache.js';

/** What a route demands beyond a signature. */
export interface RouteDemands {
  readonly body: boolean;
  readonly idempotencyKey: boolean;
}

/** The three X-PP headers, as sent. */
export interface SignatureHeaders {
  readonly signature: string;
  readonly nonce: string;
  readonly timestamp: string;
}

/** A request on its way through the checks: what it says, and whose token it bears once that is known. */
export class AuthenticationAttempt {
  #credential: Credential | undefined;
  #idempotencyKey: ReturnType<typeof parseIdempotencyKey> | undefined;
  /** What is left of the credential's rate, once it was asked. */
  rateLimit: RateLimitState | undefined;

  constructor(
    readonly request: FastifyRequest,
    readonly demands: RouteDemands,
  ) {}

  /** @throws TypeError before the token's check: the order of the checks is wrong */
  get credential(): Credential {
    if (!this.#credential) throw new TypeError('the bearer token has not been checked yet');
    return this.#credential;
  }

  /** Undefined before the token's check. */
  get known(): Credential | undefined {
    return this.#credential;
  }

  set credential(credential: Credential) {
    this.#credential = credential;
  }

  /** The Idempotency-Key header, read once. */
  get idempotencyKey(): ReturnType<typeof parseIdempotencyKey> {
    return (this.#idempotencyKey ??= parseIdempotencyKey(this.request.headers['idempotency-key']));
  }

  get address(): string | undefined {
    return callerAddress(this.request);
  }

  get body(): RawBody | undefined {
    return rawBody(this.request);
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** @throws Problem missing_signature where one of them is absent or empty */
  signatureHeaders(): SignatureHeaders {
    const signature = this.header('x-pp-signature');
    const nonce = this.header('x-pp-nonce');
    const timestamp = this.header('x-pp-timestamp');
    if (!signature || !nonce || !timestamp) throw problem('missing_signature');
    return { signature, nonce, timestamp };
  }

  /** What the signature must cover. */
  signed(): SignedRequest {
    const { nonce, timestamp } = this.signatureHeaders();
    return {
      method: this.request.method,
      rawPath: rawPath(this.request),
      rawQuery: rawQuery(this.request),
      bodyBytes: this.body?.bytes ?? Buffer.alloc(0),
      nonce,
      timestamp,
    };
  }
}
