import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type CommandMetadata,
  type Decider,
  type EventRecord,
  EventStore,
  Pipeline,
} from '#domain/event-sourcing';
import {
  reconciliationEventTypes,
  reconciliationStream,
  type ReconciliationRecorded,
} from '../reconciliation.events.js';

/** Notes that a day was compared with a statement, and what was left open (REC-16). */
export class RecordReconciliation extends Command<RecordedReconciliation> {
  constructor(
    readonly data: ReconciliationRecorded['data'],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

export interface RecordedReconciliation {
  /** The event's. */
  readonly id: string;
}

/** Nothing follows from what was recorded before, so no history is read for it. */
const decider: Decider<undefined, ReconciliationRecorded & EventRecord> = {
  types: reconciliationEventTypes,
  initial: undefined,
  evolve: () => undefined,
};

/** Two operators may record at the same time, more hardly. */
const maxAttempts = 8;

@CommandHandler(RecordReconciliation)
export class RecordReconciliationHandler implements ICommandHandler<RecordReconciliation> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly store: EventStore,
  ) {}

  async execute({ data, metadata }: RecordReconciliation): Promise<RecordedReconciliation> {
    const event: ReconciliationRecorded = { type: 'ReconciliationRecorded', data };
    for (let attempt = 1; ; attempt += 1) {
      const last = await this.store.readLast(reconciliationStream);
      const appended = await this.pipeline.appendTo(
        { decider, stream: reconciliationStream, metadata },
        { state: undefined, revision: last?.revision ?? 'no_stream' },
        [event],
      );
      if (appended.ok) return { id: appended.value.eventId ?? '' };
      if (attempt === maxAttempts)
        throw new Error('others recorded reconciliations all the time: try again');
    }
  }
}
