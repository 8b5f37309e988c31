import { refuse } from '#kernel';

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

export interface LinkFault {
  readonly code: LinkFaultCode;
  /** For whoever made the link: which parameter, and the rule. Holds no value of the link. */
  readonly detail?: string;
}

export function fault(code: LinkFaultCode, detail?: string) {
  return refuse({ code, ...(detail === undefined ? {} : { detail }) } satisfies LinkFault);
}
