import { type EventTypes } from '#domain/event-sourcing';

/** The logger of the adapter; `#infra/runtime`'s logger fits. */
export interface AdapterLogger {
  warn(details: object, message: string): void;
}

/** The outcome of an append, and its duration, retries included. */
export interface AppendObservation {
  readonly outcome: 'appended' | 'conflict' | 'unavailable' | 'refused';
  readonly seconds: number;
}

export interface EventStoreDbOptions {
  /** `esdb://…`; the client gets its options, and limits of discovery that suit our deadlines if it sets none. */
  readonly connectionString: string;
  /** The merged tables of all subjects. */
  readonly eventTypes: EventTypes;
  /** The deadline of one append, and of one page of a read, retries included. Default 5,000. */
  readonly deadlineMs?: number;
  readonly logger: AdapterLogger;
  /**
   * Called once when appending cannot safely continue in this process, since a broken batch stream was not seen to
   * close: finish the work in flight and exit. Reads continue, appends answer EventStoreUnavailable.
   */
  readonly onFatal: (error: Error) => void;
  /** Called after each append, for metrics. */
  readonly onAppend?: (observation: AppendObservation) => void;
}
