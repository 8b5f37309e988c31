import {
  noncePattern,
  nonceTtlSeconds,
  timestampPattern,
  timestampToleranceMs,
} from '../authentication/checks.js';
import { idempotencyKeyPattern } from '../idempotency/idempotency.js';
import { maxWaitMs, minPositionPattern } from '../ledger-position.js';
import { authenticationOf } from '#shared/http';
import { moneyMovement } from '../authentication/caller.js';
import { V4Guard } from '../authentication/v4.guard.js';

/** The forms and times that a signed request must keep, as the checks define them. */
export const requestLimits = {
  noncePattern,
  nonceTtlSeconds,
  timestampPattern,
  timestampToleranceSeconds: timestampToleranceMs / 1000,
  idempotencyKeyPattern,
  minPositionPattern,
  minPositionWaitMs: maxWaitMs,
} as const;

/** A route's demands on a request, read from the route's own decorators. */
export interface RouteDemands {
  /** Bearer token, source address and signature. */
  readonly signed: boolean;
  readonly idempotencyKey: boolean;
}

export function demandsOfRoute(handler: object, controller: object): RouteDemands {
  return {
    signed: authenticationOf(handler, controller) === V4Guard.name,
    idempotencyKey: Reflect.getMetadata(moneyMovement, handler) === true,
  };
}
