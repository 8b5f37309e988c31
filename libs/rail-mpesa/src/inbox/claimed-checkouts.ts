import { type CheckoutClaim } from '#postgres';

/** What became of a claim. `taken`: the checkout id is another collection's, whose stream is named. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly isNew: boolean }
  | { readonly kind: 'taken'; readonly stream: string };

/** Which collection a checkout id has confirmed, or is about to. */
export abstract class ClaimedCheckouts {
  /** Atomic: of two collections one alone has it. The same one may ask again. @throws DependencyUnavailable */
  abstract claim(claim: CheckoutClaim): Promise<Claimed>;

  /** Takes a claim back under which nothing was posted; another collection's stays. @throws DependencyUnavailable */
  abstract release(claim: CheckoutClaim): Promise<void>;
}
