import { type CommandMetadata } from '#domain/event-sourcing';
import { Clock, Ids, type Instant } from '#domain/kernel';
import { Injectable } from '@nestjs/common';

/** The time and the metadata of the worker's commands. */
@Injectable()
export class WorkerNow {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  now(): Instant {
    return this.clock.now();
  }

  metadata(): CommandMetadata {
    return { correlationId: this.ids.next(), actor: { kind: 'system', id: 'worker' } };
  }
}
