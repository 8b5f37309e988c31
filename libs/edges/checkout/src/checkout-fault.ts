import { type LinkFault } from './link/link-fault.js';
import { type FaultCode } from './page/codes.js';

/** Thrown to end a request with an error page; the filter writes it. */
export class CheckoutFault extends Error {
  override readonly name = 'CheckoutFault';
  readonly code: FaultCode;
  readonly detail: string | undefined;
  readonly v3Use: LinkFault['v3Use'];

  constructor(
    { code, detail, v3Use }: Omit<LinkFault, 'code'> & { readonly code: FaultCode },
    readonly retryAfterMs?: number,
  ) {
    super(code);
    this.code = code;
    this.detail = detail;
    this.v3Use = v3Use;
  }
}
