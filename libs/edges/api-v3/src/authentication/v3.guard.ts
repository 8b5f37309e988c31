import {
  authenticatedBy,
  bodyBytes,
  callerAddress,
  callersOf,
  noteRequest,
  type Problem,
  rawPath,
  rawQuery,
  readBody,
  sourceOf,
  traceparentOf,
} from '#shared/http';
import { CachedMerchants, type V3CredentialRecord } from '#views/merchants';
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { minV3KeyBits, parsePublicKey, type PublicKey, sha256Hex, verifyV4 } from '#shared/signing';
import { V3Gate } from '#edges/v3-gate';

/** The parts of a V3 request that prove it (EVT-24). V3 has no nonce and no timestamp. */
interface RequestEvidence {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
  readonly signature: string;
  readonly keyFingerprint: string;
}

/** The caller of a request whose signature verified. */
export interface Caller {
  readonly credential: V3CredentialRecord;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
  /** The trace of the request, if it is recorded. */
  readonly traceparent?: string | undefined;
}

export const { rememberCaller, ByCaller } = callersOf<Caller>();

/**
 * The same rate as for V4. It is far more than an old client makes before a person notices, and far less than costs us
 * anything.
 */
const rate: Rate = { limit: 10, intervalMs: 1000, burst: 600 };

/**
 * Limits failed authentications per source (docs/adr/0011). Below the limit, V3's answers are unchanged. Callers that
 * authenticate are neither counted nor refused.
 */
@Injectable()
export class FailureLimit {
  constructor(private readonly store: RedisStore) {}

  /** @returns the answer to the failure: the failure itself, or rate_limited if it is one too many */
  async answerTo(failure: Problem, request: FastifyRequest): Promise<Problem> {
    const bucket = `bucket:v3-failures:${sourceOf(callerAddress(request))}`;
    // Without Redis no failure is counted, and no request was admitted either.
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs === undefined) return failure;
    noteRequest(request, { failure: failure.error.code });
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    return problem('rate_limited', { headers: { 'Retry-After': String(seconds) } });
  }
}

/** Returns the text that a route's requests must be signed over. @throws Problem if the request cannot be read */
type SignedText = (request: FastifyRequest) => string;

const signedText = 'pesapost:v3:signed-text';

/**
 * Guards every V3 request that has a route. The consumer key names a credential, and the signature over the route's
 * text must be by its key (V3-2). The first check that fails answers.
 */
@Injectable()
export class V3Guard implements CanActivate {
  /** Parsed once for each reading of a credential, because parsing costs more than verifying. */
  private readonly keys = new WeakMap<V3CredentialRecord, PublicKey>();

  constructor(
    private readonly merchants: CachedMerchants,
    private readonly gate: V3Gate,
    private readonly failures: FailureLimit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const consumerKey = header(request, 'x-consumer-key') ?? '';
    const refuse = (refusal: 'invalid_consumer_key' | 'invalid_signature') =>
      this.failures.answerTo(problem(refusal), request);
    const named = async (): Promise<V3CredentialRecord> => {
      const found = await this.merchants.v3Credential(consumerKey);
      if (!found) throw await refuse('invalid_consumer_key');
      return found;
    };
    const credential = await named();
    noteRequest(request, { namedCredentialId: credential.credentialId });

    const signature = header(request, 'signature');
    if (!signature) throw await refuse('invalid_signature');
    // The text is in the body, so the body is read before the signature is checked (AUTH-31).
    await readBody(request, named);
    const text = textOf(context)(request);
    const publicKey = this.keyOf(credential);
    // Both versions use RSA-SHA256 in base64. Only the signed text differs.
    if (!verifyV4(publicKey.key, text, signature)) throw await refuse('invalid_signature');
    const { merchantId, credentialId } = credential;
    noteRequest(request, { merchantId, credentialId });
    // A caller over the restrict phase's rate is refused only now, when its identity is known.
    await this.gate.admit(request, { merchantId, consumerKey });

    rememberCaller(request, {
      credential,
      requestId: request.id,
      evidence: evidenceOf(request, signature, publicKey),
      traceparent: traceparentOf(request),
    });
    return true;
  }

  /** @throws TypeError for a key that registration should have refused, which is a defect */
  private keyOf(credential: V3CredentialRecord): PublicKey {
    const known = this.keys.get(credential);
    if (known) return known;
    const key = parsePublicKey(credential.publicKeyPem, minV3KeyBits);
    if (!key.ok)
      throw new TypeError(`credential ${credential.credentialId} has a key that is ${key.refusal}`);
    this.keys.set(credential, key.value);
    return key.value;
  }
}

/** Authenticates a route by V3's signature over this text. */
export function V3Authenticated(text: SignedText): MethodDecorator {
  return applyDecorators(SetMetadata(signedText, text), authenticatedBy(V3Guard));
}

function textOf(context: ExecutionContext): SignedText {
  return Reflect.getMetadata(signedText, context.getHandler()) as SignedText;
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function evidenceOf(
  request: FastifyRequest,
  signature: string,
  { fingerprint }: PublicKey,
): RequestEvidence {
  return {
    method: request.method,
    path: rawPath(request),
    query: rawQuery(request),
    bodyDigest: sha256Hex(bodyBytes(request)),
    signature,
    keyFingerprint: fingerprint,
  };
}
