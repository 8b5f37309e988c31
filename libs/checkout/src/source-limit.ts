import { Injectable } from '@nestjs/common';
import { callerAddress, sourceOf } from '#http';
import { RedisStore, takeFromBucket } from '#redis';
import { type Rate } from '#runtime';
import { type FastifyRequest } from 'fastify';
import { CheckoutFault } from './checkout-fault.js';

/**
 * Forms, and links that do not verify, that one source may send. Customers of a mobile network share addresses by
 * the thousand, and each push needs a link that a merchant signed: this is for machines that guess.
 */
const rate: Rate = { limit: 10, intervalMs: 1000, burst: 300 };

@Injectable()
export class SourceLimit {
  constructor(private readonly store: RedisStore) {}

  /** @throws CheckoutFault too_many_requests */
  async count(request: FastifyRequest): Promise<void> {
    const bucket = `checkout:${sourceOf(callerAddress(request))}`;
    // Without Redis nothing is counted; what starts a payment asks it again, and fails closed.
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs !== undefined) throw new CheckoutFault({ code: 'too_many_requests' }, waitMs);
  }
}
