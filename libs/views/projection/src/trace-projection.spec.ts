import { HandMadeLog } from '#testing';
import { expect, it } from '@jest/globals';
import { type RecordedEvent } from '#domain/event-sourcing';
import { traceProjection } from './trace-projection.js';

const nowMs = Date.parse('2026-11-20T10:00:00.000Z');
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** An event that was recorded this long ago. */
function eventOf(ageMs: number, trace?: string): RecordedEvent {
  const log = new HandMadeLog(nowMs - ageMs);
  log.append('platform-spec', { type: 'DaySealed', data: {} });
  const [event] = log.events;
  if (!event) throw new Error('no event');
  return trace === undefined
    ? event
    : { ...event, metadata: { ...event.metadata, traceparent: trace } };
}

it('traces events of recorded requests as they come, and no history that is read again', () => {
  const traced: unknown[] = [];
  const tracing = {
    begin: () => undefined,
    continue: (name: string, _kind: string, parent?: string, since?: number) => {
      traced.push({ name, parent, since });
      return undefined;
    },
    close: () => Promise.resolve(),
  };
  const events = [eventOf(100, traceparent), eventOf(100), eventOf(120_000, traceparent)];
  traceProjection(tracing, events, { since: 5, nowMs });
  expect(traced).toEqual([{ name: 'project', parent: traceparent, since: 5 }]);
});
