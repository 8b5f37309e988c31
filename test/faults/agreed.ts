import { type Agreement, agreementOf, eventually, type Service } from '#testing';
import { expect } from '@jest/globals';

/**
 * Waits until everything that can settle has settled: what is pending stands in the review list
 * (`RAIL_REVIEW_AFTER`), and the views are level with the log.
 */
export function settled(
  service: Service,
  references: readonly string[],
  withinMs = 60_000,
): Promise<Agreement> {
  return eventually(
    () => agreementOf(service),
    (found) => areLevel(found) && references.every((reference) => isSettled(found, reference)),
    { withinMs, everyMs: 300 },
  );
}

function areLevel({ folded, listed, ...posted }: Agreement): boolean {
  return (
    posted.postedByEvents === posted.postedByEntries &&
    posted.postedByEvents === posted.postedByBalance &&
    [...folded].every(([key, item]) => listed.get(key)?.['status'] === item.status)
  );
}

/** In one truth, by itself; or with people, where nobody can be asked about the push. */
function isSettled(found: Agreement, reference: string): boolean {
  const item = found.folded.get(reference);
  if (!item || item.status !== 'pending') return item !== undefined;
  const mayBeAsked = item.rail_reference !== null && isPaid(found, reference);
  return !mayBeAsked && found.listed.get(reference)?.['under_review'] === true;
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
