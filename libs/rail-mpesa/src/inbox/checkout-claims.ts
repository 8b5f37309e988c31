import { Injectable } from '@nestjs/common';
import { type CheckoutClaim } from '#postgres';
import { ClaimedCheckouts } from './claimed-checkouts.js';
import { RailReferences } from './rail-references.js';

/** Longer than any try lasts that may still post under a claim that it made. */
const abandonedAfterMs = 300_000;

/** Sees to it that no checkout id confirms two collections (contract/decisions.md §3). */
@Injectable()
export class CheckoutClaims {
  constructor(
    private readonly checkouts: ClaimedCheckouts,
    private readonly references: RailReferences,
  ) {}

  /**
   * For the collection's own id: false where it has confirmed another one before. A claim that a stranger's callback
   * made and under which nothing was posted, since the worker was killed before its second look, is given over once
   * it is old enough.
   * @param hasMoney whether money was posted or stands in suspense for that stream
   */
  async claim(
    use: CheckoutClaim,
    hasMoney: (stream: string) => Promise<boolean>,
  ): Promise<boolean> {
    const claimed = await this.checkouts.claim(use);
    if (claimed.kind === 'claimed') return true;
    const { stream } = claimed;
    if (await hasMoney(stream)) return false;
    return this.checkouts.takeOver(use, { stream, olderThanMs: abandonedAfterMs });
  }

  /**
   * For any other id: false, too, where another collection bears it as its own. That is looked at before the
   * claim, which would keep the owner from its money, and after it, since an owner may have come in between.
   */
  async claimForeign(use: CheckoutClaim): Promise<boolean> {
    if (await this.isAnothers(use)) return false;
    const claimed = await this.checkouts.claim(use);
    if (claimed.kind === 'taken') return false;
    let mayStay = false;
    try {
      mayStay = !(await this.isAnothers(use));
    } finally {
      // An older claim may have posted already.
      if (!mayStay && claimed.isNew) await this.checkouts.release(use);
    }
    return mayStay;
  }

  private async isAnothers({ mode, checkoutId, stream }: CheckoutClaim): Promise<boolean> {
    const owners = await this.references.streamsWith(mode, checkoutId);
    return owners.some((owner) => owner !== stream);
  }
}
