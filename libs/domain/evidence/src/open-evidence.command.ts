import { type CommandMetadata } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type EvidenceOpened } from './evidence.events.js';
import { EvidenceLog } from './note-evidence.js';

/** Notes that messages are about to be shown. Nothing of them is shown before it is carried out. */
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
  constructor(private readonly log: EvidenceLog) {}

  /** @throws EventStoreUnavailable */
  async execute({ opened, metadata }: OpenEvidence): Promise<Result<undefined, never>> {
    await this.log.note({ type: 'EvidenceOpened', data: opened }, metadata);
    return ok(undefined);
  }
}
