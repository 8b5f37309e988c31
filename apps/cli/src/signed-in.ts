import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Person } from '#domain/people';
import { hashSecret } from '#shared/signing';
import { signatureAlgorithms } from '#shared/openid';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { deadlineMs, documentOf, type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';
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

/** An identity token that this user keeps, and the person whom it names. */
export interface Kept extends SignedIn {
  /** SHA-256 of the token, by which the records know the session. */
  readonly hash: Buffer;
}

/**
 * The person whom this user has signed in on this machine. The token is checked with the issuer's keys, so an invented
 * one is worth nothing.
 * @returns undefined if no one is signed in, or the time is over
 * @throws Refused if the issuer does not answer
 */
export async function signedIn(issuer: Issuer): Promise<Kept | undefined> {
  const { [issuer.url]: token } = await readTokens();
  const found = token === undefined ? undefined : await verified(issuer, token);
  if (token === undefined || !found) return undefined;
  if (Date.now() - found.issuedAt.getTime() >= longestMs) return undefined;
  return { ...found, hash: hashSecret(token) };
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

/** The user's own file of tokens, by issuer. */
function tokenFile(): { readonly folder: string; readonly file: string } {
  const home = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const folder = join(home, 'pesapost');
  return { folder, file: join(folder, 'identities.json') };
}

async function readTokens(): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(tokenFile().file, 'utf8').catch(() => '{}');
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    // If the file is damaged, no one is signed in, and the next sign-in writes it again.
    return {};
  }
}

/**
 * Keeps the token in a file that only this user can read.
 * @param token undefined to remove it
 */
export async function keepToken({ url }: Issuer, token: string | undefined): Promise<void> {
  const { folder, file } = tokenFile();
  const { [url]: _before, ...others } = await readTokens();
  const tokens = token === undefined ? others : { ...others, [url]: token };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(tokens)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, file);
}
