import { type Decider, type Pipeline } from '#domain/event-sourcing';
import { type Mode, modes } from '#domain/kernel';
import {
  type Merchant,
  merchantDecider,
  merchantStream,
  type PauseCount,
  type PauseEvent,
  pauseEventTypes,
  pausesAfter,
  type RegisteredMerchant,
} from '#domain/merchants';

/** The stream of pauses that apply to all merchants. */
export const pausesStream = 'platform-payouts';

/** The modes in which the payouts of all merchants are paused. */
export interface Pauses extends PauseCount {
  /** Ids of the proposals that two admins carried out (PEO-32). */
  readonly carriedOut: ReadonlySet<string>;
}

export const pausesDecider: Decider<Pauses, PauseEvent> = {
  types: pauseEventTypes,
  initial: { paused: [], pauses: 0, carriedOut: new Set() },
  evolve: ({ carriedOut, ...before }, event) => {
    const { causationId } = event.metadata;
    const isOfTwo = 'confirmedBy' in event.data && causationId !== undefined;
    return {
      ...pausesAfter(before, event),
      carriedOut: isOfTwo ? new Set(carriedOut).add(causationId) : carriedOut,
    };
  },
};

/** The modes of a pause or its end: the given one, or both. */
export function modesOf(mode: Mode | undefined): readonly Mode[] {
  return mode === undefined ? modes : [mode];
}

/** The modes in which a merchant's own stream pauses its payouts. */
export function pausedOf(state: Merchant): readonly Mode[] {
  return state.kind === 'none' ? [] : state.payouts.paused;
}

/** The pauses of a merchant's own stream. */
export function pausesOf({ payouts, carriedOut }: RegisteredMerchant): Pauses {
  return { paused: payouts.paused, pauses: payouts.pauses, carriedOut };
}

/**
 * True if payouts of the merchant and mode are paused in the log now.
 * @throws EventStoreUnavailable
 */
export async function arePayoutsPaused(
  pipeline: Pipeline,
  { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
): Promise<boolean> {
  const [all, own] = await Promise.all([
    pipeline.load({ decider: pausesDecider, stream: pausesStream }),
    pipeline.load({ decider: merchantDecider, stream: merchantStream(merchantId) }),
  ]);
  return all.state.paused.includes(mode) || pausedOf(own.state).includes(mode);
}
