import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { MAX_APPEND_BYTES, type Outcome } from '../store/commands.js';
import { type ExpectedRevision } from '../wire/append-requests.js';

export type Refusal = Exclude<Outcome, { kind: 'written' }>;

/** The request could not be understood, for this reason. */
export interface BadRequest {
  readonly kind: 'bad-request';
  readonly reason: string;
}

/** Trailer values are ASCII, so other characters are percent-encoded. */
export function asciiTrailer(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}

/** Returns the error that ends a call. The client chooses its error class by the trailer `exception`. */
export function failure(
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): StatusObject {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, asciiTrailer(value));
  return { code, details, metadata };
}

/** EventStoreDB's numbers for an expected revision, as trailers have them. */
function expectedNumber(expected: ExpectedRevision): string {
  if (expected === 'no_stream') return '-1';
  if (expected === 'any') return '-2';
  return expected === 'stream_exists' ? '-4' : expected.toString();
}

export function streamDeleted(stream: string): StatusObject {
  return failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export const shuttingDownReads = () => failure(status.CANCELLED, 'Server is shutting down');
export const shuttingDownAppends = () => failure(status.UNAVAILABLE, 'Server is shutting down');
export const consumerTooSlow = () =>
  failure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
export const invalidArgument = (why: string) => failure(status.INVALID_ARGUMENT, why);

/** EventStoreDB's answer to a read that its index cannot serve: no event has that position, or none is wanted. */
export const unexpectedResult = (of: 'ReadStreamResult' | 'ReadAllResult') =>
  failure(status.UNKNOWN, `Unexpected ${of}: Error`);

/** EventStoreDB's answer to a number that is no revision and no position. */
export const handlerFailed = () => failure(status.UNKNOWN, 'Exception was thrown by handler.');

/** Message for a commit that the disk refused: the failure, the resulting state, and the action to take. */
export function storageFailedSentence(reason: string): string {
  return `the event store could not write to its disk (${reason}): nothing of this append was stored`;
}

/** A deletion of another revision than the head. Appends answer a wrong expectation in band. */
function wrongExpectedOfDelete(
  actual: number,
  stream: string,
  expected: ExpectedRevision,
): StatusObject {
  const [wanted, found] = [expectedNumber(expected), actual.toString()];
  return failure(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${wanted}, Actual version: ${found}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': wanted,
      'actual-version': found,
    },
  );
}

/** The refusal of a command as a call's status. */
export function refusalStatus(
  refusal: Refusal,
  stream: string,
  expected: ExpectedRevision,
): StatusObject {
  switch (refusal.kind) {
    case 'wrong-expected':
      return wrongExpectedOfDelete(refusal.actual, stream, expected);
    case 'stream-deleted':
      return streamDeleted(stream);
    case 'timed-out':
      return failure(
        status.DEADLINE_EXCEEDED,
        'the deadline had passed before the append was tried',
      );
    case 'too-large':
      return failure(
        status.INVALID_ARGUMENT,
        `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`,
        {
          exception: 'maximum-append-size-exceeded',
          'maximum-append-size': MAX_APPEND_BYTES.toString(),
        },
      );
    case 'storage-failed':
      return failure(status.RESOURCE_EXHAUSTED, storageFailedSentence(refusal.reason));
    case 'shutting-down':
      return shuttingDownAppends();
  }
}
