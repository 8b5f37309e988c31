import { type EventTypes, type NewEvent, type Subscription } from '#domain/event-sourcing';
import { EventStoreDb, type EventStoreDbOptions } from '#infra/eventstoredb';
import { randomUUID } from 'node:crypto';

/** The event types that the tests write. One release writes `Strange`, which the other does not know. */
export const types: EventTypes = { Noted: { version: 1 } };
export const newerTypes: EventTypes = { ...types, Strange: { version: 1 } };

export interface OpenStore {
  readonly store: EventStoreDb;
  readonly fatal: Error[];
  readonly warnings: string[];
}

export function openStore(
  connectionString: string,
  options: Partial<EventStoreDbOptions> = {},
): OpenStore {
  const fatal: Error[] = [];
  const warnings: string[] = [];
  const store = new EventStoreDb({
    connectionString,
    eventTypes: types,
    logger: { warn: (_, message) => warnings.push(message) },
    onFatal: (error) => fatal.push(error),
    // Longer than any pause of a busy machine.
    deadlineMs: 60_000,
    ...options,
  });
  return { store, fatal, warnings };
}

/** No test may assume that the log is empty, so each writes under its own prefixes. */
export function ownPrefix(): string {
  return `test${randomUUID().slice(0, 13)}-`;
}

export function noted(data: object = {}, type = 'Noted'): NewEvent {
  return {
    id: randomUUID(),
    event: { type, data },
    metadata: { v: 1, correlationId: 'test', actor: { kind: 'system', id: 'test' } },
  };
}

/** `n` events whose data count from `from`. */
export function counted(n: number, from = 0): NewEvent[] {
  return Array.from({ length: n }, (_, index) => noted({ n: from + index }));
}

/** Positions and kinds of a subscription's items up to and including the first that ends it. */
export async function itemsUntil(
  subscription: Subscription,
  isLast: (item: Item) => boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of subscription) {
    items.push(item);
    if (isLast(item)) break;
  }
  return items;
}

export type Item = Subscription extends AsyncIterable<infer I> ? I : never;

/** Returns the stream and number of an event item, `caught-up`, or `checkpoint`. */
export function inShort(item: Item): string {
  if (item.kind !== 'event') return item.kind;
  const { n } = item.event.data as { n?: number };
  return `${item.event.stream.replace(/^.*-/, '')}${n === undefined ? '' : `:${n}`}`;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
