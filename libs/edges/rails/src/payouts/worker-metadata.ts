import { type CommandMetadata } from '#domain/event-sourcing';
import { type Ids } from '#domain/kernel';

/** Metadata of what the worker does by itself. */
export function workerMetadata(ids: Ids): CommandMetadata {
  return { correlationId: ids.next(), actor: { kind: 'system', id: 'worker' } };
}
