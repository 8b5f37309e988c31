import { type LinkFaultCode } from '../link/link-fault.js';

/** The reasons for an error page. */
export type FaultCode =
  LinkFaultCode | 'too_many_requests' | 'service_unavailable' | 'internal_error';

/** The shop that a fault's page leads back to. */
export interface Shop {
  readonly name: string;
  /** An address on the merchant's list. */
  readonly href: string;
}

/** A problem, and what to do about it. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}
