import { type SubscriberSeal } from '#shared/signing';

/** As Daraja gives it: `ws_CO_`, day and time as ddmmyyyyhhmmss, a tenth of a second, the customer's nine digits. */
const bearsNumber = /^(.*\d{14,})([17]\d{8})$/;
/** No id of Daraja's has a tilde. */
const hidden = /^(.*\d{14,})~([A-Za-z0-9_-]{22})$/;

/**
 * Daraja's CheckoutRequestIDs end in the customer's number, and rail references stand in events, views and answers, where
 * no number may (OPS-18). So the number is hidden in what the service knows, and is there again in what Daraja is asked.
 */
export class CheckoutIds {
  constructor(private readonly subscribers: SubscriberSeal) {}

  static holdsNumber(checkoutRequestId: string): boolean {
    return bearsNumber.test(checkoutRequestId);
  }

  /** Of an id that holds no number, and of a reference, itself. */
  referenceOf(checkoutRequestId: string): string {
    const [, beside, digits] = bearsNumber.exec(checkoutRequestId) ?? [];
    return beside === undefined || digits === undefined
      ? checkoutRequestId
      : `${beside}~${this.subscribers.seal(digits, beside)}`;
  }

  /** The other way; of what `referenceOf` did not make, itself. */
  idOf(railReference: string): string {
    const [, beside, sealed] = hidden.exec(railReference) ?? [];
    const digits =
      beside === undefined || sealed === undefined
        ? undefined
        : this.subscribers.open(sealed, beside);
    return beside === undefined || digits === undefined ? railReference : beside + digits;
  }
}
