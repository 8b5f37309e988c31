import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type FastifyRequest } from 'fastify';
import { type Attempt } from './attempts/attempt.js';
import { Attempts } from './attempts/attempts.js';
import { paymentState, type PaymentState } from './attempts/payment-state.js';
import { CheckoutFault } from './checkout-fault.js';
import { type CheckoutLink } from './link/checkout-link.js';
import { OpenLinks } from './link/open-links.js';
import { v3UseOf } from './link/v3-link.js';
import { type Place } from './page/document.js';
import { isV3Route } from './place-of.js';
import { SourceLimit } from './source-limit.js';

/** A link and what became of it. */
export interface Opened {
  readonly link: CheckoutLink;
  readonly newest: Attempt | undefined;
  readonly state: PaymentState;
  /** The attempt that the customer may start now; undefined where there is none. */
  readonly next: number | undefined;
  readonly nowMs: number;
}

/** Opens what a request names; what cannot be opened ends the request with its page. */
@Injectable()
export class OpenedLinks {
  constructor(
    private readonly links: OpenLinks,
    private readonly attempts: Attempts,
    private readonly sources: SourceLimit,
    private readonly clock: Clock,
  ) {}

  /** @throws CheckoutFault, DependencyUnavailable */
  async of(request: FastifyRequest, place: Place): Promise<Opened> {
    if (request.method === 'POST') await this.sources.count(request);
    const opened = await this.links.open(place.rawQuery, isV3Route(place));
    if (!opened.ok) {
      if (opened.refusal.code === 'invalid_link') await this.sources.count(request);
      throw new CheckoutFault(opened.refusal);
    }
    const link = opened.value;
    const newest = await this.attempts.newest(link);
    if (!newest.ok)
      throw new CheckoutFault({
        ...newest.refusal,
        ...(link.version === 'v3' && { v3Use: v3UseOf(link.account.merchantId, link.values) }),
      });
    const nowMs = this.clock.nowMs();
    const hasEnded = link.version === 'v4' && nowMs > link.endsAtMs;
    if (hasEnded && !newest.value) throw new CheckoutFault({ code: 'expired_link' });
    const state = paymentState(newest.value, nowMs);
    const next = 'next' in state && !hasEnded ? state.next : undefined;
    return { link, newest: newest.value, state, next, nowMs };
  }
}
