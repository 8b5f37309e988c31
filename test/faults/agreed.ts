import { type Agreement, agreementOf, eventually, type Service } from '#testing';
import { type TransactionItem } from '#views/transactions';
import { expect } from '@jest/globals';

/** Some seconds are enough alone. A machine that runs other specs beside it needs minutes. */
const patience = { withinMs: 240_000, everyMs: 300 } as const;

/**
 * Waits until everything that can settle by itself has settled, then lets RAIL_REVIEW_AFTER pass: collections that are
 * still pending are then in the review list. The views are up to date with the log.
 */
export async function settled(service: Service, references: readonly string[]): Promise<Agreement> {
  await eventually(
    () => agreementOf(service),
    (found) =>
      areLevel(found) &&
      ![...found.payouts.values()].some((payout) => isUnderWay(found, payout)) &&
      !isPaidOutUnposted(found) &&
      references.every((reference) => !mayBeAsked(found, reference)),
    patience,
  );
  const reviewer = await service.startReplica('worker', { RAIL_REVIEW_AFTER: '1s' });
  try {
    return await eventually(
      () => agreementOf(service),
      (found) =>
        areLevel(found) &&
        [...found.payouts.values()].every((payout) => !isPending(payout) || payout.under_review) &&
        references.every((reference) => isSettled(found, reference)),
      patience,
    );
  } finally {
    reviewer.signal('SIGTERM');
    await reviewer.ended;
  }
}

function areLevel({ folded, listed, payouts, listedPayouts, ...posted }: Agreement): boolean {
  return (
    posted.reservedByEvents === posted.reservedByBalance &&
    [...payouts].every(([key, item]) => listedPayouts.get(key)?.['status'] === item.status) &&
    posted.postedByEvents === posted.postedByEntries &&
    posted.postedByEvents === posted.postedByBalance &&
    [...folded].every(([key, item]) => listed.get(key)?.['status'] === item.status)
  );
}

/** True if it waits for its funds, a holder or its sender, or if the rail has accepted it without a result. */
function isUnderWay({ startedPayouts }: Agreement, payout: TransactionItem): boolean {
  return (
    isPending(payout) && (!startedPayouts.has(payout.reference) || payout.rail_reference !== null)
  );
}

function isPending({ status }: TransactionItem): boolean {
  return status === 'pending' || status === 'pending_approval';
}

/** True if a rail has paid out what is still open here: an enquiry about it is on its way. */
function isPaidOutUnposted({ payouts, paidOutAtRail }: Agreement): boolean {
  const all = [...payouts.values()];
  return (
    all.some(isPending) && paidOutAtRail > all.filter(({ status }) => status === 'completed').length
  );
}

/**
 * True if it is pending, and the rail can still be asked about it. Airtel can be asked by our own reference, and knows
 * what is on its statement.
 */
function mayBeAsked(found: Agreement, reference: string): boolean {
  const item = found.folded.get(reference);
  if (item?.status !== 'pending') return !item;
  const isAirtels = item.channel === 'airtel' && isPaid(found, reference);
  return item.rail_reference !== null || isAirtels;
}

/** True if it is settled by itself, in one truth; or with people, if the rail cannot be asked about the push. */
function isSettled(found: Agreement, reference: string): boolean {
  if (mayBeAsked(found, reference)) return false;
  const isPending = found.folded.get(reference)?.status === 'pending';
  return !isPending || found.listed.get(reference)?.['under_review'] === true;
}

/** True if it is on the rail's statement. */
export function isPaid(found: Agreement, reference: string): boolean {
  return found.paidAtRail.includes(found.accountReferences.get(reference) ?? '');
}

/**
 * Checks the same for payouts: the rail paid what was posted. Only payouts whose outcome is unknown are reserved: their
 * sender died between its start and the rail, and they are listed for review.
 * @param references of payouts that were answered
 */
export function expectPayoutsAgree(found: Agreement, references: readonly string[]): void {
  expect(references.filter((reference) => !found.payouts.has(reference))).toEqual([]);
  const statuses = [...found.payouts].map(([reference, { status }]) => [reference, status]);
  expect(
    [...found.listedPayouts].map(([reference, { status }]) => [reference, status]).sort(),
  ).toEqual(statuses.sort());
  const completed = statuses.filter(([, status]) => status === 'completed').length;
  expect(completed).toBeGreaterThan(0);
  expect(found.paidOutAtRail).toBe(completed);
  expect(found.ordersAtRail).toBeLessThanOrEqual(found.payouts.size);
  expect(found.reservedByBalance).toBe(found.reservedByEvents);
  const open = [...found.payouts.values()].filter(isPending);
  expect(open.filter(({ status, under_review }) => status !== 'pending' || !under_review)).toEqual(
    [],
  );
}

/** Checks that each batch was requested whole and decided once, and that its payouts, with its count and sum, followed it. */
export function expectBatchesAgree(
  { batches, payouts }: Agreement,
  references: readonly string[],
): void {
  expect([...batches.keys()].sort()).toEqual([...references].sort());
  for (const [reference, batch] of batches) {
    if (batch.status === 'none') throw new Error(`${reference} has no history`);
    const { request, status } = batch;
    const items = [...payouts.values()].filter((item) => item.batch === reference);
    const sumMinor = items.reduce((sum, item) => sum + item.amount_minor, 0n);
    expect({ reference, status, count: items.length, sumMinor }).toEqual({
      reference,
      status: 'approved',
      count: request.count,
      sumMinor: request.amountMinor,
    });
    expect(items.map((item) => item.reference).sort()).toEqual([...request.references].sort());
    expect(items.filter((item) => item.status !== 'completed')).toEqual([]);
  }
}

/** Checks the design's invariants for every collection of the service's merchant, and for each of the references. */
export function expectAgreement(found: Agreement, references: readonly string[]): void {
  expect(references.filter((reference) => !found.folded.has(reference))).toEqual([]);
  expect(found.postedTwice).toEqual([]);
  expect(found.sumOfBalances).toBe(0n);
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.postedByBalance).toBe(found.postedByEvents);
  expect([...found.listed.keys()].sort()).toEqual([...found.folded.keys()].sort());

  // The rail saw no reference twice, and was paid nothing that is neither posted nor known to be open.
  expect(new Set(found.paidAtRail).size).toBe(found.paidAtRail.length);
  expect(found.pushesAtRail).toBeLessThanOrEqual(found.folded.size);
  const paid = new Set(found.paidAtRail);
  for (const [reference, item] of found.folded) {
    const atRail = paid.has(found.accountReferences.get(reference) ?? '');
    if (item.status === 'completed')
      expect({ reference, atRail }).toEqual({ reference, atRail: true });
    if (item.status === 'failed')
      expect({ reference, atRail }).toEqual({ reference, atRail: false });
  }
}
