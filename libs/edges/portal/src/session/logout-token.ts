import { signatureAlgorithms } from '#shared/openid';
import { z } from 'zod';

/** The event that a logout token states (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is sent at once. An older one is somebody's copy. */
const maxAgeSeconds = 120;
const clockToleranceSeconds = 30;
/** Time for which the id of a token is remembered: no token is accepted any more after it. */
export const rememberedMs = 2 * (maxAgeSeconds + clockToleranceSeconds) * 1000;
/** The limit for the provider's keys. */
const keysWithinMs = 5000;

const claimsShape = z
  .object({
    jti: z.string().min(1).max(500),
    sub: z.string().min(1).optional(),
    sid: z.string().min(1).optional(),
    events: z.looseObject({ [logoutEvent]: z.looseObject({}) }),
    // A nonce would let somebody pass an identity token off as a logout token.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/** The sessions that a provider ended. */
export interface Logout {
  /** The id of the token, which counts once. */
  readonly id: string;
  /** The subject of the person, all of whose sessions end. */
  readonly subject: string | undefined;
  /** `sid`: the provider's name of one session. */
  readonly providerSession: string | undefined;
}

/** The provider and the client that a token must name. */
export interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  /** `jwks_uri`. */
  readonly keys: string;
}

/**
 * Reads a logout token. It checks signature, algorithm, type, issuer, audience, age, event and that there is no nonce.
 * @returns undefined if it is none
 * @throws Error if the provider's keys cannot be read
 */
export async function logoutIn(token: string, expected: Expected): Promise<Logout | undefined> {
  const { createRemoteJWKSet, errors, jwtVerify } = await import('jose');
  const { issuer, clientId: audience, keys } = expected;
  // The keys are read anew for each token, so that a withdrawn key does not count.
  const keySet = createRemoteJWKSet(new URL(keys), { timeoutDuration: keysWithinMs });
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      issuer,
      audience,
      algorithms: [...signatureAlgorithms],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
    });
    const { typ = 'JWT' } = protectedHeader;
    if (!['jwt', 'logout+jwt'].includes(typ.toLowerCase())) return undefined;
    const claims = claimsShape.safeParse(payload);
    if (!claims.success) return undefined;
    const { jti: id, sub: subject, sid: providerSession } = claims.data;
    return { id, subject, providerSession };
  } catch (error) {
    const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
    if (isOfToken && error.code !== 'ERR_JOSE_GENERIC') return undefined;
    throw error;
  }
}
