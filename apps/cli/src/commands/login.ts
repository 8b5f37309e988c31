import { personId } from '#domain/people';
import { Sessions } from '#records/people';
import { hashSecret } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import {
  issuersInLog,
  machinesOwner,
  noteIn,
  openSession,
  userAtHost,
  withPresenceOf,
} from '../identity.js';
import { type Issuer, issuerOf } from '../issuer.js';
import { noLater, NotAnew, proofOf, shortcomingsOf, warnOfLabel } from '../presence.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { settingsOrRefused } from '../settings.js';
import { flowHere, signIn } from '../sign-in.js';
import { notSignedIn } from '../sign-in-refused.js';
import { keepSignIn, keptOf, type KeptSignIn } from '../kept-sign-in.js';
import { judge, type Kept, longestMs, type SignedIn, signedIn } from '../signed-in.js';
import { plainCommand } from './plain-command.js';

interface Options {
  readonly json?: true;
}

interface LoginOptions extends Options {
  readonly fresh?: true;
  readonly device?: true;
}

export const login = plainCommand(
  'login',
  'signs you in with the browser of this machine, or with a code for another one',
  'login',
)
  .option('--fresh', 'proves that it is you; commands that decide about money or access need this')
  .option('--device', 'prints a code for any browser, as it does on a machine without a display')
  .action(async ({ fresh, device, json }: LoginOptions) => {
    const issuer = issuerOrRefused();
    const proof = fresh
      ? await proofOf(await withPresenceOf(issuer, await issuersInLog()))
      : undefined;
    const begunAtMs = Date.now();
    const flow = device ? 'device' : flowHere();
    const kept = keptOf(await signIn(issuer, flow, proof && { proof }));
    const found = await judge(issuer, kept.idToken);
    if ('why' in found) throw notSignedIn(found.why);
    warnOfLabel(found);
    await withApp(async (app) => {
      const shortcomings = proof ? shortcomingsOf(found, { proof, begunAtMs }) : [];
      const isOpen =
        shortcomings.length === 0 &&
        (await begin(app.get(Sessions), { found, kept, isFresh: fresh === true, begunAtMs }));
      await note(app, found, isOpen, fresh === true);
      if (shortcomings.length > 0) throw new NotAnew(shortcomings);
      if (!isOpen) throw new NotAnew([noLater(found.authenticatedAt ?? found.issuedAt)]);
    });
    await keepSignIn(issuer, kept);
    await tell(issuer, json);
  });

interface Begun {
  readonly found: SignedIn;
  readonly kept: KeptSignIn;
  readonly isFresh: boolean;
  readonly begunAtMs: number;
}

/** Notes the sign-in for the security log (PEO-60). */
async function note(
  app: INestApplicationContext,
  { person }: SignedIn,
  isOpen: boolean,
  isFresh: boolean,
): Promise<void> {
  const of = { person, command: 'login' };
  if (!isOpen) await noteIn(app, 'presence_not_proved', of);
  else await noteIn(app, 'signed_in', of);
  if (isOpen && isFresh) await noteIn(app, 'presence_proved', of);
}

/**
 * Opens the session that later commands use (PEO-51).
 * @returns false if a proof is no later than an earlier one
 * @throws Refused if the person signed out everywhere meanwhile
 */
async function begin(
  sessions: Sessions,
  { found, kept, isFresh, begunAtMs }: Begun,
): Promise<boolean> {
  const { person, name, issuedAt, expiresAt, authenticatedAt = issuedAt } = found;
  if (isFresh && !(await sessions.proveAnew(person, authenticatedAt))) return false;
  const hash = hashSecret(kept.session);
  const tokenMs = expiresAt.getTime() - Date.now();
  const lastsMs = kept.refreshToken === undefined ? Math.min(longestMs, tokenMs) : longestMs;
  const isOpen = await sessions.open(
    { hash, person, name, authenticatedAt, kind: 'command_line', isProved: isFresh },
    { idleMs: lastsMs, absoluteMs: lastsMs },
    Date.now() - begunAtMs,
  );
  if (!isOpen) throw new Refused(['you signed out everywhere meanwhile: sign in once more']);
  return true;
}

export const logout = plainCommand(
  'logout',
  'signs you out everywhere, in browsers too',
  'logout',
).action(async ({ json }: Options) => {
  const issuer = issuerOrRefused();
  const found = await signedIn(issuer).catch(() => undefined);
  await keepSignIn(issuer, undefined);
  if (found) await endEverywhere(found);
  if (json) printJson({});
  else printLines([found ? `${found.name} is signed out everywhere` : 'no one is signed in']);
});

/** Ends all sessions of the person. A token of a session that is over has no right to do so. */
async function endEverywhere(found: Kept): Promise<void> {
  try {
    await withApp(async (app) => {
      if (!(await openSession(app, found))) return;
      await app.get(Sessions).endAll(found.person);
      await noteIn(app, 'signed_out', { person: found.person, command: 'logout' });
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refused([
      `this machine forgot you, but your other sessions continue, because the records cannot be read (${why}): sign out in the portal`,
    ]);
  }
}

export const whoami = plainCommand('whoami', 'shows who acts', 'whoami').action(
  async ({ json }: Options) => {
    const issuer = issuerOf(settingsOrRefused());
    if (issuer) await tell(issuer, json);
    else if (json) printJson({ person: null, machine: userAtHost() });
    else printLines([`no issuer is set: ${userAtHost()} acts, under the name of --as`]);
  },
);

async function tell(issuer: Issuer, json: true | undefined): Promise<void> {
  const kept = await signedIn(issuer);
  const session = kept && (await withApp((app) => openSession(app, kept)));
  const found = session && kept;
  const owner = found ? undefined : await machinesOwner(issuer, await issuersInLog());
  const who = found ?? owner;
  if (!who)
    throw new Refused(['no one is signed in, or the session has ended: npx pesapost login']);
  const { person, name, expiresAt } = who;
  const [id, until] = [personId(person), expiresAt.toISOString()];
  if (json) printJson({ person: id, name, expires_at: until });
  else if (owner) printLines([`no one is signed in: the machine’s owner acts, as ${id}`]);
  else if (found?.isRenewed)
    printLines([`${name} is signed in, for as long as the issuer renews it, 12 h at most: ${id}`]);
  else printLines([`${name} is signed in until ${until}: ${id}`]);
}

function issuerOrRefused(): Issuer {
  const issuer = issuerOf(settingsOrRefused());
  if (issuer) return issuer;
  throw new Refused(['no issuer: set OIDC_ISSUER, or run npm start first']);
}
