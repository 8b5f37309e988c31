import { createHash, randomBytes } from 'node:crypto';
import {
  isMislabelled,
  isStepUp,
  type Person,
  personId,
  type StepUpProof,
  stepUpProof,
  wasSeenSince,
} from '#domain/people';
import { type Command } from 'commander';
import { documentOf, type Issuer } from './issuer.js';
import { wordsOf } from './permitted.js';
import { Refused } from './refused.js';
import { type Anew } from './known-issuer.js';
import { flowHere, signIn } from './sign-in.js';
import { judge, type SignedIn } from './signed-in.js';

/**
 * The proof of presence to ask the issuer for.
 * @throws Refused if the issuer does not answer
 */
export async function proofOf(issuer: Issuer): Promise<StepUpProof> {
  const { acr_values_supported: offered } = await documentOf(issuer);
  return stepUpProof(issuer.stepUpAcr, offered);
}

/** A sign-in that was to prove presence. */
interface Asked {
  readonly proof: StepUpProof;
  /** The time at which the sign-in began, by our clock. */
  readonly begunAtMs: number;
}

/**
 * Says which of `auth_time` and `acr` falls short of a proof of presence (PEO-50), each with both values.
 * @returns an empty list if the issuer saw the person for this very sign-in, as it was asked to
 */
export function shortcomingsOf(
  { authenticatedAt, issuedAt, acr }: SignedIn,
  { proof, begunAtMs }: Asked,
): readonly string[] {
  const isAnew =
    authenticatedAt && wasSeenSince(begunAtMs, { authenticatedAt, issuedAt, now: new Date() });
  const lines: string[] = [];
  if (!isAnew) {
    const begunAt = new Date(begunAtMs).toISOString();
    const seenAt = authenticatedAt?.toISOString() ?? 'missing';
    lines.push(`auth_time is ${seenAt}, and this sign-in began at ${begunAt}: ${askedByBrowser}`);
  }
  if (!isStepUp(proof, acr)) {
    const received = typeof acr === 'string' ? acr.replace(/[^\x20-\x7e]/g, '?') : 'missing';
    lines.push(`acr is ${received}, and ${proof.asked.join(' or ')} is required: ${strongerProof}`);
  }
  return lines;
}

/** Warns about an issuer that calls a password a passkey. Anyone who learns the password then proves presence. */
export function warnOfLabel({ acr, amr }: Pick<SignedIn, 'acr' | 'amr'>): void {
  if (!isMislabelled(acr, amr)) return;
  process.stderr.write(
    `warning: acr is ${String(acr)}, but amr is ${String(amr)}: the issuer calls a password phishing-resistant; check its table of acr values\n`,
  );
}

const askedByBrowser =
  'an issuer may ignore in the device flow that it is to ask you anew; sign in without --device on a machine with a browser, or type the code in a private window';
const strongerProof =
  'use your passkey, on a machine with a browser without --device, since the device flow may not carry the request for it';

/** Notes a proof in the records; false if it is no later than each sign-in and proof of the person so far. */
export type NoteProof = (person: Person, authenticatedAt: Date) => Promise<boolean>;

/** The state of presence, as the records have it for the command's session. */
export interface Presence {
  /** True if `login --fresh` began the session within the last minutes. */
  readonly isProved: boolean;
  readonly noteProof: NoteProof;
  /** Undefined without a terminal at which a person could be asked. */
  readonly prove: ProveAnew | undefined;
}

/** Signs a person in once more, for one command. Resolves to the identity token. */
export type ProveAnew = (issuer: Issuer, anew: Anew) => Promise<string>;

/** Returns undefined unless a person is at a terminal. */
export function byTerminal(): ProveAnew | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (issuer, anew) => (await signIn(issuer, flowHere(), anew)).idToken;
}

/**
 * Makes sure of presence for a command with step-up. Its person proved presence with `login --fresh` within the last
 * minutes, or does so now for this very command. A plain sign-in is no proof, however fresh it is.
 * @returns true if they proved it now
 * @throws Refused, NotAnew
 */
export async function assertPresence(
  issuer: Issuer,
  found: SignedIn,
  command: Command,
  { isProved, noteProof, prove }: Presence,
): Promise<boolean> {
  const proof = await proofOf(issuer);
  if (isProved && isStepUp(proof, found.acr)) return false;
  if (!prove)
    throw new Refused([
      `${wordsOf(command)} needs a proof of presence of the last five minutes: npx pesapost login --fresh`,
    ]);
  process.stderr.write(`${wordsOf(command)} needs a fresh sign-in of ${found.name}\n`);
  const nonce = `${randomBytes(16).toString('base64url')}.${digestOf(command)}`;
  const begunAtMs = Date.now();
  const anew = await judge(issuer, await prove(issuer, { proof, nonce }));
  if ('why' in anew) throw new NotAnew([anew.why]);
  warnOfLabel(anew);
  const shortcomings = shortcomingsOf(anew, { proof, begunAtMs });
  if (!anew.authenticatedAt || shortcomings.length > 0) throw new NotAnew(shortcomings);
  if (anew.nonce !== undefined && anew.nonce !== nonce)
    throw new Refused(['the issuer’s answer is of another sign-in: nothing was done']);
  if (personId(anew.person) !== personId(found.person))
    throw new Refused([`${anew.name} confirmed, and ${found.name} is signed in: nothing was done`]);
  if (!(await noteProof(anew.person, anew.authenticatedAt)))
    throw new NotAnew([noLater(anew.authenticatedAt)]);
  return true;
}

/** The words for a proof that is as old as one that counted already. */
export function noLater(authenticatedAt: Date): string {
  return `auth_time is ${authenticatedAt.toISOString()}, which is no later than your last sign-in or proof: try again`;
}

/** The issuer's answer is no proof of presence. */
export class NotAnew extends Refused {
  /** @param reasons the values that fell short, and what to do */
  constructor(reasons: readonly string[]) {
    super(['the issuer’s answer is no proof of presence: nothing was done', ...reasons]);
  }
}

/** A digest of the command with all its arguments and options. */
function digestOf(command: Command): string {
  const told = [wordsOf(command), command.args, command.opts()];
  const text = JSON.stringify(told, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}
