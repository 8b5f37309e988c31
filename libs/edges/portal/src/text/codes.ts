import { type permissions } from '#domain/people';
import { type Refusal } from '../access/refusals.js';

/** Reasons for error pages. */
export type FaultCode =
  | Refusal
  | 'invalid_request'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'provider_unavailable'
  | 'service_unavailable'
  | 'internal_error';

type Permissions = typeof permissions;

/** Actions that a person may only do after they proved presence. */
export type StepUpAction = {
  [Action in keyof Permissions]: Permissions[Action] extends { readonly stepUp: true }
    ? Action
    : never;
}[keyof Permissions];

/** An error and what to do about it. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}
