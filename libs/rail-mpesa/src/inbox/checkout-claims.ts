import { type Mode } from '#kernel';
import { claimCheckout, type Queryable } from '#postgres';

/** A checkout id that a callback names and that is not known to be the collection's own. */
export interface ForeignCheckout {
  readonly mode: Mode;
  readonly checkoutId: string;
  /** The collection that it is about to confirm. */
  readonly stream: string;
}

/** Which collection a rail reference belongs to, by what is recorded; up to date when it answers. */
export abstract class RailReferences {
  /** @throws DependencyUnavailable where that cannot be said now */
  abstract ownerOf(mode: Mode, railReference: string): Promise<string | undefined>;
}

/**
 * Makes sure that no checkout id confirms two collections: it is claimed for this one, and no other one has
 * it as its own reference.
 * @returns false where nothing may be posted by it
 */
export async function mayConfirmBy(
  checkout: ForeignCheckout,
  database: Queryable,
  references: RailReferences,
): Promise<boolean> {
  const claim = await claimCheckout(database, checkout);
  if (claim.kind === 'taken') return false;
  const owner = await references.ownerOf(checkout.mode, checkout.checkoutId);
  return owner === undefined || owner === checkout.stream;
}
