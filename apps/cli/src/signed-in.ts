import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Person } from '#domain/people';
import { hashSecret } from '#shared/signing';
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { deadlineMs, documentOf, type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';

/** Somebody who has signed in, until when. */
export interface SignedIn {
  readonly person: Person;
  readonly name: string;
  readonly expiresAt: Date;
  /** `iat`. */
  readonly issuedAt: Date;
  /** When the issuer last saw that it is them, as far as it says. */
  readonly authenticatedAt: Date | undefined;
  /** How they proved it, in the issuer's words. */
  readonly acr: unknown;
  readonly nonce: unknown;
}

/** Whatever else an issuer offers: symmetric keys and `none` are no proof. */
const algorithms = ['RS256', 'ES256'];

/** A working day, however long the issuer's token lasts (PEO-51). */
export const longestMs = 12 * 3_600_000;

/** An identity token that this user keeps, and whom it names. */
export interface Kept extends SignedIn {
  /** SHA-256 of the token, by which the records know the session. */
  readonly hash: Buffer;
}

/**
 * Who is signed in on this machine, by this user. The issuer's keys are asked for, so a token that was made up says
 * nothing.
 * @returns undefined where nobody is, or the time is over
 * @throws Refused where the issuer does not answer
 */
export async function signedIn(issuer: Issuer): Promise<Kept | undefined> {
  const { [issuer.url]: token } = await readTokens();
  const found = token === undefined ? undefined : await verified(issuer, token);
  if (token === undefined || !found) return undefined;
  if (Date.now() - found.issuedAt.getTime() >= longestMs) return undefined;
  return { ...found, hash: hashSecret(token) };
}

/** @returns undefined where the token is over, or not what the issuer signed for the command line. @throws Refused */
export async function verified(issuer: Issuer, token: string): Promise<SignedIn | undefined> {
  const { url, clientId: audience } = issuer;
  try {
    const { exp = 0 } = decodeJwt(token);
    if (exp * 1000 <= Date.now()) return undefined;
    const { jwks_uri: keys } = await documentOf(issuer);
    const keySet = createRemoteJWKSet(new URL(keys), { timeoutDuration: deadlineMs });
    const { payload } = await jwtVerify(token, keySet, {
      issuer: url,
      audience,
      algorithms,
      requiredClaims: ['sub', 'exp'],
    });
    const { sub: subject = '', name, acr, nonce, auth_time: at, azp, iat = 0 } = payload;
    // Signed for another client, for which this one is an audience beside it.
    if (azp !== undefined && azp !== audience) return undefined;
    return {
      person: { issuer: url, subject },
      name: typeof name === 'string' ? name : subject,
      expiresAt: new Date(exp * 1000),
      issuedAt: new Date(iat * 1000),
      authenticatedAt: typeof at === 'number' ? new Date(at * 1000) : undefined,
      acr,
      nonce,
    };
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
      throw unreachable(url);
    return undefined;
  }
}

/** Of the user's own, by issuer. */
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
    // Damaged: nobody is signed in, and the next sign-in writes it again.
    return {};
  }
}

/** For this user's eyes alone. @param token undefined: there is none any more */
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
