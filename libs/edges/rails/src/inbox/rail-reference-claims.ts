import { type RailPayment } from '#domain/rails';
import { Injectable } from '@nestjs/common';
import { RailReferences } from './rail-references.js';

/**
 * A claim that the rail's reference in the mode belongs to the stream. The same text from another rail is another
 * reference.
 */
export interface RailReferenceClaim extends RailPayment {
  readonly stream: string;
  /** True if the rail's own addresses brought it for that stream. */
  readonly isBrought?: boolean;
}

/**
 * The outcome of a claim. `taken`: the rail reference belongs to another collection, whose stream is named.
 * `isBrought`: the rail's own addresses brought it, so the claim is final.
 */
export type Claimed =
  | { readonly kind: 'claimed'; readonly isNew: boolean; readonly at: Date }
  | { readonly kind: 'taken'; readonly stream: string; readonly isBrought: boolean };

/** Records which collection a rail reference has confirmed, or is about to confirm. */
export abstract class ClaimedReferences {
  /**
   * Claims atomically: of two collections only one gets the reference. The same collection may ask again, which renews
   * its claim.
   */
  abstract claim(claim: RailReferenceClaim): Promise<Claimed>;

  /**
   * Moves the claim from the other collection's stream to this one. This succeeds if the other has had it for
   * `olderThanMs` and the rail's own addresses did not bring it.
   * @returns true if it moved; of two callers only one gets `true`
   * @throws DependencyUnavailable
   */
  abstract takeOver(
    claim: RailReferenceClaim,
    from: { readonly stream: string; readonly olderThanMs: number },
  ): Promise<boolean>;

  /**
   * Removes a claim under which nothing was posted; another collection's claim stays.
   * @param at identifies the claim: one that was renewed since stays, because the worker that renewed it may have
   *   posted
   * @throws DependencyUnavailable
   */
  abstract release(claim: RailReferenceClaim, at: Date): Promise<void>;
}

/** Longer than any try lasts that may still post under a claim that it made. */
const abandonedAfterMs = 300_000;

/**
 * The money of a stream that has a claim, according to the log. `this`: it has the reference. `other`: another payment's
 * money, so the stream can never get this one. `none`: it may still get this one.
 */
export type ClaimantMoney = 'this' | 'other' | 'none';

/**
 * The result of a claim. `anothers`: the id belongs to that collection, because the rail's own addresses brought it for
 * that one or money is posted under it. `held`: another collection has the id and may be about to post.
 */
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'anothers'; readonly stream: string }
  | { readonly kind: 'held' };

/** `shared`: those streams have the id as their own too, or the named one has it in the sense of `anothers`. */
export type OwnClaim =
  | Exclude<Claim, { readonly kind: 'anothers' }>
  | { readonly kind: 'shared'; readonly streams: readonly string[] };

/**
 * Ensures that no rail reference confirms two collections. If the rail's own addresses bring a reference for a
 * collection, it belongs to that collection from then on (ADR 0010).
 */
@Injectable()
export class RailReferenceClaims {
  constructor(
    private readonly claimed: ClaimedReferences,
    private readonly references: RailReferences,
  ) {}

  /**
   * Claims an id for a query's "paid" about the collection's own id. If the rail gave the id to other pushes too, the
   * answer does not say whose payment it is about, so there is no claim. (A callback says it, by its address.)
   * Collections that the views do not know yet make no payment wait.
   * @param hasMoney as for `claim`
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
   * Claims an id that the rail's own callback brought for the collection; for its own id, see `claimOwn`. A worker may
   * die between an untrusted callback's claim and its second look, so that nothing is posted under the claim. Such a
   * claim moves here once it is old enough.
   * @param hasMoney returns true if money was posted or is in suspense for that stream
   */
  async claim(
    use: RailReferenceClaim,
    hasMoney: (stream: string) => Promise<boolean>,
  ): Promise<Claim> {
    return this.claimReceipt(use, async (stream) => ((await hasMoney(stream)) ? 'this' : 'none'));
  }

  /**
   * Claims the receipt of a payment without a push. The claim of a stream that can never get the money moves here at
   * once (C2B-16).
   */
  async claimReceipt(
    use: RailReferenceClaim,
    moneyOf: (stream: string) => Promise<ClaimantMoney>,
  ): Promise<Claim> {
    const claimed = await this.claimed.claim(use);
    if (claimed.kind === 'claimed') return { kind: 'claimed' };
    const { stream, isBrought } = claimed;
    const money = isBrought ? 'this' : await moneyOf(stream);
    if (money === 'this') return { kind: 'anothers', stream };
    const olderThanMs = money === 'other' ? 0 : abandonedAfterMs;
    const isTaken = await this.claimed.takeOver(use, { stream, olderThanMs });
    return { kind: isTaken ? 'claimed' : 'held' };
  }

  /**
   * Claims any other id. Returns false if another collection has it as its own, too. This looks for owners before the
   * claim, which would keep an owner from its money, and again after it, because an owner may have appeared in between.
   */
  async claimForeign(use: RailReferenceClaim): Promise<boolean> {
    if (await this.isAnothers(use)) return false;
    const claimed = await this.claimed.claim(use);
    if (claimed.kind === 'taken') return false;
    let mayStay = false;
    try {
      mayStay = !(await this.isAnothers(use));
    } finally {
      // Only a new claim is released: an older one may have posted already. A later one may have posted too, because a
      // try that outlasts its lease is made twice.
      if (!mayStay && claimed.isNew) await this.claimed.release(use, claimed.at);
    }
    return mayStay;
  }

  /** Returns the other collections that have the id as their own. @throws DependencyUnavailable */
  async otherOwners({ stream, ...payment }: RailReferenceClaim): Promise<readonly string[]> {
    const owners = await this.references.streamsWith(payment);
    return owners.filter((owner) => owner !== stream);
  }

  private async isAnothers(use: RailReferenceClaim): Promise<boolean> {
    return (await this.otherOwners(use)).length > 0;
  }
}
