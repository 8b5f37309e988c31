import { type LinkFaultCode } from '../link/link-fault.js';

/** The reasons for an error page. */
export type FaultCode =
  LinkFaultCode | 'too_many_requests' | 'service_unavailable' | 'internal_error';

/** A problem, and what to do about it. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}
