import { Injectable } from '@nestjs/common';
import { referenceHoldsPhone } from '#domain/collections';
import { noteRequest } from '#shared/http';
import { Clock } from '#domain/kernel';
import { type FastifyRequest } from 'fastify';
import { type PaymentAttempt } from './attempts/payment-attempt.js';
import { PaymentAttempts } from './attempts/payment-attempts.js';
import { paymentState, type PaymentState } from './attempts/payment-state.js';
import { CheckoutFault, faultOfLink } from './checkout-fault.js';
import { type CheckoutLink } from './link/checkout-link.js';
import { type LinkFault } from './link/link-fault.js';
import { Limits } from './limits.js';
import { OpenLinks } from './link/open-links.js';
import { v3UseOf } from './link/v3-link.js';
import { type Place } from './page/document.js';
import { parseTypedPhone } from './phone.js';
import { isV3Route } from './place-of.js';

/** A link with its outcome. */
export interface Opened {
  readonly link: CheckoutLink;
  readonly newest: PaymentAttempt | undefined;
  readonly state: PaymentState;
  /** The attempt that the customer may start now; undefined if there is none. */
  readonly next: number | undefined;
  readonly nowMs: number;
}

/** Opens the link that a request names. If it cannot be opened, the request ends with the fault's page. */
@Injectable()
export class OpenedLinks {
  constructor(
    private readonly links: OpenLinks,
    private readonly attempts: PaymentAttempts,
    private readonly limits: Limits,
    private readonly clock: Clock,
  ) {}

  /** @throws CheckoutFault, DependencyUnavailable */
  async of(request: FastifyRequest, place: Place): Promise<Opened> {
    const opened = await this.links.open(place.rawQuery, isV3Route(place));
    if (!opened.ok) {
      if (opened.refusal.code === 'invalid_link') await this.limits.badLink(request);
      throw new CheckoutFault(opened.refusal);
    }
    const link = opened.value;
    noteLink(request, link);
    await (request.method === 'POST' ? this.limits.payment(link) : this.limits.look(link));
    const newest = await this.attempts.newest(link);
    if (!newest.ok)
      throw faultOfLink(link, {
        ...newest.refusal,
        ...(link.version === 'v3' && { v3Use: v3UseOf(link.account.merchantId, link.values) }),
      });
    if (link.version === 'v4' && !newest.value && holdsOwnPhone(link))
      throw faultOfLink(link, referenceWithPhone);
    const nowMs = this.clock.nowMs();
    const hasEnded = link.version === 'v4' && nowMs > link.endsAtMs;
    if (hasEnded && !newest.value) throw faultOfLink(link, { code: 'expired_link' });
    const state = paymentState(newest.value, nowMs);
    const next = 'next' in state && !hasEnded ? state.next : undefined;
    return { link, newest: newest.value, state, next, nowMs };
  }
}

/** Adds the merchant to the request's log line. The rest of a link is in its query, which is not logged. */
function noteLink(request: FastifyRequest, { account, key }: CheckoutLink): void {
  const { merchantId, mode } = account;
  noteRequest(request, { merchantId, mode, credentialId: key.credentialId });
}

/** A reference is part of a stream's name for ever, so no new one of V4 contains the customer's number. */
export const referenceWithPhone = {
  code: 'invalid_reference',
  detail: 'reference must not contain the customer’s phone number.',
} as const satisfies LinkFault;

/**
 * True if the reference contains the phone that the link names. The shop's developer then learns it before any customer
 * does.
 */
function holdsOwnPhone({ reference, phone: typed }: CheckoutLink): boolean {
  const phone = parseTypedPhone(typed);
  return phone !== undefined && referenceHoldsPhone(reference, phone);
}
