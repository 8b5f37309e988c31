import {
  AccessDeniedError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { type ProposedAppend } from './wire/batch-append-request.js';
import {
  type BatchAnswer,
  decodeActualRevision,
  decodeMaxAppendSize,
} from './wire/batch-append-response.js';

/** The gRPC status with which the embedded store refuses what its disk did not take; EventStoreDB ends instead. */
const resourceExhausted = 8;

/** The store could not write to its disk. It stored nothing of the append, and answers reads all the same. */
export class DiskRefused extends Error {
  override readonly name = 'DiskRefused';
}

/** The package's error for a refused append, so that both ways of appending fail alike; DiskRefused is ours. */
export function errorOf(
  { code, type, details, message }: Extract<BatchAnswer, { kind: 'refusal' }>,
  { stream, expectedRevision }: ProposedAppend,
): Error {
  if (code === resourceExhausted) return new DiskRefused(message);
  switch (type) {
    case 'event_store.client.WrongExpectedVersion':
      return new WrongExpectedVersionError(undefined, {
        streamName: stream,
        expected: expectedRevision,
        current: decodeActualRevision(details),
      });
    case 'event_store.client.StreamDeleted':
      return StreamDeletedError.fromStreamName(stream);
    case 'event_store.client.AccessDenied':
      return new AccessDeniedError();
    case 'event_store.client.Timeout':
      return new DeadlineExceededError();
    case 'event_store.client.Unknown':
      return new UnknownError();
    case 'event_store.client.MaximumAppendSizeExceeded':
      return MaxAppendSizeExceededError.fromMaxAppendSize(decodeMaxAppendSize(details));
    default:
      return new UnknownError(undefined, `Could not recognize ${message}`);
  }
}
