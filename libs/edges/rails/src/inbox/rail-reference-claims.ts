import { type RailPayment } from '#domain/collections';
import { Injectable } from '@nestjs/common';
import { RailReferences } from './rail-references.js';

/** That the rail's reference in the mode is the stream's. Another rail's is another one, however it reads. */
export interface RailReferenceClaim extends RailPayment {
  readonly stream: string;
  /** The rail's own addresses brought it for that stream. */
  readonly isBrought?: boolean;
}

/**
 * The outcome of a claim. `taken`: the rail reference is another collection's, whose stream is named. `isBrought`: for
 * good, since the rail's own addresses brought it.
 */
export type Claimed =
  | { readonly kind: 'claimed'; readonly isNew: boolean; readonly at: Date }
  | { readonly kind: 'taken'; readonly stream: string; readonly isBrought: boolean };

/** Which collection a rail reference has confirmed, or is about to. */
export abstract class ClaimedReferences {
  /**
   * Atomic: of two collections one alone has it. The same one may ask again, which renews its claim.
   * @throws DependencyUnavailable
   */
  abstract claim(claim: RailReferenceClaim): Promise<Claimed>;

  /**
   * Gives the claim over from the other collection's stream, where that one has had it for `olderThanMs` and the rail's
   * own addresses did not bring it.
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

/** Longer than any try lasts that may still post under a claim that it made. */
const abandonedAfterMs = 300_000;

/**
 * What a claim came to. `anothers`: the id is that collection's, for the rail's own addresses brought it for that one, or
 * money stands posted under it. `held`: another one has the id and may be about to post.
 */
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'anothers'; readonly stream: string }
  | { readonly kind: 'held' };

/** `shared`: those streams bear the id as their own, too, or the one that is named has it as `anothers` says. */
export type OwnClaim =
  | Exclude<Claim, { readonly kind: 'anothers' }>
  | { readonly kind: 'shared'; readonly streams: readonly string[] };

/**
 * Sees to it that no rail reference confirms two collections, and that one which the rail's own addresses brought for a
 * collection is that collection's from then on (ADR 0010).
 */
@Injectable()
export class RailReferenceClaims {
  constructor(
    private readonly claimed: ClaimedReferences,
    private readonly references: RailReferences,
  ) {}

  /**
   * For a query's "paid" about the collection's own id. Where the rail gave the id to other pushes, too, the answer does
   * not say whose payment it is about; a callback does, by its address. So there is no claim then. What the views do not
   * know yet keeps no payment waiting.
   * @param hasMoney as `claim` has it
   * @throws DependencyUnavailable
   */
  async claimOwn(
    use: RailReferenceClaim,
    hasMoney: (stream: string) => Promise<boolean>,
  ): Promise<OwnClaim> {
    const { stream, ...payment } = use;
    const owners = await this.references.knownStreamsWith(payment);
    const others = owners.filter((owner) => owner !== stream);
    if (others.length > 0) return { kind: 'shared', streams: others };
    const claim = await this.claim(use, hasMoney);
    return claim.kind === 'anothers' ? { kind: 'shared', streams: [claim.stream] } : claim;
  }

  /**
   * For an id that the rail's own callback brought for the collection; for its own id, see `claimOwn`. A claim that an
   * untrusted sender's callback made and under which nothing was posted, since the worker was killed before its second
   * look, is given over once it is old enough.
   * @param hasMoney whether money was posted or stands in suspense for that stream
   */
  async claim(
    use: RailReferenceClaim,
    hasMoney: (stream: string) => Promise<boolean>,
  ): Promise<Claim> {
    const claimed = await this.claimed.claim(use);
    if (claimed.kind === 'claimed') return { kind: 'claimed' };
    const { stream, isBrought } = claimed;
    if (isBrought || (await hasMoney(stream))) return { kind: 'anothers', stream };
    const isTaken = await this.claimed.takeOver(use, { stream, olderThanMs: abandonedAfterMs });
    return { kind: isTaken ? 'claimed' : 'held' };
  }

  /**
   * For any other id: false, too, where another collection bears it as its own. That is looked at before the
   * claim, which would keep the owner from its money, and after it, since an owner may have come in between.
   */
  async claimForeign(use: RailReferenceClaim): Promise<boolean> {
    if (await this.isAnothers(use)) return false;
    const claimed = await this.claimed.claim(use);
    if (claimed.kind === 'taken') return false;
    let mayStay = false;
    try {
      mayStay = !(await this.isAnothers(use));
    } finally {
      // An older claim may have posted already, and so may a later one: a try that outlasts its lease is made twice.
      if (!mayStay && claimed.isNew) await this.claimed.release(use, claimed.at);
    }
    return mayStay;
  }

  /** The other collections that bear the id as their own. @throws DependencyUnavailable */
  async otherOwners({ stream, ...payment }: RailReferenceClaim): Promise<readonly string[]> {
    const owners = await this.references.streamsWith(payment);
    return owners.filter((owner) => owner !== stream);
  }

  private async isAnothers(use: RailReferenceClaim): Promise<boolean> {
    return (await this.otherOwners(use)).length > 0;
  }
}
