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

/** The package's error for a refused append, so that both ways of appending fail alike. */
export function errorOf(
  { type, details, message }: Extract<BatchAnswer, { kind: 'refusal' }>,
  { stream, expectedRevision }: ProposedAppend,
): Error {
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
