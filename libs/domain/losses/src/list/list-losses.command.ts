import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type LossChunk } from '../loss-collector.js';
import { lossEventTypes, type LossesListed, lossListStream } from '../losses.events.js';

/** Writes a list of losses to the log, in a new stream. It has no effect until two admins accept it. */
export class ListLosses extends Command<string> {
  constructor(
    readonly chunks: AsyncIterable<LossChunk>,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ListLosses)
export class ListLossesHandler implements ICommandHandler<ListLosses> {
  constructor(private readonly pipeline: Pipeline) {}

  /**
   * @returns the list's id
   * @throws EventStoreUnavailable
   */
  async execute({ chunks, metadata }: ListLosses): Promise<string> {
    const list = this.pipeline.newId();
    const note = { types: lossEventTypes, stream: lossListStream(list), metadata };
    for await (const data of chunks) {
      const event: LossesListed = { type: 'LossesListed', data };
      await this.pipeline.note(note, event);
    }
    return list;
  }
}
