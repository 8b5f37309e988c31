import { Injectable } from '@nestjs/common';
import { sha256Hex } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { bodyBytes } from '#shared/http';
import { type FormProof, PaymentAttempts } from './attempts/payment-attempts.js';
import { CheckoutFault } from './checkout-fault.js';
import { Forms } from './form/forms.js';
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
  async pay(
    request: FastifyRequest,
    place: Place,
    form: PostedForm,
  ): Promise<{ readonly kind: 'see_state' } | FormAgain> {
    const opened = await this.links.of(request, place);
    const { link, next } = opened;
    // The form is for an attempt that is no longer the next one.
    if (next === undefined || (!Number.isNaN(form.attempt) && form.attempt !== next))
      return { kind: 'see_state' };
    const again = { kind: 'form_again', opened, phone: form.phone } as const;
    if (!this.forms.gave(request, form.token, { link, attempt: next }))
      return { ...again, problem: 'stale_form' };
    const phone = parseTypedPhone(form.phone);
    if (phone === undefined) return { ...again, problem: 'invalid_phone' };
    const started = await this.attempts.start(
      link,
      { number: next, phone },
      proofOf(request, link, place),
    );
    // A collection that the rail refused is recorded as failed, and its page shows that.
    if (!started.ok && started.refusal !== 'rail_rejected')
      throw new CheckoutFault(
        started.refusal === 'invalid_reference' ? referenceWithPhone : { code: started.refusal },
      );
    return { kind: 'see_state' };
  }
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
  return { requestId: request.id, credential: link.key, evidence, bytes };
}
