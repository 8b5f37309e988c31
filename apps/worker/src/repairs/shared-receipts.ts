import { collectionKeyOf, FlagCollection } from '#domain/collections';
import { FlagPayout, payoutKeyOf } from '#domain/payouts';
import { unflaggedReceiptConflicts } from '#views/reviews';
import { type Repair, type RepairTools } from './repairs.js';

/**
 * Lists collections and payouts for review whose receipt another stream has too. The log records everything that the
 * rail reports, so one payment may be reported for two.
 */
export const sharedReceipts: Repair = {
  what: 'receipt',
  limit: 50,
  log: 'receipts',
  msg: 'a shared receipt cannot be flagged',
  repaired: {
    name: 'receipts_shared_flagged_total',
    help: 'Collections and payouts listed for review because another stream bears their receipt',
  },
  find: ({ limit, after }, { database }) => unflaggedReceiptConflicts(database, limit, after),
  repair: async (stream, tools) =>
    (await isFlagged(stream, tools))
      ? { kind: 'repaired', msg: 'another stream has the same receipt' }
      : 'unchanged',
};

/** @returns false if it was flagged before, or has no receipt any more */
async function isFlagged(stream: string, { commandBus, worker }: RepairTools): Promise<boolean> {
  const [collection, payout] = [collectionKeyOf(stream), payoutKeyOf(stream)];
  const metadata = worker.metadata();
  if (collection) {
    const flag = new FlagCollection(collection, 'duplicate_receipt', metadata);
    const done = await commandBus.execute(flag);
    return done.ok && done.value === 'flagged';
  }
  if (!payout) return false;
  const done = await commandBus.execute(new FlagPayout(payout, 'duplicate_receipt', metadata));
  return done.ok && done.value === 'flagged';
}
