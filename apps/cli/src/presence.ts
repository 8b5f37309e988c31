import { createHash, randomBytes } from 'node:crypto';
import { isStepUp, personId, type StepUpProof, stepUpCountsMs, stepUpProof } from '#domain/people';
import { type Command } from 'commander';
import { tokenByDevice } from './device-flow.js';
import { documentOf, type Issuer } from './issuer.js';
import { wordsOf } from './permitted.js';
import { Refused } from './refused.js';
import { type SignedIn, verified } from './signed-in.js';

/** Clocks of two machines. */
const skewMs = 10_000;

/** What the issuer is asked for where somebody is to prove presence. @throws Refused where it does not answer */
export async function proofOf(issuer: Issuer): Promise<StepUpProof> {
  const { acr_values_supported: offered } = await documentOf(issuer);
  return stepUpProof(issuer.stepUpAcr, offered);
}

/** Whether the issuer saw the person within the last minutes, and as it was to (PEO-13). */
export function isFresh({ authenticatedAt, acr }: SignedIn, proof: StepUpProof): boolean {
  const ageMs = Date.now() - (authenticatedAt?.getTime() ?? 0);
  // One of the future would count until then.
  return -skewMs <= ageMs && ageMs <= stepUpCountsMs + skewMs && isStepUp(proof, acr);
}

/** Signs somebody in once more, for one command. */
export type ProveAnew = typeof tokenByDevice;

/** Only a person at a terminal can. */
export function byTerminal(): ProveAnew | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? tokenByDevice : undefined;
}

/**
 * For a command with step-up: its person has signed in within the last minutes, or does so now for this very command.
 * @param prove undefined: nobody is there to be asked
 * @throws Refused
 */
export async function assertPresence(
  issuer: Issuer,
  found: SignedIn,
  command: Command,
  prove: ProveAnew | undefined,
): Promise<void> {
  const proof = await proofOf(issuer);
  if (isFresh(found, proof)) return;
  if (!prove)
    throw new Refused([
      `${wordsOf(command)} needs a sign-in of the last five minutes: npx pesapost login --fresh`,
    ]);
  process.stderr.write(`${wordsOf(command)} needs a fresh sign-in of ${found.name}\n`);
  const nonce = `${randomBytes(16).toString('base64url')}.${digestOf(command)}`;
  const anew = await verified(issuer, await prove(issuer, { proof, nonce }));
  if (!anew || !isFresh(anew, proof)) throw notAnew();
  if (anew.nonce !== undefined && anew.nonce !== nonce)
    throw new Refused(['the issuer’s answer is of another sign-in: nothing was done']);
  if (personId(anew.person) !== personId(found.person))
    throw new Refused([`${anew.name} confirmed, and ${found.name} is signed in: nothing was done`]);
}

export function notAnew(): Refused {
  return new Refused([
    'the issuer did not ask you anew, or not for the proof that OIDC_STEP_UP_ACR requires: nothing was done',
  ]);
}

/** Of everything that the command was told. */
function digestOf(command: Command): string {
  const told = [wordsOf(command), command.args, command.opts()];
  const text = JSON.stringify(told, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}
