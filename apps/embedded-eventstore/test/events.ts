import { randomUUID } from 'node:crypto';
import { jsonEvent, type ResolvedEvent } from '@eventstore/db-client';

/** A stream name that no other test uses. */
export function newStream(prefix = 'stream'): string {
  return `${prefix}-${randomUUID()}`;
}

export function someEvent(type = 'Tested', index = 0, id: string = randomUUID()) {
  return jsonEvent({ id, type, data: { index, text: 'Habari' }, metadata: { v: 1 } });
}

export function someEvents(count: number, type = 'Tested') {
  return Array.from({ length: count }, (_, index) => someEvent(type, index));
}

export async function collect(events: AsyncIterable<ResolvedEvent>) {
  const collected = [];
  for await (const { event } of events) if (event !== undefined) collected.push(event);
  return collected;
}

/** Returns the reason of the promise's rejection; fails if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was expected to reject');
}
