import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, type Decider, EventStore, Pipeline } from '#domain/event-sourcing';
import { concludeDrill, type DrillFindings } from '../conclude-drill.js';
import { drillEventTypes, type DrillRecorded, drillStream } from '../drill.events.js';

/** Notes that a copy of the records was held against what serves, and what came of it (OPS-28). */
export class RecordDrill extends Command<RecordedDrill> {
  constructor(
    readonly findings: DrillFindings,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

export interface RecordedDrill {
  /** The event's. */
  readonly id: string;
  readonly conclusion: DrillRecorded['data'];
}

/** Nothing follows from the drills before, so no history is read for it. */
const decider: Decider<undefined, DrillRecorded> = {
  types: drillEventTypes,
  initial: undefined,
  evolve: () => undefined,
};

/** Two operators may record at the same time, more hardly. */
const maxAttempts = 8;

@CommandHandler(RecordDrill)
export class RecordDrillHandler implements ICommandHandler<RecordDrill> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly store: EventStore,
  ) {}

  async execute({ findings, metadata }: RecordDrill): Promise<RecordedDrill> {
    const conclusion = concludeDrill(findings);
    const event: DrillRecorded = { type: 'DrillRecorded', data: conclusion };
    for (let attempt = 1; ; attempt += 1) {
      const last = await this.store.readLast(drillStream);
      const appended = await this.pipeline.appendTo(
        { decider, stream: drillStream, metadata },
        { state: undefined, revision: last?.revision ?? 'no_stream' },
        [event],
      );
      if (appended.ok) return { id: appended.value.eventId ?? '', conclusion };
      if (attempt === maxAttempts)
        throw new Error('others recorded drills all the time: try again');
    }
  }
}
