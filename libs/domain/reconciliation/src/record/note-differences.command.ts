import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  type DifferencesNoted,
  reconciliationEventTypes,
  reconciliationStream,
} from '../reconciliation.events.js';

/** Records the action on open lines of a day. An earlier note and its author stay (REC-35). */
export class NoteDifferences extends Command<{ readonly id: string }> {
  constructor(
    readonly data: DifferencesNoted['data'],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(NoteDifferences)
export class NoteDifferencesHandler implements ICommandHandler<NoteDifferences> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ data, metadata }: NoteDifferences): Promise<{ readonly id: string }> {
    const event: DifferencesNoted = { type: 'DifferencesNoted', data };
    const note = { types: reconciliationEventTypes, stream: reconciliationStream, metadata };
    return { id: await this.pipeline.note(note, event) };
  }
}
