import {
  CompletePayout,
  CompletePayoutBatch,
  payoutBatchKeyOf,
  payoutKeyOf,
} from '#domain/payouts';
import { payoutBatchesToSettle, payoutsToSettle } from '#views/payouts';
import { abandonedAfterMs, type Repair } from './repairs.js';

/** Completes steps of payouts that a dead process left between the payouts' streams and their wallets' reservations. */
export const unfinishedPayouts: Repair = {
  what: 'payout',
  limit: 50,
  log: 'payouts',
  msg: 'a payout cannot be settled',
  repaired: {
    name: 'payouts_settled_total',
    help: 'Payouts that the worker looked after because a step was missing for half a minute',
  },
  find: (page, { database }) =>
    payoutsToSettle(database, { olderThanMs: abandonedAfterMs, ...page }),
  async repair(stream, { commandBus, worker }) {
    const key = payoutKeyOf(stream);
    if (!key) return 'unchanged';
    const done = await commandBus.execute(new CompletePayout(key, worker.metadata()));
    if (!done.ok) return { kind: 'failed', msg: 'a reservation has no payout', why: done.refusal };
    if (done.value === 'kept') return 'unchanged';
    return { kind: 'repaired', msg: 'looked after a payout that a process has left' };
  },
};

/** Finishes batches of payouts that a process left, or completes their rejection (PAY-17). */
export const unfinishedPayoutBatches: Repair = {
  what: 'batch',
  // A batch has up to a thousand payouts.
  limit: 5,
  log: 'payouts',
  msg: 'a batch of payouts cannot be settled',
  repaired: {
    name: 'payout_batches_settled_total',
    help: 'Batches of payouts that the worker looked after because their payouts had not followed for half a minute',
  },
  find: (page, { database }) =>
    payoutBatchesToSettle(database, { olderThanMs: abandonedAfterMs, ...page }),
  async repair(stream, { commandBus, worker }) {
    const key = payoutBatchKeyOf(stream);
    if (!key) return 'unchanged';
    const done = await commandBus.execute(new CompletePayoutBatch(key, worker.metadata()));
    if (done.ok && done.value === 'kept') return 'unchanged';
    return { kind: 'repaired', msg: 'looked after a batch of payouts that a process has left' };
  },
};
