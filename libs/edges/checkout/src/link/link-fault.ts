import { refuse } from '#domain/kernel';

/**
 * The reasons why a link leads to no payment. Each has its status (page/fault-page.ts) and its texts in both languages.
 */
export type LinkFaultCode =
  | 'malformed_link'
  | 'oversized_link'
  | 'invalid_link'
  | 'expired_link'
  | 'early_link'
  | 'used_link'
  | 'ambiguous_link'
  | 'invalid_reference'
  | 'invalid_amount'
  | 'invalid_currency'
  | 'invalid_account'
  | 'invalid_return_url'
  | 'another_amount';

/** The merchant whose SHA-1 hash verified. The link counts as their use of V3, whatever its outcome. */
export interface V3Use {
  readonly merchantId: string;
  /** True if digits can move into or out of its amount under the same hash. */
  readonly movable: boolean;
}

export interface LinkFault {
  readonly code: LinkFaultCode;
  /** For the link's developer: the parameter and the rule. It contains no value of the link. */
  readonly detail?: string;
  /** Set for a V3 link whose hash verified, though it leads to no payment. */
  readonly v3Use?: V3Use;
}

export function fault(code: LinkFaultCode, detail?: string) {
  return refuse({ code, ...(detail === undefined ? {} : { detail }) } satisfies LinkFault);
}
