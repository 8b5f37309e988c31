import { type Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from './rpc/errors.js';
import { type ReadReq } from './rpc/read-request.js';
import { type EventLog } from './store/event-log.js';
import { metadataStreamOf, readersOf } from './store/stream-metadata.js';
import { frameData } from './wire/frame.js';

/** Each user is `name:password`. */
export interface Users {
  /** The user who may do everything; if undefined, every caller may. */
  readonly user: string | undefined;
  /** A user like EventStoreDB's outside `$admins`: reads `$all` only if the metadata of `$all` names it. */
  readonly ordinaryUser: string | undefined;
}

export interface Rights {
  /** Returns the refusal of a call, or undefined if it is allowed. */
  calls(metadata: Metadata): StatusObject | undefined;
  /** Returns the refusal of a read, or undefined if it is allowed. */
  reads(metadata: Metadata, request: ReadReq): StatusObject | undefined;
}

const all = Buffer.from('$all');
const digest = (text: string) => createHash('sha256').update(text).digest();
const denied = () =>
  failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

/** As in EventStoreDB, a call without credentials is denied access, and wrong ones are UNAUTHENTICATED. */
export function rightsOf({ user, ordinaryUser }: Users, log: EventLog): Rights {
  const headerOf = (one: string | undefined) =>
    one === undefined ? undefined : digest(`Basic ${Buffer.from(one).toString('base64')}`);
  const [first, ordinary] = [headerOf(user), headerOf(ordinaryUser)];
  const bears = (metadata: Metadata, header: Buffer | undefined): boolean => {
    const [given] = metadata.get('authorization');
    return (
      given !== undefined &&
      header !== undefined &&
      timingSafeEqual(digest(given.toString()), header)
    );
  };
  const calls = (metadata: Metadata): StatusObject | undefined => {
    if (first === undefined || bears(metadata, first) || bears(metadata, ordinary))
      return undefined;
    if (metadata.get('authorization').length === 0) return denied();
    return failure(status.UNAUTHENTICATED, 'Bad credentials');
  };
  const name = ordinaryUser?.split(':')[0];
  const reads = (metadata: Metadata, request: ReadReq): StatusObject | undefined => {
    const isOfAll = request.getOptions()?.getAll() !== undefined;
    const isLimited = isOfAll && bears(metadata, ordinary);
    return isLimited && !readersOfAll(log).includes(name) ? denied() : undefined;
  };
  return { calls, reads };
}

function readersOfAll(log: EventLog): readonly unknown[] {
  const record = log.stream(metadataStreamOf(all));
  const position = record && log.positionOf(record.number, record.head);
  const frame = position === undefined ? undefined : log.frameAt(position);
  return frame === undefined ? [] : readersOf(frameData(frame));
}
