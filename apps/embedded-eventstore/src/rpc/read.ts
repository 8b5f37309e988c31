import { type handleServerStreamingCall, type StatusObject } from '@grpc/grpc-js';
import { type EventLog } from '../store/event-log.js';
import { isReadable } from '../store/stream-record.js';
import { type ActiveCalls } from './active-calls.js';
import {
  allBackwards,
  allForwards,
  type Cursor,
  streamBackwards,
  streamForwards,
} from './cursors.js';
import { shuttingDownReads, streamDeleted, unexpectedResult } from './errors.js';
import { type LiveHub } from './live-hub.js';
import { send, turn } from './pacing.js';
import {
  parseReadRequest,
  type ReadCall,
  type ReadFrom,
  type ReadReq,
  type ReadRequest,
} from './read-request.js';
import { streamNotFound } from './read-replies.js';
import { Subscription } from './subscription.js';

/** Events fetched at a time, which bounds the memory of a read. */
const PAGE_EVENTS = 256;

/** Streams.Read: reads and subscriptions, of a stream and of `$all`. */
export function read(
  log: EventLog,
  hub: LiveHub,
  calls: ActiveCalls,
): handleServerStreamingCall<ReadReq, readonly Buffer[]> {
  return (call) => {
    calls.add(call, () => {
      call.emit('error', shuttingDownReads());
    });
    const request = parseReadRequest(call.request);
    if ('refused' in request) {
      call.emit('error', request.refused);
      return;
    }
    const refused = refusal(log, request);
    if (refused !== undefined) call.emit('error', refused);
    else if (request.subscription) new Subscription(call, log, hub, request).start();
    else void readOnce(call, log, request);
  };
}

/** Returns the reason why the read is refused, if it is. */
function refusal(log: EventLog, request: ReadRequest): StatusObject | undefined {
  const { from, count, backwards, subscription } = request;
  if (request.target === 'stream') {
    // EventStoreDB refuses these before it looks for the stream.
    const isNone = count === 0 || (from === 'end' && !backwards && !subscription);
    if (isNone) return unexpectedResult('ReadStreamResult');
    const { stream } = request;
    return log.isTombstoned(stream) ? streamDeleted(stream.toString('utf8')) : undefined;
  }
  const anywhere = from === 'start' || from === 'end' || from === 0 || from > log.lastPosition;
  // The last byte of an event is the position of an append without events that followed it.
  if (anywhere || log.isBoundary(from) || log.isBoundary(from + 1)) return undefined;
  return unexpectedResult('ReadAllResult');
}

function allCursor(log: EventLog, from: ReadFrom, backwards: boolean): Cursor {
  if (backwards) {
    // As in EventStoreDB, a backward read from beyond the end returns nothing; `end` is the end itself.
    const before = from === 'end' ? log.nextPosition : from === 'start' ? 0 : from;
    return allBackwards(log, before > log.nextPosition ? 0 : before);
  }
  return allForwards(log, from === 'end' ? log.nextPosition : from === 'start' ? 0 : from);
}

async function readOnce(call: ReadCall, log: EventLog, request: ReadRequest): Promise<void> {
  const { from, backwards } = request;
  let cursor: Cursor;
  if (request.target === 'all') cursor = allCursor(log, from, backwards);
  else {
    const record = log.stream(request.stream);
    if (!isReadable(record)) {
      call.write([streamNotFound(request.stream)]);
      call.end();
      return;
    }
    cursor = backwards
      ? streamBackwards(log, request.stream, from)
      : streamForwards(log, request.stream, typeof from === 'number' ? from : 0);
  }
  const matches = request.target === 'all' ? request.filter?.matches : undefined;
  await sendAll(call, cursor, request.count, matches);
  call.end();
}

async function sendAll(
  call: ReadCall,
  cursor: Cursor,
  count: number,
  matches: ((frame: Buffer) => boolean) | undefined,
): Promise<void> {
  let left = count;
  while (left > 0 && !call.cancelled) {
    const page = cursor.next(matches === undefined ? Math.min(PAGE_EVENTS, left) : PAGE_EVENTS);
    if (page.length === 0) return;
    const frames = page.map(({ frame }) => frame);
    const wanted = matches === undefined ? frames : frames.filter(matches).slice(0, left);
    await send(call, wanted);
    left -= wanted.length;
    await turn();
  }
}
