import { isSameOperator } from '#domain/collections';
import { type Actor, type Pipeline } from '#domain/event-sourcing';
import { merchantDecider, merchantStream } from '#domain/merchants';
import { areOfTwoIssuers, personOf } from '#domain/people';
import { type Result, ok, refuse } from '#domain/kernel';

/**
 * `same_holder`: one person asked and approves, whatever either is called. `unbound_holder`: a person asked or approves, and
 * the other is a holder of credentials that is bound to nobody, or one of whom another issuer told, who may be that person.
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

/**
 * Whether who approves is known to be another than who asked, where a person is one of the two (PEO-8): a person may have
 * any credential beside the portal, and is known by its holder's name with it. Between two credentials their holders
 * decide (PAY-7), which were compared before.
 * @throws DependencyUnavailable
 */
export async function knownToBeTwo(
  pipeline: Pipeline,
  merchantId: string,
  two: readonly [Acting, Acting],
): Promise<Result<undefined, OnePersonRefusal>> {
  const [person, other] = two.flatMap((one) => one.person ?? []);
  if (person === undefined) return ok(undefined);
  if (other !== undefined) return knownAsTwo(person, other);
  const holder = two.find((one) => one.person === undefined)?.holder ?? '';
  const step = { decider: merchantDecider, stream: merchantStream(merchantId) };
  const { state } = await pipeline.load(step);
  const holders = state.kind === 'none' ? [] : state.holders;
  const binding = holders.find((one) => isSameOperator(one.holder, holder));
  if (!binding) return refuse('unbound_holder');
  return 'person' in binding ? knownAsTwo(person, binding.person) : ok(undefined);
}

function knownAsTwo(one: string, other: string): Result<undefined, OnePersonRefusal> {
  if (isSameOperator(one, other)) return refuse('same_holder');
  return areOfTwoIssuers(one, other) ? refuse('unbound_holder') : ok(undefined);
}
