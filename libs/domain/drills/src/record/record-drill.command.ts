import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { concludeDrill, type DrillFindings } from '../conclude-drill.js';
import { drillEventTypes, type DrillRecorded, drillStream } from '../drill.events.js';

/** Records that a copy of the records was compared with the serving data, and the outcome (OPS-28). */
export class RecordDrill extends Command<RecordedDrill> {
  constructor(
    readonly findings: DrillFindings,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

export interface RecordedDrill {
  /** The event's id. */
  readonly id: string;
  readonly conclusion: DrillRecorded['data'];
}

@CommandHandler(RecordDrill)
export class RecordDrillHandler implements ICommandHandler<RecordDrill> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ findings, metadata }: RecordDrill): Promise<RecordedDrill> {
    const conclusion = concludeDrill(findings);
    const event: DrillRecorded = { type: 'DrillRecorded', data: conclusion };
    const note = { types: drillEventTypes, stream: drillStream, metadata };
    return { id: await this.pipeline.note(note, event), conclusion };
  }
}
