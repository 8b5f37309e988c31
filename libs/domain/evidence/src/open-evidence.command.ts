import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type EvidenceOpened, evidenceEventTypes, evidenceStream } from './evidence.events.js';

/** Records that messages will be shown. They are shown only after this command succeeds. */
export class OpenEvidence extends Command<Result<undefined, never>> {
  constructor(
    readonly opened: EvidenceOpened['data'],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(OpenEvidence)
export class OpenEvidenceHandler implements ICommandHandler<OpenEvidence> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ opened, metadata }: OpenEvidence): Promise<Result<undefined, never>> {
    const event: EvidenceOpened = { type: 'EvidenceOpened', data: opened };
    await this.pipeline.note(
      { types: evidenceEventTypes, stream: evidenceStream, metadata },
      event,
    );
    return ok(undefined);
  }
}
