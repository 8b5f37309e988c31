import { type permissions, type StopRefusal } from '#domain/people';
import { type Html } from '#shared/html';
import { type Refusal } from '../access/refusals.js';
import { type SessionKind } from '../session/ports.js';

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

/** The texts of the portal's frame, in one language. Each area has its own beside its pages. */
export interface Texts {
  readonly name: string;
  readonly portal: string;
  readonly skip: string;
  readonly navigation: string;
  readonly merchantNavigation: string;
  readonly language: string;
  readonly signIn: string;
  readonly signOut: string;
  readonly signedInAs: string;
  readonly modes: {
    readonly demo: Notice;
    readonly live: Notice;
  };
  readonly faults: Readonly<Record<FaultCode, Notice>>;
  readonly errorPrefix: string;
  readonly requestId: string;
  readonly yourId: string;
  readonly firstPage: string;
  readonly problem: string;
  readonly optional: string;
  readonly next: string;
  readonly chartTable: string;
  readonly notSetUp: Notice;
  readonly redirectAddress: string;
  readonly signedOut: Notice & { readonly again: string; readonly atProvider: string };
  readonly sessions: {
    readonly title: string;
    readonly text: string;
    readonly whose: string;
    readonly none: string;
    readonly kind: string;
    readonly kinds: Readonly<Record<SessionKind, string>>;
    readonly openedAt: string;
    readonly lastUsedAt: string;
    readonly endsAt: string;
    readonly whatEnds: string;
    readonly thisOne: string;
    readonly endButton: string;
    readonly endAllButton: string;
    readonly ended: string;
  };
  readonly breakGlass: {
    readonly title: string;
    readonly banner: (name: string, at: Html) => Html;
    readonly look: string;
    readonly none: string;
    readonly text: string;
    readonly name: string;
    readonly person: string;
    readonly by: string;
    readonly reason: string;
    readonly announcedAt: string;
    readonly takesEffectAt: string;
    readonly stopReason: string;
    readonly stopButton: string;
    readonly stopped: string;
    readonly refusals: Readonly<Record<StopRefusal | 'reason', string>>;
  };
  readonly stepUp: {
    readonly ask: string;
    readonly why: string;
    readonly proveButton: string;
    readonly proved: string;
    readonly notAnew: string;
    readonly carryOutButton: string;
    readonly cancel: string;
  };
  readonly stepUpActions: Readonly<Record<StepUpAction, string>>;
}
