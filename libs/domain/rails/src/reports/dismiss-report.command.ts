import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type CommandMetadata,
  type EventTypes,
  Pipeline,
  type StoredEvent,
} from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';

/** An operator decided that nothing follows from a report of the rail that was left for review (C2B-23). */
export type RailReportDismissed = StoredEvent<
  'RailReportDismissed',
  {
    /** The rail. */
    channel: string;
    mode: Mode;
    /** The id of the report in the callback inbox. */
    reportId: string;
    /** Absent if the report names none. */
    receipt?: string;
    /** The reason why the report was left for review, such as `other_short_code`. */
    why: string;
  }
>;

/** The names and versions under which history stores these events (EVT-1). */
export const reportEventTypes = {
  RailReportDismissed: { version: 1 },
} as const satisfies Record<RailReportDismissed['type'], EventTypes[string]>;

export const reportsStream = 'platform-rail-reports';

/** Records that nothing follows from a report. It moves no money. */
export class DismissRailReport extends Command<void> {
  constructor(
    readonly report: RailReportDismissed['data'],
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(DismissRailReport)
export class DismissRailReportHandler implements ICommandHandler<DismissRailReport> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ report, metadata }: DismissRailReport): Promise<void> {
    const event: RailReportDismissed = { type: 'RailReportDismissed', data: report };
    await this.pipeline.note({ types: reportEventTypes, stream: reportsStream, metadata }, event);
  }
}
