import { hostname, userInfo } from 'node:os';
import { EventStore } from '#domain/event-sourcing';
import {
  type Action,
  type HeldRole,
  isMachinesOwner,
  needsStepUp,
  permits,
  personId,
  personOf,
  type RoleEvent,
  RolesInLog,
  roleStream,
} from '#domain/people';
import { type Session, Sessions } from '#edges/portal';
import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { withApp } from './app.js';
import { withLog } from './with-log.js';
import { type Issuer, issuerOf } from './issuer.js';
import { actions, firstAdmins, withoutAction, withoutRole, wordsOf } from './permitted.js';
import { assertPresence, byTerminal, type NoteProof, type ProveAnew } from './presence.js';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';
import { type Kept, longestMs, type SignedIn, signedIn, verified } from './signed-in.js';

/** What log and records know of a person and of the session that they act in. */
export interface Standing {
  readonly roles: readonly HeldRole[];
  /** Undefined if the session was ended or never began: then nobody is signed in. */
  readonly session: Pick<Session, 'isProved'> | undefined;
}

/** The parts of the outside that decide who acts. */
export interface Ports {
  readonly standingOf: (found: Kept) => Promise<Standing>;
  /** The issuers of everybody who ever had a role. */
  readonly issuersOfRoles: () => Promise<IssuersOfRoles>;
  readonly noteProof: NoteProof;
  readonly prove: ProveAnew | undefined;
}

function outside(): Ports {
  return {
    standingOf: (found) =>
      withApp(async (app) => {
        const session = await openSession(app, found);
        const store = app.get<EventStore>(EventStore);
        const roles = new RolesInLog(store, () => performance.now());
        return { session, roles: session ? await roles.rolesOf(found.person) : [] };
      }),
    issuersOfRoles: issuersInLog,
    noteProof: (person, at) => withApp((app) => app.get(Sessions).proveAnew(person, at)),
    prove: byTerminal(),
  };
}

/** Returns the session of a kept token; undefined if it was ended, here or elsewhere (PEO-51). */
export async function openSession(
  app: INestApplicationContext,
  { hash, person }: Kept,
): Promise<Session | undefined> {
  const session = await app.get(Sessions).use(hash, longestMs);
  if (session?.kind !== 'command_line') return undefined;
  return personId(session.person) === personId(person) ? session : undefined;
}

/** Who signed in everybody that ever had a role; undefined if the log never had one. */
export type IssuersOfRoles = ReadonlySet<string | undefined> | undefined;

/** The log decides whether typed names count, not the environment (PEO-40). */
function issuersInLog(): Promise<IssuersOfRoles> {
  return withLog(async (store) => {
    const events = await store.readStream<RoleEvent>(roleStream);
    if (events.length === 0) return undefined;
    const granted = events.flatMap(({ type, data }) =>
      type === 'RoleGranted' ? [data.person] : [],
    );
    return new Set(granted.map((person) => personOf(person)?.issuer));
  });
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

/**
 * Settles who acts before a command begins, and whether they may: who is signed in, by their roles and, for what needs it
 * in the portal, by a fresh sign-in; under `npm start` else whoever has the machine. From the first role in the log on,
 * nothing that is typed counts, whatever the environment says (PEO-11, PEO-13, PEO-40).
 * @throws Refused
 */
export async function settleWhoActs(command: Command, ports: Ports = outside()): Promise<void> {
  const words = wordsOf(command);
  const isTyped = command.getOptionValueSource('as') === 'cli';
  const isFree = withoutRole.has(words) && words !== firstAdmins;
  if (isFree && !isTyped) return;
  const issuer = issuerOf(settingsOrRefused());
  const issuers = await ports.issuersOfRoles();
  if (isTyped) refuseTyped(issuer, issuers !== undefined);
  if (isFree) return;
  if (!issuer) {
    if (issuers === undefined || words === firstAdmins) return;
    throw new Refused([
      'people have roles here, so that who acts is who is signed in: set OIDC_ISSUER and OIDC_CLIENT_ID, then npx pesapost login',
    ]);
  }
  if (words === firstAdmins && issuer.ownerToken === undefined) return;
  const found = words === firstAdmins ? undefined : await signedIn(issuer);
  const { session, roles } = found
    ? await ports.standingOf(found)
    : { session: undefined, roles: [] };
  if (found && session) {
    const presence = { ...ports, isProved: session.isProved };
    if (withoutAction.has(words)) await assertPresence(issuer, found, command, presence);
    else {
      const { action, isMerchants } = assertPermitted(command, found, roles);
      if (isMerchants) command.setOptionValue('isMerchants', true);
      if (needsStepUp(action)) await assertPresence(issuer, found, command, presence);
    }
    actAs(command, found);
    command.setOptionValue('isSignedIn', true);
    return;
  }
  await actAsOwner(command, issuer, issuers);
}

/** Whoever has a machine of `npm start`, if every role there was given to people of its own provider. */
async function actAsOwner(
  command: Command,
  issuer: Issuer,
  issuers: IssuersOfRoles,
): Promise<void> {
  const isOwn = [...(issuers ?? [])].every((one) => one === issuer.url);
  if (issuer.ownerToken === undefined || !isOwn)
    throw new Refused(['nobody is signed in, or no more: npx pesapost login']);
  // What changes nothing is shown to whoever has the machine: nobody is noted.
  if (!saysWho(command)) return;
  const owner = await machinesOwner(issuer);
  if (owner) actAs(command, owner);
}

/** A typed name is refused if an issuer is set or the log has roles. */
function refuseTyped(issuer: Issuer | undefined, hasRoles: boolean): void {
  if (hasRoles)
    throw new Refused([
      '--as: people have roles here, so that who acts is who is signed in: npx pesapost login',
    ]);
  if (issuer === undefined) return;
  if (issuer.ownerToken === undefined)
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

function assertPermitted(
  command: Command,
  { name }: SignedIn,
  roles: readonly HeldRole[],
): { readonly action: Action; readonly isMerchants: boolean } {
  const { [wordsOf(command)]: action } = actions;
  const { merchant } = command.opts<{ readonly merchant?: string }>();
  if (action !== undefined && permits(roles, action, merchant))
    return { action, isMerchants: !permits(roles, action) };
  throw new Refused([`${name} has no role that permits this: an admin grants it with role grant`]);
}

function actAs(command: Command, { person }: SignedIn): void {
  if (saysWho(command)) command.setOptionValueWithSource('as', personId(person), 'identity');
}
