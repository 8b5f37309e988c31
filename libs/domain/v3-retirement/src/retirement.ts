import { type Instant, assertNever } from '#domain/kernel';
import { type Decider, fold, type Folded, type RecordedEvent } from '#domain/event-sourcing';
import { type RetirementEvent, retirementEventTypes } from './retirement.events.js';

/** The state of V3. */
export type Retirement =
  | { readonly kind: 'in_service' }
  /** A final notice was issued. The log has its time. */
  | { readonly kind: 'noticed' }
  | { readonly kind: 'retired' };

export const retirementDecider: Decider<Retirement, RetirementEvent> = {
  types: retirementEventTypes,
  initial: { kind: 'in_service' },
  evolve,
};

function evolve(state: Retirement, event: RetirementEvent): Retirement {
  switch (event.type) {
    case 'FinalNoticeIssued':
      return state.kind === 'retired' ? state : { kind: 'noticed' };
    case 'V3Retired':
      return { kind: 'retired' };
    default:
      return assertNever(event);
  }
}

/** The stream as it was read, and the time of the notice. */
export interface RetirementHistory extends Folded<Retirement> {
  /** The time of the first final notice. A later reminder does not postpone the end. */
  readonly noticedAt: Instant | undefined;
}

export function retirementHistory(
  events: readonly RecordedEvent<RetirementEvent>[],
): RetirementHistory {
  return {
    state: fold(retirementDecider, events),
    revision: events.at(-1)?.revision ?? 'no_stream',
    noticedAt: events.find(({ type }) => type === 'FinalNoticeIssued')?.recordedAt,
  };
}
