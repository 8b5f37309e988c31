import { authenticationOf } from '#shared/http';
import { moneyMovement } from '../authentication/caller.js';
import { V4Guard } from '../authentication/v4.guard.js';

/** What a route asks of a request, read from the marks that make it so. */
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
