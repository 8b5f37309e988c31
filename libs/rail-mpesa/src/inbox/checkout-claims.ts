import { Injectable } from '@nestjs/common';
import { type Mode } from '#kernel';
import { claimCheckout, Database } from '#postgres';
import { RailReferences } from './rail-references.js';

/** A checkout id, and the collection that it is about to confirm. */
export interface CheckoutUse {
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly stream: string;
}

/** Sees to it that no checkout id confirms two collections (contract/decisions.md §3). */
@Injectable()
export class CheckoutClaims {
  constructor(
    private readonly database: Database,
    private readonly references: RailReferences,
  ) {}

  /** For the collection's own id: false where it has confirmed another one before. */
  async claim(use: CheckoutUse): Promise<boolean> {
    return (await claimCheckout(this.database, use)).kind === 'claimed';
  }

  /** For any other id: false, too, where another collection bears it as its own. */
  async claimForeign(use: CheckoutUse): Promise<boolean> {
    if (!(await this.claim(use))) return false;
    const owners = await this.references.streamsWith(use.mode, use.checkoutId);
    return owners.every((stream) => stream === use.stream);
  }
}
