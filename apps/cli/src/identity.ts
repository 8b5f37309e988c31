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
  personOf,
  type RoleEvent,
  RolesInLog,
  roleStream,
} from '#domain/people';
import { type CommandLineAct, noteAct, type Session, Sessions } from '#records/people';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { firstRoleGranted } from '#views/acts';
import { liveDataOf, viewSchema } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { checkBeforeWork, withApp } from './app.js';
import { withLog } from './with-log.js';
import { type Issuer, issuerOf } from './issuer.js';
import {
  actions,
  firstAdmins,
  withoutAction,
  withoutPresence,
  withoutRole,
  wordsOf,
} from './permitted.js';
import { assertPresence, byTerminal, NotAnew, type NoteProof, type ProveAnew } from './presence.js';
import { Refused } from './refused.js';
import { serversOf } from './servers.js';
import { settingsOrRefused } from './settings.js';
import { type Kept, longestMs, type SignedIn, signedIn, verified } from './signed-in.js';

/** Facts that the log and the records have about a person and the session that they act in. */
export interface Standing {
  readonly roles: readonly HeldRole[];
  /** Undefined if the session was ended or never began: then no one is signed in. */
  readonly session: Pick<Session, 'isProved'> | undefined;
}

/** Notes an act of a person for the security log. */
type NoteAct = (event: CommandLineAct['event'], of: ActOf) => Promise<void>;

interface ActOf {
  readonly person: Person;
  /** The command's words. */
  readonly command: string;
}

/** The parts of the outside world that decide who acts. */
export interface Ports {
  readonly standingOf: (found: Kept) => Promise<Standing>;
  /** The issuers of all people who ever had a role. */
  readonly issuersOfRoles: () => Promise<IssuersOfRoles>;
  readonly mayHaveLiveData: () => Promise<boolean>;
  readonly noteProof: NoteProof;
  /** Notes an act for the security log (PEO-60). */
  readonly note: NoteAct;
  readonly prove: ProveAnew | undefined;
}

function outside(): Ports {
  return {
    standingOf: (found) => withApp((app) => standingIn(app, found)),
    issuersOfRoles: issuersInLog,
    mayHaveLiveData,
    noteProof: (person, at) => withApp((app) => app.get(Sessions).proveAnew(person, at)),
    note: (event, of) => withApp((app) => noteIn(app, event, of)),
    prove: byTerminal(),
  };
}

async function standingIn(app: INestApplicationContext, found: Kept): Promise<Standing> {
  const session = await openSession(app, found);
  const roles = new RolesInLog(app.get<EventStore>(EventStore), () => performance.now());
  return { session, roles: session ? await roles.rolesOf(found.person) : [] };
}

/** Has the worker write the act to its security log (PEO-60). @throws DependencyUnavailable */
export async function noteIn(
  app: INestApplicationContext,
  event: CommandLineAct['event'],
  { person, command }: ActOf,
): Promise<void> {
  const act = { event, personId: personId(person), command, machine: userAtHost() };
  await noteAct(app.get(Database), act);
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

/** The issuers of all people who ever had a role; undefined if the log never had a role. */
export type IssuersOfRoles = ReadonlySet<string | undefined> | undefined;

/**
 * The log decides whether typed names count, not the environment (PEO-40). A log without the first role of the database's
 * views is not that database's log. If it is empty, no issuer of its roles is known.
 * @throws Refused if the log has other roles than the database
 */
export function issuersInLog(): Promise<IssuersOfRoles> {
  return withLog(async (store) => {
    const [events, first] = await Promise.all([
      store.readStream<RoleEvent>(roleStream),
      firstRoleInViews(),
    ]);
    if (events.length === 0) return first ? new Set([undefined]) : undefined;
    if (first && !events.some(({ position }) => position === first.position))
      throw new Refused([
        'EVENTSTORE_URL is not the log of this database, which has roles of other people: set both to the servers of one service',
      ]);
    const granted = events.flatMap(({ type, data }) =>
      type === 'RoleGranted' ? [data.person] : [],
    );
    return new Set(granted.map((person) => personOf(person)?.issuer));
  });
}

/** Undefined as well if the database cannot be asked: then the command changes nothing in it. */
async function firstRoleInViews(): ReturnType<typeof firstRoleGranted> {
  const { databaseUrl: url } = await serversOf(settingsOrRefused());
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const searchPath = [viewSchema()];
  const database = new Database({ url, app: 'cli', logger, searchPath, poolSize: 1 });
  return firstRoleGranted(database)
    .catch(() => undefined)
    .finally(() => database.close());
}

/** The machine's user, who is recorded beside a typed name and beside the machine's owner. */
export function userAtHost(): string {
  return `${userInfo().username}@${hostname()}`;
}

/**
 * Returns the owner of a machine of `npm start` (PEO-11). It is one person, whatever is typed. Undefined on any other
 * machine, and if the log gave a role to a person of another provider (PEO-40).
 * @throws Refused if the token in run.json is not the issuer's
 */
export async function machinesOwner(
  issuer: Issuer,
  issuers: IssuersOfRoles,
): Promise<SignedIn | undefined> {
  const isOwn = [...(issuers ?? [])].every((one) => one === issuer.url);
  if (issuer.owner === undefined || !isOwn) return undefined;
  const owner = await verified(issuer, issuer.owner.token);
  if (owner && isMachinesOwner(owner.person)) return owner;
  throw new Refused(['run.json names no owner of this machine any more: start npm start again']);
}

/** True unless the log has only demo data. Views that are being built may hide live data. */
export function mayHaveLiveData(): Promise<boolean> {
  return withApp(async (app) => (await liveDataOf(app.get(Database))) !== 'none');
}

/**
 * Under `npm start`, lets a person prove presence in the way that the demo's provider supports, unless there is live
 * data (PEO-13).
 * @throws Refused like machinesOwner
 */
export async function withPresenceOf(
  issuer: Issuer,
  issuers: IssuersOfRoles,
  isLive: () => Promise<boolean> = mayHaveLiveData,
): Promise<Issuer> {
  const { owner } = issuer;
  if (!owner || !(await machinesOwner(issuer, issuers)) || (await isLive())) return issuer;
  return { ...issuer, stepUpAcr: owner.stepUpAcr };
}

/**
 * Settles who acts before a command begins, and if they may. A person who is signed in needs the role and, for an
 * action that needs it in the portal, a fresh sign-in. Under `npm start`, if no one is signed in, the machine's owner
 * acts. Once the log has a role, no typed name counts, whatever the environment says (PEO-11, PEO-13, PEO-40).
 * @throws Refused
 */
export async function settleWhoActs(command: Command, ports: Ports = outside()): Promise<void> {
  checkBeforeWork(undefined);
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
      'people have roles here, so only a person who is signed in may act: set OIDC_ISSUER and OIDC_CLIENT_ID, then npx pesapost login',
    ]);
  }
  if (words === firstAdmins && issuer.owner === undefined) return;
  const found = words === firstAdmins ? undefined : await signedIn(issuer);
  const { session, roles } = found
    ? await ports.standingOf(found)
    : { session: undefined, roles: [] };
  if (found && session) {
    await acting({ person: found.person, command: words }, ports.note, async () => {
      if (!assertMay(command, found, roles)) return;
      const proving = await withPresenceOf(issuer, issuers, ports.mayHaveLiveData);
      const how = { ...ports, isProved: session.isProved };
      if (await assertPresence(proving, found, command, how))
        await ports.note('presence_proved', { person: found.person, command: words });
    });
    actAs(command, found);
    command.setOptionValue('isSignedIn', true);
    checkBeforeWork((app) => mayStill(command, found, app));
    return;
  }
  const asOwner = () => actAsOwner(command, issuer, issuers);
  if (!found) await asOwner();
  // A token whose session has ended may be stolen.
  else await acting({ person: found.person, command: words }, ports.note, asOwner);
}

/**
 * Checks the person once more when the command's work begins. A proof, or a file that the command reads, may have taken
 * minutes, in which the session ended or the role was revoked (PEO-61).
 * @throws Refused
 */
async function mayStill(
  command: Command,
  found: Kept,
  app: INestApplicationContext,
): Promise<void> {
  const of = { person: found.person, command: wordsOf(command) };
  const note: NoteAct = (event, act) => noteIn(app, event, act);
  await acting(of, note, async () => {
    const { session, roles } = await standingIn(app, found);
    if (!session) throw new Refused(['your session has ended meanwhile: npx pesapost login']);
    assertMay(command, found, roles);
  });
}

/**
 * Notes a refusal of a person who is signed in before the command shows it (PEO-60).
 * @throws Refused as `work` does
 */
async function acting(of: ActOf, note: NoteAct, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused)
      await note(error instanceof NotAnew ? 'presence_not_proved' : 'refused', of);
    throw error;
  }
}

/**
 * @returns true if the person must prove presence as well
 * @throws Refused
 */
function assertMay(command: Command, found: SignedIn, roles: readonly HeldRole[]): boolean {
  const words = wordsOf(command);
  if (withoutAction.has(words)) return !withoutPresence.has(words);
  const { action, isMerchants } = assertPermitted(command, found, roles);
  if (isMerchants) command.setOptionValue('isMerchants', true);
  return needsStepUp(action);
}

/**
 * Lets the machine's owner act. Reading commands need the owner as well, although they record no one (PEO-40).
 * @throws Refused
 */
async function actAsOwner(
  command: Command,
  issuer: Issuer,
  issuers: IssuersOfRoles,
): Promise<void> {
  const owner = await machinesOwner(issuer, issuers);
  if (!owner)
    throw new Refused(['no one is signed in, or the session has ended: npx pesapost login']);
  actAs(command, owner);
}

/** A typed name is refused if an issuer is set or the log has roles. */
function refuseTyped(issuer: Issuer | undefined, hasRoles: boolean): void {
  if (hasRoles)
    throw new Refused([
      '--as: people have roles here, so only a person who is signed in may act: npx pesapost login',
    ]);
  if (issuer === undefined) return;
  if (issuer.owner === undefined)
    throw new Refused([
      '--as: OIDC_ISSUER is set, so only a person who is signed in may act: npx pesapost login',
    ]);
  process.stderr.write(
    '--as has no effect here: the person who is signed in acts, or else the machine’s owner (npx pesapost whoami)\n',
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
