import { Injectable } from '@nestjs/common';
import { type CheckoutClaim, claimCheckout, Database, releaseCheckout } from '#postgres';
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

  override release(claim: CheckoutClaim): Promise<void> {
    return releaseCheckout(this.database, claim);
  }
}
