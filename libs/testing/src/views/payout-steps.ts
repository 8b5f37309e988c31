import { payoutLegs, type ReservationEvent, reservationsStream } from '#domain/ledger';
import {
  lateSourceOf,
  type PayoutBatchEvent,
  payoutBatchStream,
  type PayoutEvent,
  payoutStream,
} from '#domain/payouts';
import { type HandMadeLog } from '../events.js';
import { accountOf, merchantId, of, paidAt } from './steps.js';

/** A step of a payout. */
export type PayoutStep =
  | 'request'
  | 'approve'
  | 'reject'
  | 'cancel'
  | 'expire'
  | 'wait for float'
  | 'start'
  | 'decline'
  | 'be refused'
  | 'pay'
  | 'pay late'
  | 'flag';

const wallet = { ...of, accountNo: accountOf[merchantId], currency: 'KES' };
const amountMinor = 4_000n;
const feeMinor = 60n;
const bound = { amountMinor, phoneHmac: 'h' };

/** The names of a payout and its batch. */
interface Named {
  readonly reference: string;
  readonly batch?: string;
}

/** Appends the payout's events and its wallet's reservations. @returns the payout's stream */
export function payOut(log: HandMadeLog, named: Named, steps: readonly PayoutStep[]): string {
  const stream = payoutStream({ ...of, reference: named.reference });
  for (const step of steps) takeStep(log, { stream, ...named }, step);
  return stream;
}

/** Appends a batch of two payouts, which take the steps, with its approval before them. @returns its stream */
export function payOutBatch(log: HandMadeLog, batch: string, steps: readonly PayoutStep[]): string {
  const stream = payoutBatchStream({ ...of, reference: batch });
  const references = [`${batch}-1`, `${batch}-2`];
  const sums = { count: references.length, amountMinor: 2n * amountMinor };
  const request = { ...wallet, ...sums, channel: 'mpesa', reference: batch, references };
  log.append<PayoutBatchEvent>(stream, {
    type: 'PayoutBatchRequested',
    data: { ...request, holder: 'asha' },
  });
  for (const reference of references) payOut(log, { reference, batch }, ['request']);
  if (steps.includes('approve'))
    log.append<PayoutBatchEvent>(stream, {
      type: 'PayoutBatchApproved',
      data: { ...sums, holder: 'joseph' },
    });
  for (const reference of references) payOut(log, { reference, batch }, steps);
  return stream;
}

function takeStep(
  log: HandMadeLog,
  { stream, reference, batch }: Named & { readonly stream: string },
  step: PayoutStep,
): void {
  const add = (...events: readonly PayoutEvent[]): void => {
    log.append<PayoutEvent>(stream, ...events);
  };
  switch (step) {
    case 'request':
      add(requested(reference, batch));
      reserve(log, stream, true);
      add({ type: 'PayoutReserved', data: { reservationsRevision: '0' } });
      return;
    case 'approve':
      // A payout of a batch is approved because its batch is.
      log.causationId = batch;
      add({ type: 'PayoutApproved', data: { holder: 'joseph', ...bound } });
      log.causationId = undefined;
      return;
    case 'reject':
      add({ type: 'PayoutRejected', data: { reason: 'rejected_by_holder', ...bound } });
      reserve(log, stream, false);
      return;
    case 'cancel':
      add({ type: 'PayoutRejected', data: { reason: 'cancelled', holder: 'asha', ...bound } });
      reserve(log, stream, false);
      return;
    case 'expire':
      add({ type: 'PayoutApprovalExpired', data: { why: 'age' } });
      return;
    case 'wait for float':
      add({ type: 'PayoutWaitingForFloat', data: { since: paidAt } });
      return;
    case 'start':
      add({ type: 'RailPayoutStarted', data: { originatorConversationId: `pp-${reference}` } });
      return;
    case 'decline':
    case 'be refused': {
      const by = step === 'decline' ? 'callback' : 'answer';
      add({ type: 'RailDeclined', data: { by, failureCode: 'rail_declined' } });
      reserve(log, stream, false);
      return;
    }
    case 'pay':
      add(confirmed(reference), posted(reference));
      return;
    case 'pay late':
      add(confirmed(reference));
      reserve(log, lateSourceOf(stream), true);
      add(posted(reference), { type: 'ReviewFlagged', data: { why: 'paid_after_decline' } });
      return;
    case 'flag':
      add({ type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } });
  }
}

function reserve(log: HandMadeLog, source: string, isTaken: boolean): void {
  const stream = reservationsStream(wallet);
  const last = log.events.findLast((event) => event.stream === stream)?.data;
  const before = (last as { readonly totalMinor: bigint } | undefined)?.totalMinor ?? 0n;
  const minor = amountMinor + feeMinor;
  log.append<ReservationEvent>(stream, {
    type: isTaken ? 'FundsReserved' : 'ReservationReleased',
    data: { source, amountMinor: minor, totalMinor: isTaken ? before + minor : before - minor },
  });
}

function requested(reference: string, batch?: string): PayoutEvent {
  const phone = { phoneHmac: 'h', phoneMasked: '2547*****678' };
  const data = { ...wallet, ...phone, amountMinor, feeMinor, channel: 'mpesa', reference };
  const ofBatch = batch === undefined ? {} : { batch };
  return { type: 'PayoutRequested', data: { ...data, ...ofBatch, holder: 'asha' } };
}

function confirmed(reference: string): PayoutEvent {
  const data = { by: 'callback', resultCode: '0', receipt: `P${reference}`, amountMinor } as const;
  return { type: 'RailConfirmed', data };
}

function posted(reference: string): PayoutEvent {
  const legs = payoutLegs({ rail: 'mpesa', accountNo: wallet.accountNo, amountMinor, feeMinor });
  const data = { ...wallet, reference, amountMinor, feeMinor, legs, requestCommitment: 'c' };
  return { type: 'WalletPosted', data };
}
