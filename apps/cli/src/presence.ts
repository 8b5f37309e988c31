import { createHash, randomBytes } from 'node:crypto';
import {
  isStepUp,
  type Person,
  personId,
  type StepUpProof,
  stepUpProof,
  wasSeenSince,
} from '#domain/people';
import { type Command } from 'commander';
import { tokenByDevice } from './device-flow.js';
import { documentOf, type Issuer } from './issuer.js';
import { wordsOf } from './permitted.js';
import { Refused } from './refused.js';
import { type SignedIn, verified } from './signed-in.js';

/**
 * The proof of presence to ask the issuer for.
 * @throws Refused if the issuer does not answer
 */
export async function proofOf(issuer: Issuer): Promise<StepUpProof> {
  const { acr_values_supported: offered } = await documentOf(issuer);
  return stepUpProof(issuer.stepUpAcr, offered);
}

/**
 * True if the issuer saw the person for this very sign-in, as it was asked to (PEO-50).
 * @param begunAtMs the time at which the sign-in began, by our clock
 */
export function isSeenAnew(
  { authenticatedAt, issuedAt, acr }: SignedIn,
  { proof, begunAtMs }: { readonly proof: StepUpProof; readonly begunAtMs: number },
): boolean {
  if (!authenticatedAt || !isStepUp(proof, acr)) return false;
  return wasSeenSince(begunAtMs, { authenticatedAt, issuedAt, now: new Date() });
}

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

/** Signs a person in once more, for one command. */
export type ProveAnew = typeof tokenByDevice;

/** Returns undefined unless a person is at a terminal. */
export function byTerminal(): ProveAnew | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? tokenByDevice : undefined;
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
  const anew = await verified(issuer, await prove(issuer, { proof, nonce }));
  if (!anew?.authenticatedAt || !isSeenAnew(anew, { proof, begunAtMs })) throw new NotAnew();
  if (anew.nonce !== undefined && anew.nonce !== nonce)
    throw new Refused(['the issuer’s answer is of another sign-in: nothing was done']);
  if (personId(anew.person) !== personId(found.person))
    throw new Refused([`${anew.name} confirmed, and ${found.name} is signed in: nothing was done`]);
  if (!(await noteProof(anew.person, anew.authenticatedAt))) throw new NotAnew();
  return true;
}

/** The issuer's answer is no proof of presence. */
export class NotAnew extends Refused {
  constructor() {
    super([
      'the issuer did not ask you anew, or not for the proof that counts (a passkey: phr or phrh): nothing was done; try again',
    ]);
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
