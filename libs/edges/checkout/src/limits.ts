import { Injectable } from '@nestjs/common';
import { callerAddress, sourceOf } from '#shared/http';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import { CheckoutFault } from './checkout-fault.js';
import { type CheckoutLink } from './link/checkout-link.js';

/** Links that do not open, by source: customers of a mobile network share addresses by the thousand. */
const badLinks: Rate = { limit: 10, intervalMs: 1000, burst: 300 };
/** Forms of one link: four attempts, each with a few numbers mistyped. */
const payments: Rate = { limit: 10, intervalMs: 60_000, burst: 20 };
/** Looks at one link: a page that waits asks every few seconds, on a few phones and in a few previews. */
const looks: Rate = { limit: 5, intervalMs: 1000, burst: 100 };

/**
 * Each thing has a bucket of its own, over all replicas (docs/adr/0024), that of a link named by the hash that verified: whoever guesses links keeps nobody behind the
 * same address from paying, and whoever floods one link does so to that link alone.
 */
@Injectable()
export class Limits {
  constructor(private readonly store: RedisStore) {}

  /** Counts a link that did not open. @throws CheckoutFault too_many_requests */
  badLink(request: FastifyRequest): Promise<void> {
    return this.take(`bad-link:${sourceOf(callerAddress(request))}`, badLinks);
  }

  /** @throws CheckoutFault too_many_requests */
  payment(link: CheckoutLink): Promise<void> {
    return this.take(`payment:${link.hash}`, payments);
  }

  /** @throws CheckoutFault too_many_requests */
  look(link: CheckoutLink): Promise<void> {
    return this.take(`look:${link.hash}`, looks);
  }

  /** Without Redis nothing is counted; what starts a payment asks it again, and fails closed. */
  private async take(bucket: string, rate: Rate): Promise<void> {
    const waitMs = await takeFromBucket(this.store, `bucket:checkout:${bucket}`, rate).catch(
      () => undefined,
    );
    if (waitMs !== undefined) throw new CheckoutFault({ code: 'too_many_requests' }, waitMs);
  }
}
