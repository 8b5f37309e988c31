import { type EventTypes } from '#domain/event-sourcing';

/** The operator's last word to V3's merchants; the log's own time says when. */
export interface FinalNoticeIssued {
  readonly type: 'FinalNoticeIssued';
  readonly data: { readonly text: string };
}

/** V3 is gone, for ever. */
export interface V3Retired {
  readonly type: 'V3Retired';
  readonly data: {
    /** V3 calls of merchants in the 30 days before, and on the day itself. */
    readonly callsInWindow: number;
    /** V3_RETIRE_THRESHOLD as it was then: the calls were fewer. */
    readonly threshold: number;
  };
}

export type RetirementEvent = FinalNoticeIssued | V3Retired;

/** The names and versions under which history keeps these events (EVT-1). */
export const retirementEventTypes = {
  FinalNoticeIssued: { version: 1 },
  V3Retired: { version: 1 },
} as const satisfies Record<RetirementEvent['type'], EventTypes[string]>;

export const retirementStream = 'platform-v3';
