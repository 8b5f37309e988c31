import { Injectable } from '@nestjs/common';
import { callerAddress, sourceOf } from '#shared/http';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import { CheckoutFault } from './checkout-fault.js';
import { type CheckoutLink } from './link/checkout-link.js';

/** Links that do not open, by source. Thousands of customers of a mobile network may share an address. */
const badLinks: Rate = { limit: 10, intervalMs: 1000, burst: 300 };
/** Forms of one link: four attempts, each with a few mistyped numbers. */
const payments: Rate = { limit: 10, intervalMs: 60_000, burst: 20 };
/** Views of one link: a waiting page asks every few seconds, on a few phones and in a few previews. */
const looks: Rate = { limit: 5, intervalMs: 1000, burst: 100 };

/**
 * Limits each kind of request by a bucket of its own, across all replicas (docs/adr/0024). A link's bucket is named by
 * the hash that verified. So a sender that guesses links keeps no customer behind the same address from paying, and a
 * flood of one link affects only that link.
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

  /** Without Redis nothing is counted. The start of a payment needs Redis again, and fails closed. */
  private async take(bucket: string, rate: Rate): Promise<void> {
    const waitMs = await takeFromBucket(this.store, `bucket:checkout:${bucket}`, rate).catch(
      () => undefined,
    );
    if (waitMs !== undefined) throw new CheckoutFault({ code: 'too_many_requests' }, waitMs);
  }
}
