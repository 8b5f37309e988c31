import { type SubscriberSeal } from '#shared/signing';

/** Daraja's form: `ws_CO_`, day and time as ddmmyyyyhhmmss, a tenth of a second, the customer's nine digits. */
const bearsNumber = /^(.*\d{14,})([17]\d{8})$/;
/** No id of Daraja's has a tilde. */
const hidden = /^(.*\d{14,})~([A-Za-z0-9_-]{22})$/;

/**
 * Hides the customer's number in rail references. Daraja's CheckoutRequestIDs end in the customer's number, but events,
 * views and answers contain rail references and may contain no number (OPS-18). So the service stores the hidden form,
 * and restores the number in its requests to Daraja.
 */
export class CheckoutIds {
  constructor(private readonly subscribers: SubscriberSeal) {}

  static holdsNumber(checkoutRequestId: string): boolean {
    return bearsNumber.test(checkoutRequestId);
  }

  /** Returns the reference for an id. An id without a number, or a reference, is returned unchanged. */
  referenceOf(checkoutRequestId: string): string {
    const [, beside, digits] = bearsNumber.exec(checkoutRequestId) ?? [];
    return beside === undefined || digits === undefined
      ? checkoutRequestId
      : `${beside}~${this.subscribers.seal(digits, beside)}`;
  }

  /** Returns the id for a reference. A text that `referenceOf` did not make is returned unchanged. */
  idOf(railReference: string): string {
    const [, beside, sealed] = hidden.exec(railReference) ?? [];
    const digits =
      beside === undefined || sealed === undefined
        ? undefined
        : this.subscribers.open(sealed, beside);
    return beside === undefined || digits === undefined ? railReference : beside + digits;
  }
}
