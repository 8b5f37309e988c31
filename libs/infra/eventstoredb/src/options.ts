import { type EventTypes } from '#domain/event-sourcing';

/** What the adapter says; `#infra/runtime`'s logger fits. */
export interface AdapterLogger {
  warn(details: object, message: string): void;
}

/** How an append ended, and how long it took, retries included. */
export interface AppendObservation {
  readonly outcome: 'appended' | 'conflict' | 'unavailable' | 'refused';
  readonly seconds: number;
}

export interface EventStoreDbOptions {
  /** `esdb://…`; the client gets its options, and limits of discovery that suit our deadlines where it sets none. */
  readonly connectionString: string;
  /** The merged tables of all subjects. */
  readonly eventTypes: EventTypes;
  /** For one append, and for one page of a read, retries included. Default 5,000. */
  readonly deadlineMs?: number;
  readonly logger: AdapterLogger;
  /**
   * Called once when appending cannot safely go on in this process (a broken batch stream was not seen to
   * close): finish what is in flight and exit. Reads go on, appends answer EventStoreUnavailable.
   */
  readonly onFatal: (error: Error) => void;
  /** Called after each append, for metrics. */
  readonly onAppend?: (observation: AppendObservation) => void;
}
