import { EventStoreUnavailable, UnknownEventType, UnreadableEvent } from '#domain/event-sourcing';
import { DeadlineExceeded } from '#infra/runtime';
import { ErrorType, isCommandError } from '@eventstore/db-client';
import { DiskRefused } from './refusal.js';
import { AccessDenied } from './rights.js';

/**
 * The reason of a failure in a few words, without addresses or secrets. It is the client's error type. While the server
 * is down, the client throws a plain Error; the reason is then the gRPC status number.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof DeadlineExceeded) return 'no answer within the deadline';
  if (isTooSlow(error)) return 'this consumer was too slow';
  if (isDiskRefused(error))
    return 'it cannot write to its disk; make room there, and the service goes on by itself';
  const type = typeOf(error);
  if (type) return type.replaceAll('-', ' ');
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'number') return `gRPC status ${code}`;
  if (error instanceof Error && error.message.startsWith('Failed to discover'))
    return 'no node of the cluster was found';
  return 'the connection failed';
}

export function typeOf(error: unknown): ErrorType | undefined {
  return error instanceof Error && isCommandError(error) ? error.type : undefined;
}

/** The store drops a live subscriber that lags. This is not a fault: continue from the last position. */
export function isTooSlow(error: unknown): boolean {
  return typeOf(error) === ErrorType.TIMEOUT;
}

/** Only a person who makes room can help: neither a retry nor another connection does. */
export function isDiskRefused(error: unknown): boolean {
  return error instanceof DiskRefused;
}

/** Another node leads; the client connects to it by itself. */
export function isNotLeader(error: unknown): boolean {
  return typeOf(error) === ErrorType.NOT_LEADER;
}

const finalTypes: ReadonlySet<ErrorType | undefined> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.INVALID_ARGUMENT,
]);

/** True for refusals that no retry changes. */
export function isFinal(error: unknown): boolean {
  return finalTypes.has(typeOf(error));
}

/**
 * Returns the port's error for one that no retry changes. A refused user is a setting to repair, so for callers the
 * store is unavailable. A tombstoned stream or an append over 1 MiB is a defect of ours.
 */
export function finalError(error: unknown): Error {
  if (typeOf(error) === ErrorType.ACCESS_DENIED) return new AccessDenied();
  return new Error(`the event store refused: ${reasonOf(error)}`, { cause: error });
}

export function unavailable(error: unknown): EventStoreUnavailable {
  return error instanceof EventStoreUnavailable
    ? error
    : new EventStoreUnavailable(reasonOf(error), { cause: error });
}

/**
 * True if a new client may do better after this error. A timeout of the only address is waited out: each new connection
 * to a frozen server would stay open until it thaws. The keepalive ends a dead connection.
 */
export function worthRenewing(error: unknown, discovers: boolean): boolean {
  return discovers || !(error instanceof DeadlineExceeded);
}

/** True for the codec's errors: the server answered, but this release cannot read the answer. */
export function isOurs(error: unknown): boolean {
  return error instanceof UnknownEventType || error instanceof UnreadableEvent;
}
