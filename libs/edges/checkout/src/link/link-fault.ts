import { refuse } from '#domain/kernel';

/** Why a link leads to no payment. Each has its status (page/fault-page.ts) and its words in both languages. */
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

/** Whose SHA-1 hash verified: their use of V3, whatever comes of the link. */
export interface V3Use {
  readonly merchantId: string;
  /** Whether digits can move into or out of its amount under the same hash. */
  readonly movable: boolean;
}

export interface LinkFault {
  readonly code: LinkFaultCode;
  /** For whoever made the link: which parameter, and the rule. Holds no value of the link. */
  readonly detail?: string;
  /** Of a V3 link whose hash verified, though it leads to no payment. */
  readonly v3Use?: V3Use;
}

export function fault(code: LinkFaultCode, detail?: string) {
  return refuse({ code, ...(detail === undefined ? {} : { detail }) } satisfies LinkFault);
}
