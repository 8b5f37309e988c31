import { Injectable } from '@nestjs/common';
import { sha256Hex } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { bodyBytes, traceparentOf } from '#shared/http';
import { type FormProof, PaymentAttempts } from './attempts/payment-attempts.js';
import { faultOfLink } from './checkout-fault.js';
import { Forms } from './form/forms.js';
import { type TypedNumber } from './form/kept-numbers.js';
import { type PostedForm } from './form/posted-form.js';
import { type Opened, OpenedLinks, referenceWithPhone } from './opened.js';
import { type Place } from './page/document.js';
import { type FormProblem } from './page/pay-form.js';
import { parseTypedPhone } from './phone.js';
import { type CheckoutLink } from './link/checkout-link.js';

/** The form again, with its problem. */
export interface FormAgain {
  readonly kind: 'form_again';
  readonly opened: Opened;
  readonly phone: string;
  readonly problem: FormProblem;
}

/** The page of the link, with its state. */
interface SeeState {
  readonly kind: 'see_state';
  /** The number that the form had; absent if it was no form of ours or no number. */
  readonly typed?: TypedNumber;
}

export type PayOutcome = SeeState | FormAgain;

/** Handles a customer's form, which is the only way for the page to ask a phone to pay. */
@Injectable()
export class Payments {
  constructor(
    private readonly links: OpenedLinks,
    private readonly attempts: PaymentAttempts,
    private readonly forms: Forms,
  ) {}

  /**
   * Starts the attempt that the form is for, unless it was started already. A second post, from any page, shows the
   * outcome of the first.
   * @throws CheckoutFault, DependencyUnavailable
   */
  async pay(request: FastifyRequest, place: Place, form: PostedForm): Promise<PayOutcome> {
    const opened = await this.links.of(request, place);
    const { link, next } = opened;
    const attempt = Number.isNaN(form.attempt) ? next : form.attempt;
    const isOurs = attempt !== undefined && this.forms.gave(request, form.token, { link, attempt });
    const phone = parseTypedPhone(form.phone);
    // The form is for an attempt that is no longer the next one. A second press sends it, and its answer is the one that
    // the browser reads.
    if (next === undefined || attempt !== next)
      return isOurs ? seeState(link, phone) : { kind: 'see_state' };
    const again = { kind: 'form_again', opened, phone: form.phone } as const;
    if (!isOurs) return { ...again, problem: 'stale_form' };
    if (phone === undefined) return { ...again, problem: 'invalid_phone' };
    const started = await this.attempts.start(
      link,
      { number: next, phone },
      proofOf(request, link, place),
    );
    // A collection that the rail refused is recorded as failed, and its page shows that.
    if (!started.ok && started.refusal !== 'rail_rejected')
      throw faultOfLink(
        link,
        started.refusal === 'invalid_reference' ? referenceWithPhone : { code: started.refusal },
      );
    return seeState(link, phone);
  }
}

function seeState(link: CheckoutLink, phone: string | undefined): SeeState {
  return { kind: 'see_state', ...(phone !== undefined && { typed: { link, phone } }) };
}

/**
 * Returns the caller, the time and the evidence: the link that the merchant's credential signed, and the form that used
 * it.
 */
function proofOf(
  request: FastifyRequest,
  link: CheckoutLink,
  { path, rawQuery }: Place,
): FormProof {
  const bytes = bodyBytes(request);
  const evidence = {
    method: request.method,
    path,
    query: rawQuery,
    bodyDigest: sha256Hex(bytes),
    signature: link.hash,
    ...(link.version === 'v4'
      ? { nonce: link.values.nonce, timestamp: link.values.timestamp }
      : {}),
  };
  return {
    requestId: request.id,
    credential: link.key,
    evidence,
    traceparent: traceparentOf(request),
    bytes,
  };
}
