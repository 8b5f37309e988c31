import { type LinkFault } from './link/link-fault.js';
import { type CheckoutLink } from './link/checkout-link.js';
import { type FaultCode, type Shop } from './page/codes.js';

/** Thrown to end a request with an error page; the filter writes it. */
export class CheckoutFault extends Error {
  override readonly name = 'CheckoutFault';
  readonly code: FaultCode;
  readonly detail: string | undefined;
  readonly v3Use: LinkFault['v3Use'];
  /** The shop to go back to; absent if no link of its own has verified. */
  readonly shop: Shop | undefined;

  constructor(
    { code, detail, v3Use, shop }: Reason,
    readonly retryAfterMs?: number,
  ) {
    super(code);
    this.code = code;
    this.detail = detail;
    this.v3Use = v3Use;
    this.shop = shop;
  }
}

interface Reason extends Omit<LinkFault, 'code'> {
  readonly code: FaultCode;
  readonly shop?: Shop;
}

/** Returns the fault of a link that opened. Its page leads back to the shop. */
export function faultOfLink(link: CheckoutLink, reason: Omit<Reason, 'shop'>): CheckoutFault {
  const shop = shopOf(link);
  return new CheckoutFault({ ...reason, ...(shop && { shop }) });
}

/**
 * Returns the shop of a link: its hash verified and its return address is on the merchant's list (PAGE-18). The way
 * back is the address's origin. The address itself expects a signed result, and there is none.
 */
function shopOf({ returnUrl, merchantName }: CheckoutLink): Shop | undefined {
  return returnUrl && { name: merchantName, href: `${returnUrl.origin}/` };
}
