import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  reconciliationEventTypes,
  reconciliationStream,
  type ReconciliationRecorded,
} from '../reconciliation.events.js';

/** Records the comparison of a day with a statement, and the open findings (REC-16). */
export class RecordReconciliation extends Command<RecordedReconciliation> {
  constructor(
    readonly data: ReconciliationRecorded['data'],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

export interface RecordedReconciliation {
  /** The event's id. */
  readonly id: string;
}

@CommandHandler(RecordReconciliation)
export class RecordReconciliationHandler implements ICommandHandler<RecordReconciliation> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ data, metadata }: RecordReconciliation): Promise<RecordedReconciliation> {
    const event: ReconciliationRecorded = { type: 'ReconciliationRecorded', data };
    const note = { types: reconciliationEventTypes, stream: reconciliationStream, metadata };
    return { id: await this.pipeline.note(note, event) };
  }
}
