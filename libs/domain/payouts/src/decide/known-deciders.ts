import { type Actor, type Pipeline } from '#domain/event-sourcing';
import { isSameName, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type HolderBound, merchantDecider, merchantStream } from '#domain/merchants';
import { areOfTwoIssuers, isMachinesOwner, personOf } from '#domain/people';

/**
 * `same_holder`: one person asked and approves, or ever was both holders, whatever either is called. `unbound_holder`: a
 * holder that is bound to nothing asked or approves, where that counts for nobody, or one of whom another issuer told.
 */
export type OnePersonRefusal = 'same_holder' | 'unbound_holder';

/** Who asks, or approves: the name in the events, and the person behind it, where one acted in the portal or as an operator. */
export interface Acting {
  readonly holder: string;
  readonly person?: string;
  /** The id of the credential that acted, where none but a credential did. */
  readonly credential?: string;
}

/** A person may act under the name of the holder that they are (PEO-8): the actor tells that it was them. */
export function actingAs(holder: string, { kind, id }: Actor): Acting {
  const person = [...(kind === 'operator' ? [id] : []), holder].find((name) => personOf(name));
  return {
    holder,
    ...(person === undefined ? {} : { person }),
    ...(kind === 'credential' ? { credential: id } : {}),
  };
}

/** Where somebody asks or approves. */
interface At {
  readonly merchantId: string;
  readonly mode: Mode;
}

type Identity = { readonly person: string } | { readonly system: string };

/** Who somebody is at a merchant, as far as its bindings tell. */
interface Known {
  /** The person or system now; undefined if the holder is bound to neither. */
  readonly identity: Identity | undefined;
  /** Every person and system that ever was this holder, and so may have its keys still. */
  readonly ever: readonly Identity[];
}

/**
 * Whether who asks may ask at all: in live mode a holder of credentials is bound to a person or a system (PEO-38).
 * @throws DependencyUnavailable
 */
export async function mayAsk(
  pipeline: Pipeline,
  { merchantId, mode }: At,
  asker: Acting,
): Promise<Result<undefined, 'unbound_holder'>> {
  if (mode === 'demo') return ok(undefined);
  const { identity } = knownAs(asker, await bindingsOf(pipeline, merchantId));
  return isIdentified(identity) ? ok(undefined) : refuse('unbound_holder');
}

/**
 * Whether who approves is known to be another than who asked (PEO-38, PEO-39): no person or system ever was both, and in
 * live mode both are bound, to two. In demo mode two holders that are bound to nothing are compared by their names, which happened before
 * (PAY-7); a person and such a holder may be one (PEO-8).
 * @throws DependencyUnavailable
 */
export async function knownToBeTwo(
  pipeline: Pipeline,
  { merchantId, mode }: At,
  [asker, approver]: readonly [Acting, Acting],
): Promise<Result<undefined, OnePersonRefusal>> {
  const bindings = await bindingsOf(pipeline, merchantId);
  const [asked, approves] = [knownAs(asker, bindings), knownAs(approver, bindings)];
  if (asked.ever.some((one) => approves.ever.some((other) => areSame(one, other))))
    return refuse('same_holder');
  const [one, other] = [asked.identity, approves.identity];
  if (mode === 'live' && !(isIdentified(one) && isIdentified(other)))
    return refuse('unbound_holder');
  if (one && other) return areTwo(one, other);
  const isPersonBeside = asker.person !== undefined || approver.person !== undefined;
  return isPersonBeside ? refuse('unbound_holder') : ok(undefined);
}

function areSame(one: Identity, other: Identity): boolean {
  if ('person' in one) return 'person' in other && isSameName(one.person, other.person);
  return 'system' in other && isSameName(one.system, other.system);
}

/** Two identities that differ may still be one person whom two issuers name (PEO-17). */
function areTwo(one: Identity, other: Identity): Result<undefined, OnePersonRefusal> {
  if ('system' in one || 'system' in other) return ok(undefined);
  return areOfTwoIssuers(one.person, other.person) ? refuse('unbound_holder') : ok(undefined);
}

/** Whoever has a machine of `npm start` signed in nowhere: in live mode that is no identity. */
function isIdentified(identity: Known['identity']): boolean {
  if (!identity) return false;
  const person = 'person' in identity ? personOf(identity.person) : undefined;
  return !person || !isMachinesOwner(person);
}

function knownAs({ holder, person }: Acting, bindings: readonly HolderBound['data'][]): Known {
  const own = bindings.filter((binding) => isSameName(binding.holder, holder));
  const ever = own.map((binding) =>
    'person' in binding ? { person: binding.person } : { system: binding.system },
  );
  return person === undefined
    ? { identity: ever.at(-1), ever }
    : { identity: { person }, ever: [...ever, { person }] };
}

async function bindingsOf(
  pipeline: Pipeline,
  merchantId: string,
): Promise<readonly HolderBound['data'][]> {
  const step = { decider: merchantDecider, stream: merchantStream(merchantId) };
  const { state } = await pipeline.load(step);
  return state.kind === 'none' ? [] : state.bindings;
}
