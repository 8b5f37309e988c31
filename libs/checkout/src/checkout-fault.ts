import { type LinkFault } from './link/link-fault.js';
import { type FaultCode } from './page/texts.js';

/** Thrown to end a request with an error page; the filter writes it. */
export class CheckoutFault extends Error {
  override readonly name = 'CheckoutFault';
  readonly code: FaultCode;
  readonly detail: string | undefined;

  constructor(
    { code, detail }: LinkFault | { readonly code: FaultCode; readonly detail?: string },
    readonly retryAfterMs?: number,
  ) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}
