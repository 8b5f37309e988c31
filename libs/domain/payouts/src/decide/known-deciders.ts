import { type Actor, type Pipeline } from '#domain/event-sourcing';
import { isSameName, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type Binding, merchantDecider, merchantStream } from '#domain/merchants';
import {
  type Action,
  areOfTwoIssuers,
  isMachinesOwner,
  permits,
  personOf,
  roleDecider,
  type Roles,
  rolesOf,
  roleStream,
} from '#domain/people';

/**
 * `same_holder`: one person is requester and approver, or ever was both holders, under any name. `unbound_holder`: the
 * requester or the approver is not bound although a binding is required, or different issuers name the two. `role_lost`:
 * a person who acts themselves has lost the role since the request began.
 */
export type OnePersonRefusal = 'same_holder' | 'unbound_holder' | 'role_lost';

/**
 * A requester or approver: the name in the events, and the person behind it, if one acted in the portal or as an
 * operator.
 */
export interface Acting {
  readonly holder: string;
  readonly person?: string;
  /** The id of the credential, if a credential acted. */
  readonly credential?: string;
}

/**
 * Returns the acting party. A person may act under the name of their own holder (PEO-8); then the actor names the
 * person.
 */
export function actingAs(holder: string, { kind, id }: Actor): Acting {
  const person = [...(kind === 'operator' ? [id] : []), holder].find((name) => personOf(name));
  return {
    holder,
    ...(person === undefined ? {} : { person }),
    ...(kind === 'credential' ? { credential: id } : {}),
  };
}

/** The merchant and mode of a request or approval. */
interface At {
  readonly merchantId: string;
  readonly mode: Mode;
}

type Identity = { readonly person: string } | { readonly system: string };

/** The identity of a holder at a merchant, as far as its bindings show. */
interface Known {
  /** The person or system now; undefined if the holder is not bound. */
  readonly identity: Identity | undefined;
  /** Every person and system that ever was this holder, and so may still have its keys. */
  readonly ever: readonly Identity[];
}

/**
 * Checks that the requester may request at all: in live mode a holder of credentials must be bound to a person or a
 * system (PEO-38), and the person is not suspended (PEO-55). A person in the portal still has the role (PEO-61).
 * @throws DependencyUnavailable
 */
export async function mayAsk(
  pipeline: Pipeline,
  { merchantId, mode }: At,
  asker: Acting,
): Promise<Result<undefined, Exclude<OnePersonRefusal, 'same_holder'>>> {
  if (mode === 'demo' && !actsInPerson(asker)) return ok(undefined);
  const roles = await rolesNow(pipeline);
  if (!mayAct(asker, 'payouts.request', { roles, merchantId })) return refuse('role_lost');
  if (mode === 'demo') return ok(undefined);
  const { identity } = knownAs(asker, mode, await bindingsOf(pipeline, merchantId));
  return isIdentified(identity, roles) ? ok(undefined) : refuse('unbound_holder');
}

/**
 * Checks that the approver is certainly another than the requester (PEO-38, PEO-39). No person or system ever was both
 * holders, and in live mode both holders are bound, to different identities. In demo mode two unbound holders are
 * compared by their names, which happened before (PAY-7). A person and an unbound holder are refused, because they may
 * be one (PEO-8). A person in the portal or on the command line still has the role that approves (PEO-61).
 * @throws DependencyUnavailable
 */
export async function knownToBeTwo(
  pipeline: Pipeline,
  { merchantId, mode }: At,
  [asker, approver]: readonly [Acting, Acting],
): Promise<Result<undefined, OnePersonRefusal>> {
  const bindings = await bindingsOf(pipeline, merchantId);
  const asked = knownAs(asker, mode, bindings);
  const approves = knownAs(approver, mode, bindings);
  if (asked.ever.some((one) => approves.ever.some((other) => areSame(one, other))))
    return refuse('same_holder');
  const [one, other] = [asked.identity, approves.identity];
  if (mode === 'live' || actsInPerson(approver)) {
    const roles = await rolesNow(pipeline);
    if (!mayAct(approver, 'payouts.approve', { roles, merchantId })) return refuse('role_lost');
    if (mode === 'live' && !(isIdentified(one, roles) && isIdentified(other, roles)))
      return refuse('unbound_holder');
  }
  if (one && other) return areTwo(one, other);
  const isPersonBeside = asker.person !== undefined || approver.person !== undefined;
  return isPersonBeside ? refuse('unbound_holder') : ok(undefined);
}

/** A system that is called as a person is that person: one person would otherwise be bound as two. */
function areSame(one: Identity, other: Identity): boolean {
  return isSameName(nameOf(one), nameOf(other));
}

function nameOf(identity: Identity): string {
  return 'person' in identity ? identity.person : identity.system;
}

/** Two different identities may still be one person whom two issuers name (PEO-17). */
function areTwo(one: Identity, other: Identity): Result<undefined, OnePersonRefusal> {
  if ('system' in one || 'system' in other) return ok(undefined);
  return areOfTwoIssuers(one.person, other.person) ? refuse('unbound_holder') : ok(undefined);
}

/**
 * False for a suspended person, and for the owner of a machine of `npm start`, who has not signed in anywhere. In live
 * mode neither is an identity.
 */
function isIdentified(identity: Known['identity'], { suspended }: Roles): boolean {
  if (!identity) return false;
  // A system that is called as a person is that person.
  if ([...suspended.keys()].some((person) => isSameName(person, nameOf(identity)))) return false;
  const person = 'person' in identity ? personOf(identity.person) : undefined;
  return !person || !isMachinesOwner(person);
}

async function rolesNow(pipeline: Pipeline): Promise<Roles> {
  return (await pipeline.load({ decider: roleDecider, stream: roleStream })).state;
}

/** True for a person in the portal or on the command line, false for one who acts by a credential. */
function actsInPerson({ person, credential }: Acting): boolean {
  return person !== undefined && credential === undefined;
}

/**
 * True unless the party is a person who acts themselves and has lost the role since their request began (PEO-61). Always
 * true on a log without roles, and for the owner of a machine of `npm start`.
 */
function mayAct(
  acting: Acting,
  action: Action,
  { roles, merchantId }: { readonly roles: Roles; readonly merchantId: string },
): boolean {
  const { person = '' } = acting;
  const found = personOf(person);
  if (!actsInPerson(acting) || !roles.wasBegun || !found || isMachinesOwner(found)) return true;
  return permits(rolesOf(roles, person), action, merchantId);
}

function knownAs({ holder, person }: Acting, mode: Mode, bindings: readonly Binding[]): Known {
  const own = bindings.filter((binding) => isSameName(binding.holder, holder));
  const ever = own.map((binding) =>
    'person' in binding ? { person: binding.person } : { system: binding.system },
  );
  if (person !== undefined) return { identity: { person }, ever: [...ever, { person }] };
  const counts = mode === 'demo' || own.at(-1)?.countsLive === true;
  return { identity: counts ? ever.at(-1) : undefined, ever };
}

async function bindingsOf(pipeline: Pipeline, merchantId: string): Promise<readonly Binding[]> {
  const step = { decider: merchantDecider, stream: merchantStream(merchantId) };
  const { state } = await pipeline.load(step);
  return state.kind === 'none' ? [] : state.bindings;
}
