import { type EventLog, type StoredEvent } from '../store/event-log.js';
import { firstReadable, isReadable } from '../store/stream-record.js';
import { type ReadFrom } from './read-request.js';

/** Returns the next events in the order of the read; an empty page at the (present) end. */
export interface Cursor {
  next(limit: number): readonly StoredEvent[];
}

/** `from` is included. */
export function allForwards(log: EventLog, from: number): Cursor {
  let at = from;
  return {
    next(limit) {
      const page = log.forwards(at, limit);
      const last = page.at(-1);
      if (last !== undefined) at = last.position + 1;
      return page;
    },
  };
}

/** `before` is excluded. */
export function allBackwards(log: EventLog, before: number): Cursor {
  let at = before;
  return {
    next(limit) {
      const page = log.backwards(at, limit);
      at = page.at(-1)?.position ?? at;
      return page;
    },
  };
}

/** `from` is included; events that the stream gets meanwhile are returned too. */
export function streamForwards(log: EventLog, stream: Buffer, from: number): Cursor {
  let revision = from;
  return {
    next(limit) {
      const record = log.stream(stream);
      if (!isReadable(record)) return [];
      const first = Math.max(revision, firstReadable(record));
      if (first > record.head) return [];
      const last = Math.min(record.head, first + limit - 1);
      revision = last + 1;
      return log.revisions(record.number, first, last);
    },
  };
}

/** `from` is included. */
export function streamBackwards(log: EventLog, stream: Buffer, from: ReadFrom): Cursor {
  let revision = from === 'end' ? Infinity : from === 'start' ? 0 : from;
  return {
    next(limit) {
      const record = log.stream(stream);
      if (!isReadable(record)) return [];
      const last = Math.min(revision, record.head);
      const first = Math.max(firstReadable(record), last - limit + 1);
      if (last < first) return [];
      revision = first - 1;
      return log.revisions(record.number, first, last).reverse();
    },
  };
}
