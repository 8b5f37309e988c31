import { Injectable } from '@nestjs/common';
import { KeyClaims, RedisStore } from '#infra/redis';
import { type CheckoutLink } from './checkout-link.js';
import { clockToleranceMs, linkLifeMs } from './v4-link.js';

/** Longer than any link with this nonce is valid. */
const lifeSeconds = (linkLifeMs + clockToleranceMs) / 1000;

/** The nonces of V4's links. A nonce is used up when an intent is recorded, not when a customer opens a link. */
@Injectable()
export class Nonces {
  private readonly claims: KeyClaims;

  constructor(private readonly store: RedisStore) {
    this.claims = new KeyClaims(store);
  }

  /**
   * Claims the link's nonce for the link. A link of V3 has none, but its push needs Redis too (PAGE-16).
   * @returns false if another link of the same key used it; the same link may ask again
   * @throws DependencyUnavailable: nothing may be started then
   */
  async use(link: CheckoutLink): Promise<boolean> {
    if (link.version === 'v3') {
      await this.store.requireWritable();
      return true;
    }
    const name = `checkout:${link.key.credentialId}:${link.values.nonce}`;
    const claimed = await this.claims.claimName(name, link.hash, lifeSeconds);
    return claimed.kind === 'claimed' || claimed.value === link.hash;
  }
}
