import { type RailPayment } from '#domain/collections';

/** That the rail's reference in the mode is the stream's. Another rail's is another one, however it reads. */
export interface RailReferenceClaim extends RailPayment {
  readonly stream: string;
}

/** What became of a claim. `taken`: the rail reference is another collection's, whose stream is named. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly isNew: boolean; readonly at: Date }
  | { readonly kind: 'taken'; readonly stream: string };

/** Which collection a rail reference has confirmed, or is about to. */
export abstract class ClaimedReferences {
  /**
   * Atomic: of two collections one alone has it. The same one may ask again, which renews its claim.
   * @throws DependencyUnavailable
   */
  abstract claim(claim: RailReferenceClaim): Promise<Claimed>;

  /**
   * Gives the claim over from the other collection's stream, where that one has had it for `olderThanMs`.
   * @returns whether it did; of two that ask one alone gets `true`
   * @throws DependencyUnavailable
   */
  abstract takeOver(
    claim: RailReferenceClaim,
    from: { readonly stream: string; readonly olderThanMs: number },
  ): Promise<boolean>;

  /**
   * Takes a claim back under which nothing was posted; another collection's stays.
   * @param at which one: a claim that was renewed since stays, for whoever renewed it may have posted
   * @throws DependencyUnavailable
   */
  abstract release(claim: RailReferenceClaim, at: Date): Promise<void>;
}
