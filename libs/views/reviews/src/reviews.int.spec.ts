import { type CollectionEvent, collectionStream, type ReviewReason } from '#domain/collections';
import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { suspenseLegs, suspenseReturnLegs, suspenseToWalletLegs } from '#domain/ledger';
import { type Mode } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { RecordedReviewProposals } from '#records/reviews';
import { type Database } from '#infra/postgres';
import { SystemTimer } from '#infra/runtime';
import { collectionIntent, HandMadeLog, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { findStreamsByReference, transactionFrom, type TransactionItem } from '#views/transactions';
import { applyBatch } from '#views/projection';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import { listReviews, reviewMoney } from './query.js';
import { ReceiptsInViews } from './receipts/receipts-in-views.js';

let server: ThrowAwayDatabase;
let database: Database;
const log = new HandMadeLog();
beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  const searchPath = [viewSchema()];
  database = server.database.beside({ searchPath, poolSize: 2 });
  await noteFresh(database, 0n, new Date());
  for (const merchantId of ['m-1', 'm-2'])
    await apply(
      log.append<MerchantEvent>(merchantStream(merchantId), {
        type: 'MerchantRegistered',
        data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
      }),
    );
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const apply = (events: readonly RecordedEvent[]): Promise<void> =>
  database.transaction((transaction) => applyBatch(transaction, events));

const amountMinor = 10_000n;
const arrived = { receipt: 'OTHER00001', amountMinor: 10_001n };

interface Subject {
  readonly stream: string;
  readonly reference: string;
  tell(...events: readonly CollectionEvent[]): RecordedEvent<CollectionEvent>[];
}

function collection({
  merchantId = 'm-1',
  mode = 'demo',
  reference = randomUUID(),
}: {
  readonly merchantId?: string;
  readonly mode?: Mode;
  readonly reference?: string;
} = {}): Subject {
  const key = { mode, merchantId, reference };
  const stream = collectionStream(key);
  const all: RecordedEvent<CollectionEvent>[] = [];
  const tell = (...events: readonly CollectionEvent[]): RecordedEvent<CollectionEvent>[] => {
    all.push(...log.append<CollectionEvent>(stream, ...events));
    return all;
  };
  tell(collectionIntent({ ...key, amountMinor }));
  return { stream, reference, tell };
}

const flagged = (why: ReviewReason): CollectionEvent => ({ type: 'ReviewFlagged', data: { why } });
const held: readonly CollectionEvent[] = [
  { type: 'AmountMismatchRecorded', data: arrived },
  {
    type: 'SuspensePosted',
    data: { ...arrived, legs: suspenseLegs({ rail: 'mpesa', amountMinor: 10_001n }) },
  },
];
const decided = (decision: 'suspense_to_merchant' | 'refunded' | 'failed'): CollectionEvent => ({
  type: 'ReviewDecided',
  data: { decision, reason: 'r', proposedBy: 'asha', confirmedBy: 'joseph' },
});
const toMerchant: CollectionEvent = {
  type: 'SuspenseResolved',
  data: {
    ...arrived,
    legs: suspenseToWalletLegs({ accountNo: '1001', amountMinor: 10_001n, feeMinor: 200n }),
  },
};
const sentBack: CollectionEvent = {
  type: 'SuspenseResolved',
  data: { ...arrived, legs: suspenseReturnLegs({ rail: 'mpesa', amountMinor: 10_001n }) },
};

const reviewOf = async ({ stream }: Subject) =>
  (await listReviews(database, { limit: 100 })).reviews.find((review) => review.stream === stream);

/** Applies new events in batches of this size, so that a batch can end at every place. */
async function applyBy(size: number, events: readonly RecordedEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += size)
    await apply(events.slice(from, from + size));
}

/** The row in the view, compared with the fold of the same events. */
async function itemOf(
  subject: Subject,
  events: readonly RecordedEvent<CollectionEvent>[],
): Promise<TransactionItem | undefined> {
  const folded = transactionFrom(events);
  const [row] = await database.query<{
    amount_minor: bigint;
    fee_minor: bigint;
    under_review: boolean;
    status: string;
  }>(`select status, amount_minor, fee_minor, under_review from transactions where stream = $1`, [
    subject.stream,
  ]);
  expect(row).toEqual({
    status: folded?.status,
    amount_minor: folded?.amount_minor,
    fee_minor: folded?.fee_minor,
    under_review: folded?.under_review,
  });
  return folded;
}

describe.each([[1], [2], [100]])('reviews applied in batches of %d', (size) => {
  it('a silent collection is listed until a report or a decision ends its review', async () => {
    const subject = collection();
    await applyBy(size, subject.tell(flagged('no_word_from_rail')));
    expect(await reviewOf(subject)).toMatchObject({
      why: 'no_word_from_rail',
      reference: subject.reference,
      merchantId: 'm-1',
      mode: 'demo',
      requestedMinor: amountMinor,
      heldMinor: null,
      proposal: null,
    });
    const events = subject.tell(decided('failed'), {
      type: 'RailDeclined',
      data: { by: 'operator', failureCode: 'not_paid' },
    });
    await applyBy(size, events.slice(2));
    expect(await reviewOf(subject)).toBeUndefined();
    expect(await itemOf(subject, events)).toMatchObject({ failure_code: 'not_paid' });
  });

  it('another amount replaces a timeout as the reason', async () => {
    const subject = collection();
    await applyBy(size, subject.tell(flagged('no_word_from_rail'), ...held));
    expect(await reviewOf(subject)).toMatchObject({
      why: 'amount_mismatch',
      status: 'pending',
      heldMinor: 10_001n,
    });
    const { stream } = subject;
    const found = await reviewMoney(database, [stream, 'collection-demo:m-1:none']);
    expect([...found]).toEqual([
      [
        stream,
        {
          stream,
          accountNo: '1001',
          requestedMinor: amountMinor,
          feeMinor: 150n,
          heldMinor: 10_001n,
          currency: 'KES',
        },
      ],
    ]);
  });

  it('a suspense resolved to the merchant completes the item with the received amount and its fee', async () => {
    const subject = collection();
    const events = subject.tell(...held, decided('suspense_to_merchant'), toMerchant);
    await applyBy(size, events);
    expect(await reviewOf(subject)).toBeUndefined();
    expect(await itemOf(subject, events)).toMatchObject({
      status: 'completed',
      amount_minor: 10_001n,
      requested_minor: amountMinor,
      fee_minor: 200n,
      receipt: 'OTHER00001',
      completed_at: events.at(-1)?.recordedAt,
    });
  });

  it('a suspense sent back fails the item, whose amount stays as requested', async () => {
    const subject = collection();
    const events = subject.tell(...held, decided('refunded'), sentBack);
    await applyBy(size, events);
    expect(await reviewOf(subject)).toBeUndefined();
    const item = await itemOf(subject, events);
    expect(item).toMatchObject({ status: 'failed', failure_code: 'refunded', fee_minor: 150n });
    expect(item).not.toHaveProperty('requested_minor');
  });
});

describe('the suspense account', () => {
  it('is empty once everything in it is resolved', async () => {
    const [row] = await database.query<{ sum: bigint }>(
      `select coalesce(sum(amount_minor), 0)::bigint as sum from ledger_entries
         where account = 'suspense' and stream = any(
           select stream from transactions where status <> 'pending')`,
    );
    expect(row?.sum).toBe(0n);
  });
});

describe('the list', () => {
  it('shows the newest last, by merchant, mode and cause, with the open proposal', async () => {
    const of = { merchantId: 'm-2' };
    const first = collection(of);
    const second = collection({ ...of, mode: 'live' });
    await apply(first.tell(flagged('no_word_from_rail')));
    await apply(second.tell(...held));
    await new RecordedReviewProposals(server.database).open({
      id: randomUUID(),
      stream: second.stream,
      ruling: { decision: 'refunded' },
      reason: 'r',
      proposedBy: 'asha',
    });
    const streams = async (filter: object, limit = 100) => {
      const { reviews, more } = await listReviews(database, { ...of, ...filter, limit });
      return { streams: reviews.map(({ stream }) => stream), more };
    };
    const both = { streams: [first.stream, second.stream], more: false };
    expect(await streams({})).toEqual(both);
    expect(await streams({}, 1)).toEqual({ streams: [first.stream], more: true });
    expect(await streams({ mode: 'live' })).toEqual({ streams: [second.stream], more: false });
    const silentOnes = await streams({ why: 'no_word_from_rail' });
    expect(silentOnes).toEqual({ streams: [first.stream], more: false });
    const waiting = { decision: 'refunded', proposedBy: 'asha' };
    expect(await reviewOf(second)).toMatchObject({ proposal: waiting });
  });
});

describe('a receipt', () => {
  const at = (head: bigint) => ({ head: () => Promise.resolve(head) }) as unknown as EventStore;

  it('is found only in its own mode', async () => {
    const subject = collection();
    await apply(
      subject.tell({
        type: 'RailConfirmed',
        data: { by: 'operator', resultCode: '0', receipt: 'FOUND00001', amountMinor },
      }),
    );
    const receipts = new ReceiptsInViews(at(0n), database, new SystemTimer());
    expect(await receipts.streamsWith('demo', 'FOUND00001')).toEqual([subject.stream]);
    expect(await receipts.streamsWith('live', 'FOUND00001')).toEqual([]);
  });

  it('is not reported as unknown while a merchant of the mode, who may have it, is quarantined', async () => {
    const receipts = new ReceiptsInViews(at(0n), database, new SystemTimer());
    await database.query(
      `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
       values ('m', 'demo', 2, 's', 'WalletPosted', gen_random_uuid(), now(), 'spec', 1)`,
    );
    await expect(receipts.streamsWith('demo', 'NOBODYS001')).rejects.toThrow('stands still');
    expect(await receipts.streamsWith('live', 'NOBODYS001')).toEqual([]);
    await database.query('delete from quarantines');
  });

  it('is not searched in a view that is behind the log', async () => {
    const impatient = new (class extends SystemTimer {
      override sleep(): Promise<void> {
        return Promise.resolve();
      }
    })();
    const receipts = new ReceiptsInViews(at(10n ** 15n), database, impatient);
    await expect(receipts.streamsWith('demo', 'FOUND00001')).rejects.toThrow('behind the log');
  });
});

describe('a reference', () => {
  it('is found for any merchant and mode, but not in a text that only contains it', async () => {
    const reference = 'shared:1/%';
    const subjects = [
      collection({ reference }),
      collection({ reference, merchantId: 'm-2', mode: 'live' }),
    ];
    for (const subject of subjects) await apply(subject.tell());
    const streams = await findStreamsByReference(database, reference);
    expect(streams).toEqual(subjects.map(({ stream }) => stream).reverse());
    expect(await findStreamsByReference(database, '1/%')).toEqual([]);
  });
});
