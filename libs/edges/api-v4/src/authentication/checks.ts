import { callerAddress, type ProblemExtras, rawBody, type RawBody, rawTarget } from '#shared/http';
import { entryLifeSeconds, type RateLimitState } from '#infra/redis';
import {
  type DigestedRequest,
  hashSecret,
  sha256Hex,
  stringToSignOf,
  verifyV4,
} from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { parseIdempotencyKey } from '../idempotency/idempotency.js';
import { type Credential, type CredentialCache } from './caller.js';
import { type Clock, type Instant, type Mode } from '#domain/kernel';
import { type Admissions, rateLimitProblem } from './limits.js';

/** A route's demands beyond a signature. */
export interface RouteDemands {
  readonly body: boolean;
  readonly idempotencyKey: boolean;
}

/** The three X-PP headers as sent. */
interface SignatureHeaders {
  readonly signature: string;
  readonly nonce: string;
  readonly timestamp: string;
}

/** A request during the checks: its headers and body, and its credential after the token's check. */
export class AuthenticationAttempt {
  #credential: Credential | undefined;
  #idempotencyKey: ReturnType<typeof parseIdempotencyKey> | undefined;
  #signatureHeaders: SignatureHeaders | undefined;
  #signed: DigestedRequest | undefined;
  /** The credential's remaining rate, after its check. */
  rateLimit: RateLimitState | undefined;

  constructor(
    readonly request: FastifyRequest,
    readonly demands: RouteDemands,
  ) {}

  /** @throws TypeError before the token's check, because the order of the checks is then wrong */
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

  /** @throws Problem missing_signature if one of them is absent or empty */
  signatureHeaders(): SignatureHeaders {
    return (this.#signatureHeaders ??= this.#readSignatureHeaders());
  }

  #readSignatureHeaders(): SignatureHeaders {
    const signature = this.header('x-pp-signature');
    const nonce = this.header('x-pp-nonce');
    const timestamp = this.header('x-pp-timestamp');
    if (!signature || !nonce || !timestamp) throw problem('missing_signature');
    return { signature, nonce, timestamp };
  }

  /** The request data that the signature must cover, read once. */
  signed(): DigestedRequest {
    return (this.#signed ??= this.#readSigned());
  }

  #readSigned(): DigestedRequest {
    const { nonce, timestamp } = this.signatureHeaders();
    const { path: rawPath, query: rawQuery } = rawTarget(this.request);
    const bodyDigest = sha256Hex(this.body?.bytes ?? '');
    return { method: this.request.method, rawPath, rawQuery, bodyDigest, nonce, timestamp };
  }
}

/** The values that decide a refusal's detail. */
interface DetailOptions {
  readonly mode: Mode;
  readonly now: Instant;
}

const names = ['method', 'path', 'query', 'body SHA-256', 'nonce', 'timestamp'];
/** How many characters of a line are shown. The digest covers the whole line. */
const maxShown = 200;

/**
 * Returns the detail of a refused timestamp. In demo mode it helps a developer whose clock is off. In live mode there
 * is none, because it would tell an attacker how close a guess was.
 */
export function timestampDetail({ mode, now }: DetailOptions): ProblemExtras {
  if (mode !== 'demo') return {};
  return {
    detail: `X-PP-Timestamp must be Unix seconds within 300 s of the server’s time, ${now}.`,
  };
}

/**
 * Returns the details of a refused signature. In demo mode they show what was verified: the digest of the string to
 * sign, and its six lines by name. So a client finds the first line that differs.
 * @param text the string to sign; undefined if the request's query cannot be read
 */
export function signatureDetail(
  { mode, now }: DetailOptions,
  text: string | undefined,
): ProblemExtras {
  if (mode !== 'demo') return {};
  const time = `The server’s time is ${now}.`;
  if (text === undefined)
    return { detail: `The query is not percent-encoded UTF-8, so nothing can be signed. ${time}` };
  const lines = text.split('\n').map((line, index) => `${names[index] ?? ''} ${shown(line)}`);
  return {
    detail: `The signature must be standard base64 of RSA-SHA256, by this credential’s key, over the string whose SHA-256 is ${sha256Hex(Buffer.from(text))}: ${lines.join(', ')}. ${time}`,
  };
}

function shown(line: string): string {
  return JSON.stringify(line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`);
}

/** The services that the checks call. */
export interface CheckContext {
  readonly clock: Clock;
  readonly credentials: Pick<CredentialCache, 'find'>;
  readonly admissions: Pick<Admissions, 'admit'>;
}

/** Passes, or throws the Problem that answers the request. */
type Check = (attempt: AuthenticationAttempt, context: CheckContext) => void | Promise<void>;

/** How far a timestamp may be from our clock, in either direction. */
export const timestampToleranceMs = 300_000;

/** Longer than a timestamp is valid in both directions together, so a nonce outlives every signature over it. */
export const nonceTtlSeconds = entryLifeSeconds;

const bearerPattern = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
export const timestampPattern = /^[0-9]{1,12}$/;
export const noncePattern = /^[A-Za-z0-9_-]{16,64}$/;

const tokenKnown: Check = async (attempt, { credentials, clock }) => {
  const [, token] = bearerPattern.exec(attempt.header('authorization') ?? '') ?? [];
  const hash = token === undefined ? undefined : hashSecret(token);
  const holder = hash && (await credentials.find(hash));
  if (!holder || holder.expiresAtMs <= clock.nowMs())
    throw problem('invalid_token', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  attempt.credential = holder.credential;
};

const addressAllowed: Check = ({ address, credential }) => {
  if (address === undefined || !credential.addresses.has(address)) throw problem('ip_not_allowed');
};

const headersPresent: Check = (attempt) => {
  attempt.signatureHeaders();
};

const timestampFresh: Check = (attempt, { clock }) => {
  const { timestamp } = attempt.signatureHeaders();
  const aheadMs = Number(timestamp) * 1000 - clock.nowMs();
  if (!timestampPattern.test(timestamp) || Math.abs(aheadMs) > timestampToleranceMs) {
    const { mode } = attempt.credential;
    throw problem('timestamp_expired', timestampDetail({ mode, now: clock.now() }));
  }
};

const signatureVerifies: Check = (attempt, { clock }) => {
  const text = stringToSignOf(attempt.signed());
  const { mode, publicKey } = attempt.credential;
  if (!text.ok || !verifyV4(publicKey.key, text.value, attempt.signatureHeaders().signature)) {
    const verified = text.ok ? text.value : undefined;
    throw problem('invalid_signature', signatureDetail({ mode, now: clock.now() }, verified));
  }
};

const nonceWellFormed: Check = (attempt) => {
  if (!noncePattern.test(attempt.signatureHeaders().nonce)) throw problem('invalid_nonce');
};

/**
 * Checks nonce, rate and memory in one step and one round trip. A repeated nonce is reported first. A refused request
 * leaves no nonce.
 */
const admitted: Check = async (attempt, { admissions }) => {
  const { credentialId, rate } = attempt.credential;
  const { nonce } = attempt.signatureHeaders();
  const admission = await admissions.admit({ credentialId, nonce, rate });
  if (admission.kind === 'nonce_reused') throw problem('nonce_reused');
  attempt.rateLimit = admission;
  if (admission.kind !== 'ok') throw rateLimitProblem(admission.retryAfterMs);
};

const bodyIsJson: Check = ({ demands, body }) => {
  if (!demands.body) return;
  if (body?.mediaType !== 'application/json') throw problem('unsupported_media_type');
  const json = body.json();
  if (!json.ok) throw problem('invalid_request', { detail: 'The body must be JSON in UTF-8.' });
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    throw problem('invalid_request', { detail: 'The body must be a JSON object.' });
};

const keyWellFormed: Check = ({ demands, idempotencyKey }) => {
  if (demands.idempotencyKey && !idempotencyKey.ok) throw problem(idempotencyKey.refusal);
};

/** The first checks of AUTH-1. They read only the head: the body is read only for senders that pass them (AUTH-30). */
export const checksBeforeBody: readonly Check[] = [tokenKnown, addressAllowed];

/**
 * The other checks, in the order of AUTH-1. The first that fails answers. Pipes check body and query fields afterwards.
 */
export const checksOfSigned: readonly Check[] = [
  headersPresent,
  timestampFresh,
  signatureVerifies,
  nonceWellFormed,
  admitted,
  bodyIsJson,
  keyWellFormed,
];
