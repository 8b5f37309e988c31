import { randomUUID } from 'node:crypto';
import { correctionStream, type CorrectionTerms } from '#domain/corrections';
import { suspenseReturnLegs } from '#domain/ledger';
import { type History, useHistory } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { findStreamsByReceipt } from '#views/transactions';
import { applyBatch } from '#views/projection';
import { unflaggedReceiptConflicts } from './conflicts.js';

let history: History;
useHistory((begun) => {
  history = begun;
});

/** The rail pays it under the receipt S, with another amount than was requested. */
async function paidUnderS(reference: string, mode: 'live' | 'demo' = 'demo'): Promise<string> {
  const stream = await history.intend(reference, 'm-1', mode);
  history.suspend(stream, 'S');
  return stream;
}
const flag = (stream: string): void => {
  history.append(stream, { type: 'ReviewFlagged', data: { why: 'duplicate_receipt' } });
};
const amountMinor = 10_001n;
const legs = suspenseReturnLegs({ rail: 'mpesa', amountMinor });
const unflagged = () => unflaggedReceiptConflicts(history.database, 10);

describe.each([1, 1000])(
  'a receipt that the rail reports for two payments, in batches of %i',
  (batch) => {
    it('is found, given to operators once for each, and reported by verify until they decide', async () => {
      const streams = [await paidUnderS('A'), await paidUnderS('B')];
      await paidUnderS('L', 'live');
      await history.project(batch);
      expect(await unflagged()).toEqual(streams);
      const found = await history.verify();
      expect(found.sharedReceipts).toBe(2);
      expect(found.named).toMatchObject(
        streams.map((stream) => ({ table: 'events', field: 'receipt', stream })),
      );
      for (const stream of streams) flag(stream);
      await history.project(batch);
      expect(await unflagged()).toEqual([]);
      expect((await history.verify()).differences).toBe(2);
      for (const stream of streams)
        history.append(
          stream,
          {
            type: 'ReviewDecided',
            data: { decision: 'refunded', reason: 'told twice', proposedBy: 'a', confirmedBy: 'b' },
          },
          { type: 'SuspenseResolved', data: { receipt: 'S', amountMinor, legs } },
        );
      await history.project(batch);
      expect(await history.verify()).toMatchObject({ differences: 0, sharedReceipts: 2 });
    });
  },
);

it('a payout’s receipt that another item has is found, and both go to operators', async () => {
  const payout = history.payOut('A', 'request', 'approve', 'start', 'pay');
  const other = await history.intend('B');
  history.suspend(other, 'PA');
  await history.project();
  expect(await unflagged()).toEqual([other, payout].toSorted());
  expect(await findStreamsByReceipt(history.database, 'demo', 'PA')).toHaveLength(2);
  for (const stream of [other, payout]) flag(stream);
  await history.project();
  expect(await unflagged()).toEqual([]);
  expect((await history.verify()).named).toMatchObject(
    [other, payout].map((stream) => ({ table: 'events', field: 'receipt', stream })),
  );
});

it('a posted correction’s receipt counts as used, and is shared like any other', async () => {
  const terms: CorrectionTerms = {
    merchantId: 'm-1',
    mode: 'demo',
    currency: 'KES',
    why: 'told by phone',
    receipt: 'S',
    legs: [
      { account: 'fees', amountMinor: 5n },
      { account: 'suspense', amountMinor: -5n },
    ],
  };
  const stream = correctionStream({ mode: 'demo', id: randomUUID() });
  history.append(stream, { type: 'CorrectionProposed', data: { ...terms, proposedBy: 'a' } });
  await history.project();
  expect(await findStreamsByReceipt(history.database, 'demo', 'S')).toEqual([]);
  history.append(stream, {
    type: 'CorrectionPosted',
    data: { ...terms, proposedBy: 'a', confirmedBy: 'b' },
  });
  await history.project();
  expect(await findStreamsByReceipt(history.database, 'demo', 'S')).toEqual([stream]);
  expect(await unflagged()).toEqual([]);
  const collection = await paidUnderS('A');
  await history.project();
  expect(await unflagged()).toEqual([collection]);
  expect((await history.verify()).sharedReceipts).toBe(2);
});

it('a receipt is shared and reported even if one of the merchants was quarantined meanwhile', async () => {
  const streams = [await paidUnderS('A'), await history.intend('B', 'm-2')] as const;
  history.suspend(streams[1], 'S');
  for (const stream of streams) flag(stream);
  const events = history.log.events;
  const isHeldBack = ({ stream }: { readonly stream: string }) => stream === streams[1];
  // The order of a rebuild: quarantined events come last, when their merchant resumes.
  await applyBatch(
    history.database,
    events.filter((event) => !isHeldBack(event)),
  );
  expect(await unflagged()).toEqual([]);
  await applyBatch(history.database, events.filter(isHeldBack));
  expect(await unflagged()).toEqual([]);
  const rows = 'select stream, flagged from receipt_conflicts order by stream';
  expect(await history.database.query(rows)).toEqual(
    streams.map((stream) => ({ stream, flagged: true })),
  );
});

it.each([
  [`delete from receipt_conflicts where stream like '%:A'`, 'row'],
  [`update receipt_conflicts set flagged = true where stream like '%:A'`, 'flagged'],
  [`insert into receipt_conflicts values ('demo', 'X', 'collection-demo:m-1:X', false)`, 'row'],
])('verify reports a manual change: %s', async (statement, field) => {
  await paidUnderS('A');
  await paidUnderS('B');
  await history.project();
  await history.tamper(statement);
  const { named } = await history.verify();
  expect(named.filter(({ table }) => table === 'receipt_conflicts')).toMatchObject([{ field }]);
});
