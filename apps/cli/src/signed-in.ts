import { type Person } from '#domain/people';
import { hashSecret } from '#shared/signing';
import { signatureAlgorithms } from '#shared/openid';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { deadlineMs, documentOf, type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';
import { currentSignIn, type EndSession } from './renewal.js';
import { wordsOfAlgorithm } from './sign-in-refused.js';

/** A person who has signed in, and the end of that. */
export interface SignedIn {
  readonly person: Person;
  readonly name: string;
  readonly expiresAt: Date;
  /** `iat`. */
  readonly issuedAt: Date;
  /** The time at which the issuer last saw the person, if it says so. */
  readonly authenticatedAt: Date | undefined;
  /** The way in which they proved it, in the issuer's words. */
  readonly acr: unknown;
  /** The ways of that proof (RFC 8176), if the issuer names them. */
  readonly amr: unknown;
  readonly nonce: unknown;
}

/** A working day, even if the issuer's token lasts longer (PEO-51). */
export const longestMs = 12 * 3_600_000;

/** A sign-in that this user keeps, and the person whom it names. */
export interface Kept extends SignedIn {
  /** The hash by which the records know the session. */
  readonly hash: Buffer;
  /** True if the issuer is asked with each command if the person may stay. */
  readonly isRenewed: boolean;
}

/**
 * The person whom this user has signed in on this machine. The sign-in is renewed at the issuer, if it can be. The token
 * is checked with the issuer's keys, so an invented one is worth nothing.
 * @returns undefined if no one is signed in, or the time is over
 * @throws Refused if the issuer does not answer, or says that the person may not stay
 */
export async function signedIn(issuer: Issuer, endSession?: EndSession): Promise<Kept | undefined> {
  const kept = await currentSignIn(issuer, endSession);
  const found = kept && (await verified(issuer, kept.idToken));
  if (!found) return undefined;
  if (Date.now() - found.issuedAt.getTime() >= longestMs) return undefined;
  const isRenewed = kept.refreshToken !== undefined;
  return { ...found, hash: hashSecret(kept.session), isRenewed };
}

/**
 * @returns undefined if the token has expired, or the issuer did not sign it for the command line
 * @throws Refused
 */
export async function verified(issuer: Issuer, token: string): Promise<SignedIn | undefined> {
  const judged = await judge(issuer, token);
  return 'why' in judged ? undefined : judged;
}

/** The reason why a token names no one, in words. */
export interface Unfit {
  readonly why: string;
}

/** @throws Refused if the issuer does not answer */
export async function judge(issuer: Issuer, token: string): Promise<SignedIn | Unfit> {
  const { url, clientId: audience } = issuer;
  try {
    const { exp = 0 } = decodeJwt(token);
    if (exp * 1000 <= Date.now()) return { why: 'the issuer’s token has expired' };
    const { jwks_uri: keys } = await documentOf(issuer);
    const keySet = createRemoteJWKSet(new URL(keys), { timeoutDuration: deadlineMs });
    const { payload } = await jwtVerify(token, keySet, {
      issuer: url,
      audience,
      algorithms: [...signatureAlgorithms],
      requiredClaims: ['sub', 'exp'],
    });
    const { sub: subject = '', name, acr, amr, nonce, auth_time: at, azp, iat = 0 } = payload;
    // The token was signed for another client, with this one as a further audience.
    if (azp !== undefined && azp !== audience) return { why: 'the token is another client’s' };
    return {
      person: { issuer: url, subject },
      name: typeof name === 'string' ? name : subject,
      expiresAt: new Date(exp * 1000),
      issuedAt: new Date(iat * 1000),
      authenticatedAt: typeof at === 'number' ? new Date(at * 1000) : undefined,
      acr,
      amr,
      nonce,
    };
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
      throw unreachable(url);
    return { why: whyOf(error, issuer, token) };
  }
}

function whyOf(error: errors.JOSEError, issuer: Issuer, token: string): string {
  const { alg } = error instanceof errors.JOSEAlgNotAllowed ? decodeProtectedHeader(token) : {};
  if (alg !== undefined) return wordsOfAlgorithm(alg, issuer);
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : undefined;
  return `the issuer’s answer cannot be trusted (${claim === undefined ? error.code : `its ${claim}`})`;
}
