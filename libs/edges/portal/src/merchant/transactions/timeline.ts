import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, type Minor } from '#domain/kernel';
import { feeOf, isReturned } from '#domain/ledger';
import { type ItemEvent } from '#views/transactions';

/**
 * A step as the merchant sees it (POR-17): what the event means for the money. It never says how the platform learned
 * of it, who of its people decided, or why.
 */
export type Step =
  | { readonly kind: 'asked'; readonly amountMinor: Minor; readonly phone: string }
  /** The customer pays without a push, or is expected to. */
  | { readonly kind: 'without_push'; readonly amountMinor: Minor; readonly phone?: string }
  | { readonly kind: 'prompt_shown' }
  | { readonly kind: 'refused' | 'declined'; readonly failureCode: string }
  | { readonly kind: 'paid'; readonly receipt: string | undefined }
  | { readonly kind: 'posted'; readonly amountMinor: Minor; readonly feeMinor: Minor }
  | { readonly kind: 'other_amount'; readonly amountMinor: Minor }
  | {
      readonly kind:
        | 'under_review'
        | 'decided'
        | 'returned'
        | 'reserved'
        | 'expired'
        | 'waits_for_float'
        | 'sent';
    }
  | {
      readonly kind: 'payout_asked';
      readonly amountMinor: Minor;
      readonly feeMinor: Minor;
      readonly phone?: string;
      readonly by: string;
    }
  | {
      readonly kind: 'refund_asked' | 'refund_ended' | 'refund_paid';
      readonly amountMinor: Minor;
      /** The reference of the payout that refunds. */
      readonly payout: string;
    }
  | { readonly kind: 'approved'; readonly by: string }
  | { readonly kind: 'rejected'; readonly by: string | undefined; readonly reason: string };

export interface TimedStep {
  readonly at: Instant;
  readonly step: Step;
}

/** The timeline of a collection or payout, oldest first. */
export function timelineOf(events: readonly RecordedEvent<ItemEvent>[]): readonly TimedStep[] {
  return events.flatMap((event) => {
    const step = stepOf(event);
    return step ? [{ at: event.recordedAt, step }] : [];
  });
}

/** The masked number that the money came from, or went to. */
export function phoneOf(steps: readonly TimedStep[]): string | undefined {
  return steps
    .map(({ step }) => ('phone' in step ? step.phone : undefined))
    .find((phone) => phone !== undefined);
}

function stepOf({ type, data }: ItemEvent): Step | undefined {
  switch (type) {
    case 'CollectionIntentRecorded': {
      const { amountMinor, phoneMasked: phone, origin } = data;
      if (origin !== 'c2b' && phone !== undefined) return { kind: 'asked', amountMinor, phone };
      return { kind: 'without_push', amountMinor, ...(phone === undefined ? {} : { phone }) };
    }
    case 'RailPushAccepted':
      return { kind: 'prompt_shown' };
    case 'RailPushRejected':
      return { kind: 'refused', failureCode: data.failureCode };
    case 'RailDeclined':
      return { kind: 'declined', failureCode: data.failureCode };
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
      return { kind: 'paid', receipt: data.receipt };
    case 'WalletPosted':
      return { kind: 'posted', amountMinor: data.amountMinor, feeMinor: data.feeMinor };
    case 'AmountMismatchRecorded':
      return { kind: 'other_amount', amountMinor: data.amountMinor };
    case 'SuspenseResolved':
      return isReturned(data.legs)
        ? { kind: 'returned' }
        : { kind: 'posted', amountMinor: data.amountMinor, feeMinor: feeOf(data.legs) };
    case 'ReviewFlagged':
      return { kind: 'under_review' };
    case 'ReviewDecided':
      return { kind: 'decided' };
    case 'PayoutRequested': {
      const { amountMinor, feeMinor, phoneMasked: phone, holder: by } = data;
      const to = phone === undefined ? {} : { phone };
      return { kind: 'payout_asked', amountMinor, feeMinor, by, ...to };
    }
    case 'RefundReserved':
      return { kind: 'refund_asked', amountMinor: data.amountMinor, payout: data.payoutReference };
    case 'RefundReleased':
      return { kind: 'refund_ended', amountMinor: data.amountMinor, payout: data.payoutReference };
    case 'RefundPaid':
      return { kind: 'refund_paid', amountMinor: data.amountMinor, payout: data.payoutReference };
    case 'PayoutReserved':
      return { kind: 'reserved' };
    case 'PayoutApproved':
      return { kind: 'approved', by: data.holder };
    case 'PayoutRejected':
      return { kind: 'rejected', by: data.holder, reason: data.reason };
    case 'PayoutApprovalExpired':
      return { kind: 'expired' };
    case 'PayoutWaitingForFloat':
      return { kind: 'waits_for_float' };
    case 'RailPayoutStarted':
      return { kind: 'sent' };
    case 'SuspensePosted':
    case 'RailPayoutAccepted':
      return undefined;
  }
}
