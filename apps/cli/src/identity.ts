import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { EventStore } from '#domain/event-sourcing';
import { type HeldRole, permits, type Person, personId, RolesInLog } from '#domain/people';
import { type Settings } from '#infra/runtime';
import { type Command } from 'commander';
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { withApp } from './app.js';
import { actions, withoutRole, wordsOf } from './permitted.js';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';

/** As an issuer knows the command line: a public client of the device flow. */
export const commandLineClient = 'pesapost-cli';

/** Who says who people are. */
export interface Issuer {
  readonly url: string;
  /** Whether people sign in for every change: under `npm start` a single machine's user may say who they are. */
  readonly isRequired: boolean;
}

/** The setting's, else the one that `npm start` runs. */
export async function issuerOf({ oidc, dataDir }: Settings): Promise<Issuer | undefined> {
  if (oidc !== undefined) return { url: oidc.issuer, isRequired: true };
  const text = await readFile(join(dataDir, 'run.json'), 'utf8').catch(() => '{}');
  const { oidc_issuer: url } = JSON.parse(text) as { readonly oidc_issuer?: string };
  return url === undefined ? undefined : { url, isRequired: false };
}

/** Somebody who has signed in, until when. */
export interface SignedIn {
  readonly person: Person;
  readonly name: string;
  readonly expiresAt: Date;
}

const deadlineMs = 10_000;
/** Whatever else an issuer offers: symmetric keys and `none` are no proof. */
const algorithms = ['RS256', 'ES256'];

/**
 * Who is signed in on this machine, by this user. The issuer's keys are asked for, so a token that was made up says
 * nothing.
 * @returns undefined where nobody is, or the time is over
 * @throws Refused where the issuer does not answer
 */
export async function signedIn({ url }: Issuer): Promise<SignedIn | undefined> {
  const { [url]: token } = await readTokens();
  return token === undefined ? undefined : verified(url, token);
}

async function verified(url: string, token: string): Promise<SignedIn | undefined> {
  try {
    const { exp = 0 } = decodeJwt(token);
    if (exp * 1000 <= Date.now()) return undefined;
    const { payload } = await jwtVerify(token, await keysOf(url), {
      ...{ issuer: url, audience: commandLineClient, algorithms },
      requiredClaims: ['sub', 'exp'],
    });
    const person = { issuer: url, subject: payload.sub ?? '' };
    const { name } = payload;
    return {
      person,
      name: typeof name === 'string' ? name : person.subject,
      expiresAt: new Date(exp * 1000),
    };
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
      throw unreachable(url);
    return undefined;
  }
}

async function keysOf(url: string): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const response = await fetch(`${url.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(deadlineMs),
  });
  const { issuer, jwks_uri: keys } = z
    .object({ issuer: z.string(), jwks_uri: z.url() })
    .parse(await response.json());
  if (issuer !== url) throw unreachable(url);
  return createRemoteJWKSet(new URL(keys), { timeoutDuration: deadlineMs });
}

export function unreachable(url: string): Refused {
  return new Refused([`the issuer of identities, ${url}, does not answer as one: is it running?`]);
}

/** As the log has them now. */
function rolesInLog(person: Person): Promise<readonly HeldRole[]> {
  return withApp((app) =>
    new RolesInLog(app.get<EventStore>(EventStore), () => performance.now()).rolesOf(person),
  );
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
    // Damaged: nobody is signed in, and the next sign-in writes it anew.
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

/** The machine's user, beside a name that was typed. */
export function userAtHost(): string {
  return `${userInfo().username}@${hostname()}`;
}

/**
 * Settles who acts before a command that takes `--as` begins: who is signed in, if their roles permit it. Where an issuer
 * is set nothing that is typed counts (PEO-11).
 * @throws Refused
 */
export async function settleWhoActs(
  command: Command,
  rolesOf: (person: Person) => Promise<readonly HeldRole[]> = rolesInLog,
): Promise<void> {
  const words = wordsOf(command);
  if (command.getOptionValueSource('as') === undefined || words === withoutRole) return;
  const isTyped = command.getOptionValueSource('as') === 'cli';
  const issuer = await issuerOf(settingsOrRefused());
  if (!issuer) return;
  if (isTyped) {
    if (!issuer.isRequired) return;
    throw new Refused([
      '--as: where OIDC_ISSUER is set, who acts is who is signed in: npx pesapost login',
    ]);
  }
  const found = await signedIn(issuer);
  if (found) {
    const { [words]: action } = actions;
    const { merchant } = command.opts<{ readonly merchant?: string }>();
    if (action === undefined || !permits(await rolesOf(found.person), action, merchant))
      throw new Refused([`${found.name} has no role that permits this: npx pesapost role list`]);
    command.setOptionValueWithSource('as', personId(found.person), 'identity');
    command.setOptionValue('isSignedIn', true);
  } else if (issuer.isRequired) {
    throw new Refused(['nobody is signed in, or no more: npx pesapost login']);
  }
}
