import { type Agreement, agreementOf, eventually, type Service } from '#testing';
import { expect } from '@jest/globals';

const patience = { withinMs: 60_000, everyMs: 300 } as const;

/**
 * Waits until everything that can settle by itself has settled, then lets RAIL_REVIEW_AFTER pass: what is pending now
 * stands in the review list. The views are level with the log.
 */
export async function settled(service: Service, references: readonly string[]): Promise<Agreement> {
  await eventually(
    () => agreementOf(service),
    (found) => areLevel(found) && references.every((reference) => !mayBeAsked(found, reference)),
    patience,
  );
  const reviewer = await service.startReplica('worker', { RAIL_REVIEW_AFTER: '1s' });
  try {
    return await eventually(
      () => agreementOf(service),
      (found) => areLevel(found) && references.every((reference) => isSettled(found, reference)),
      patience,
    );
  } finally {
    reviewer.signal('SIGTERM');
    await reviewer.ended;
  }
}

function areLevel({ folded, listed, ...posted }: Agreement): boolean {
  return (
    posted.postedByEvents === posted.postedByEntries &&
    posted.postedByEvents === posted.postedByBalance &&
    [...folded].every(([key, item]) => listed.get(key)?.['status'] === item.status)
  );
}

/** It is pending, and the rail can still be asked about it. */
function mayBeAsked({ folded }: Agreement, reference: string): boolean {
  const item = folded.get(reference);
  return !item || (item.status === 'pending' && item.rail_reference !== null);
}

/** In one truth, by itself; or with people, where nobody can be asked about the push. */
function isSettled(found: Agreement, reference: string): boolean {
  if (mayBeAsked(found, reference)) return false;
  const isPending = found.folded.get(reference)?.status === 'pending';
  return !isPending || found.listed.get(reference)?.['under_review'] === true;
}

/** Whether it stands on the rail's statement. */
export function isPaid(found: Agreement, reference: string): boolean {
  return found.paidAtRail.includes(found.accountReferences.get(reference) ?? '');
}

/** The invariants of design for every collection of the service's merchant, and for each of the references. */
export function expectAgreement(found: Agreement, references: readonly string[]): void {
  expect(references.filter((reference) => !found.folded.has(reference))).toEqual([]);
  expect(found.postedTwice).toEqual([]);
  expect(found.sumOfBalances).toBe(0n);
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.postedByBalance).toBe(found.postedByEvents);
  expect([...found.listed.keys()].sort()).toEqual([...found.folded.keys()].sort());

  // The rail saw no reference twice, and was paid nothing that we neither posted nor know to be open.
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
