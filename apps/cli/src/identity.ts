import { hostname, userInfo } from 'node:os';
import { EventStore } from '#domain/event-sourcing';
import {
  type Action,
  type HeldRole,
  isMachinesOwner,
  needsStepUp,
  permits,
  type Person,
  personId,
  RolesInLog,
} from '#domain/people';
import { type Command } from 'commander';
import { withApp } from './app.js';
import { type Issuer, issuerOf } from './issuer.js';
import { actions, firstAdmins, withoutRole, wordsOf } from './permitted.js';
import { assertPresence, byTerminal, type ProveAnew } from './presence.js';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';
import { type SignedIn, signedIn, verified } from './signed-in.js';

/** As the log has them now. */
function rolesInLog(person: Person): Promise<readonly HeldRole[]> {
  return withApp((app) =>
    new RolesInLog(app.get<EventStore>(EventStore), () => performance.now()).rolesOf(person),
  );
}

/** The machine's user: beside a name that was typed, and beside the machine's owner. */
export function userAtHost(): string {
  return `${userInfo().username}@${hostname()}`;
}

/**
 * Whoever has this machine, where `npm start` says so (PEO-11): one person, whatever is typed.
 * @throws Refused where its token is not the issuer's
 */
export async function machinesOwner(issuer: Issuer): Promise<SignedIn | undefined> {
  if (issuer.ownerToken === undefined) return undefined;
  const owner = await verified(issuer, issuer.ownerToken);
  if (owner && isMachinesOwner(owner.person)) return owner;
  throw new Refused(['run.json names no owner of this machine any more: start npm start again']);
}

interface Ports {
  readonly rolesOf: (person: Person) => Promise<readonly HeldRole[]>;
  readonly prove: ProveAnew | undefined;
}

/**
 * Settles who acts before a command begins, and whether they may: who is signed in, by their roles and, for what needs it
 * in the portal, by a fresh sign-in; under `npm start` else whoever has the machine. Where an issuer is set nothing that
 * is typed counts (PEO-11, PEO-13).
 * @throws Refused
 */
export async function settleWhoActs(
  command: Command,
  { rolesOf, prove }: Ports = { rolesOf: rolesInLog, prove: byTerminal() },
): Promise<void> {
  const words = wordsOf(command);
  if (withoutRole.has(words) && words !== firstAdmins) return;
  const issuer = issuerOf(settingsOrRefused());
  if (!issuer || (words === firstAdmins && issuer.ownerToken === undefined)) return;
  refuseTyped(command, issuer);
  const found = words === firstAdmins ? undefined : await signedIn(issuer);
  if (found) {
    const { action, isMerchants } = await assertPermitted(command, found, rolesOf);
    if (isMerchants) command.setOptionValue('isMerchants', true);
    if (needsStepUp(action)) await assertPresence(issuer, found, command, prove);
    actAs(command, found);
    command.setOptionValue('isSignedIn', true);
    return;
  }
  if (issuer.ownerToken === undefined)
    throw new Refused(['nobody is signed in, or no more: npx pesapost login']);
  // What changes nothing is shown to whoever has the machine: nobody is noted.
  if (!saysWho(command)) return;
  const owner = await machinesOwner(issuer);
  if (owner) actAs(command, owner);
}

/** Where people must sign in, `--as` is refused; on a machine of `npm start` it is said that it does not count. */
function refuseTyped(command: Command, { ownerToken }: Issuer): void {
  if (command.getOptionValueSource('as') !== 'cli') return;
  if (ownerToken === undefined)
    throw new Refused([
      '--as: where OIDC_ISSUER is set, who acts is who is signed in: npx pesapost login',
    ]);
  process.stderr.write(
    '--as names nobody here: who acts is who is signed in, else whoever has this machine (npx pesapost whoami)\n',
  );
}

function saysWho(command: Command): boolean {
  return command.getOptionValueSource('as') !== undefined;
}

async function assertPermitted(
  command: Command,
  { person, name }: SignedIn,
  rolesOf: Ports['rolesOf'],
): Promise<{ readonly action: Action; readonly isMerchants: boolean }> {
  const { [wordsOf(command)]: action } = actions;
  const { merchant } = command.opts<{ readonly merchant?: string }>();
  const roles = await rolesOf(person);
  if (action !== undefined && permits(roles, action, merchant))
    return { action, isMerchants: !permits(roles, action) };
  throw new Refused([`${name} has no role that permits this: an admin grants it with role grant`]);
}

function actAs(command: Command, { person }: SignedIn): void {
  if (saysWho(command)) command.setOptionValueWithSource('as', personId(person), 'identity');
}
