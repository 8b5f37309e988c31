import { type RecordedEvent } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type Tracing } from '#infra/runtime';

/** Older events are history that is read again: their traces ended long ago. */
const youngMs = 60_000;

/**
 * Records when events with a trace came into the views.
 * @param at when the batch's transaction began, by `performance.now()`, and the time now
 */
export function traceProjection(
  tracing: Tracing,
  events: readonly RecordedEvent[],
  { since, nowMs }: { readonly since: number; readonly nowMs: number },
): void {
  for (const { type, metadata, recordedAt } of events) {
    if (metadata.traceparent === undefined || nowMs - msFromInstant(recordedAt) > youngMs) continue;
    const span = tracing.continue('project', 'consumer', metadata.traceparent, since);
    span?.end({ 'pesapost.events': type });
  }
}
