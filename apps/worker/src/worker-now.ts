import { type CommandMetadata } from '#domain/event-sourcing';
import { Clock, Ids, type Instant } from '#domain/kernel';
import { Injectable } from '@nestjs/common';

/** What the worker's commands carry: when, and in whose name. */
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
