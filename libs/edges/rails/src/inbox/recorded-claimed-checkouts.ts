import { Injectable } from '@nestjs/common';
import {
  type CheckoutClaim,
  claimCheckout,
  releaseCheckout,
  takeOverCheckout,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { ClaimedCheckouts, type Claimed } from './claimed-checkouts.js';

/** The claims as rows of the records. */
@Injectable()
export class RecordedClaimedCheckouts extends ClaimedCheckouts {
  constructor(private readonly database: Database) {
    super();
  }

  override claim(claim: CheckoutClaim): Promise<Claimed> {
    return claimCheckout(this.database, claim);
  }

  override takeOver(
    claim: CheckoutClaim,
    from: { stream: string; olderThanMs: number },
  ): Promise<boolean> {
    return takeOverCheckout(this.database, claim, from);
  }

  override release(claim: CheckoutClaim, at: Date): Promise<void> {
    return releaseCheckout(this.database, claim, at);
  }
}
