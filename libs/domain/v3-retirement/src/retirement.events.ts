import { type EventTypes } from '#domain/event-sourcing';

/** The operator's final notice to V3's merchants. The log has its time. */
export interface FinalNoticeIssued {
  readonly type: 'FinalNoticeIssued';
  readonly data: { readonly text: string };
}

/** V3 is retired for ever. */
export interface V3Retired {
  readonly type: 'V3Retired';
  readonly data: {
    /** V3 calls of merchants in the 30 days before, and on the day itself. */
    readonly callsInWindow: number;
    /** V3_RETIRE_THRESHOLD at that time. There were fewer calls. */
    readonly threshold: number;
  };
}

export type RetirementEvent = FinalNoticeIssued | V3Retired;

/** The names and versions under which history stores these events (EVT-1). */
export const retirementEventTypes = {
  FinalNoticeIssued: { version: 1 },
  V3Retired: { version: 1 },
} as const satisfies Record<RetirementEvent['type'], EventTypes[string]>;

export const retirementStream = 'platform-v3';
