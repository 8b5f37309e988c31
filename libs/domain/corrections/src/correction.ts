import { assertNever, type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { debitedWallet } from './legs.js';
import {
  type CorrectionEnd,
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

/** Final: nothing was posted. */
export interface EndedCorrection {
  readonly status: 'ended';
  readonly proposal: CorrectionProposed['data'];
  readonly outcome: CorrectionEnd;
}

export type RecordedCorrection = ProposedCorrection | PostedCorrection | EndedCorrection;

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
    case 'CorrectionEnded':
      if (state.status === 'none')
        throw new TypeError('a correction’s history begins with its proposal');
      return { status: 'ended', proposal: state.proposal, outcome: event.data.outcome };
    default:
      return assertNever(event);
  }
}

/**
 * The debit of a wallet by the correction, and the revision of the wallet's reservations before it; undefined if none.
 */
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

const waitsMs = 24 * 3_600_000;

/** The time until which another operator may confirm it. Without a confirmation it is refused (COR-9). */
export function endsAt(proposedAt: Instant): Instant {
  return instantFromMs(msFromInstant(proposedAt) + waitsMs);
}
