import { isSameOperator } from '#domain/collections';
import { type Pipeline } from '#domain/event-sourcing';
import { merchantDecider, merchantStream } from '#domain/merchants';
import { personOf } from '#domain/people';
import { type Result, ok, refuse } from '#domain/kernel';

/**
 * `same_holder`: a person asked, and approves as the holder that they are. `unbound_holder`: one of the two is a person,
 * and the other a holder of credentials that is bound to nobody, who may be that person.
 */
export type OnePersonRefusal = 'same_holder' | 'unbound_holder';

/**
 * Whether who approves is known to be another than who asked, where one of the two is a person and the other the holder of
 * a credential (PEO-8): a person may have a credential beside the portal, and is known by another name with each.
 * @param names of whoever asked and of whoever approves
 * @throws DependencyUnavailable
 */
export async function knownToBeTwo(
  pipeline: Pipeline,
  merchantId: string,
  names: readonly [string, string],
): Promise<Result<undefined, OnePersonRefusal>> {
  const person = names.find((name) => personOf(name) !== undefined);
  const holder = names.find((name) => personOf(name) === undefined);
  // Names of one kind are compared as they are: a person is one holder of a merchant at most.
  if (person === undefined || holder === undefined) return ok(undefined);
  const step = { decider: merchantDecider, stream: merchantStream(merchantId) };
  const { state } = await pipeline.load(step);
  const holders = state.kind === 'none' ? [] : state.holders;
  const binding = holders.find((one) => isSameOperator(one.holder, holder));
  if (!binding) return refuse('unbound_holder');
  const isOne = 'person' in binding && isSameOperator(binding.person, person);
  return isOne ? refuse('same_holder') : ok(undefined);
}
