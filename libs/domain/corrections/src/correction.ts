import { assertNever } from '#domain/kernel';
import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { debitedWallet } from './legs.js';
import {
  type CorrectionEvent,
  correctionEventTypes,
  type CorrectionProposed,
} from './correction.events.js';

export interface ProposedCorrection {
  readonly status: 'proposed';
  readonly proposal: CorrectionProposed['data'];
}

/** Final. */
export interface PostedCorrection {
  readonly status: 'posted';
  readonly proposal: CorrectionProposed['data'];
  readonly confirmedBy: string;
}

export type RecordedCorrection = ProposedCorrection | PostedCorrection;

export type Correction = { readonly status: 'none' } | RecordedCorrection;

export const correctionDecider: Decider<Correction, CorrectionEvent> = {
  types: correctionEventTypes,
  initial: { status: 'none' },
  evolve,
};

function evolve(
  state: Correction,
  event: CorrectionEvent & { readonly metadata: EventMetadata },
): Correction {
  switch (event.type) {
    case 'CorrectionProposed':
      return { status: 'proposed', proposal: event.data };
    case 'CorrectionPosted':
      if (state.status === 'none')
        throw new TypeError('a correction’s history begins with its proposal');
      return {
        status: 'posted',
        proposal: state.proposal,
        confirmedBy: event.data.confirmedBy,
      };
    default:
      return assertNever(event);
  }
}

/** What the correction takes out of a wallet, and after which revision of its reservations; undefined: nothing. */
export function demandOf({ merchantId, mode, currency, ...proposal }: CorrectionProposed['data']) {
  const debited = debitedWallet(proposal.legs);
  if (!debited) return undefined;
  const { accountNo, amountMinor } = debited;
  const { reservationsRevision } = proposal;
  return {
    wallet: { mode, merchantId, accountNo, currency },
    amountMinor,
    mayOverdraw: proposal.mayOverdraw ?? false,
    since: reservationsRevision === undefined ? undefined : BigInt(reservationsRevision),
  };
}
