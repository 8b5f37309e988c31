import { type CollectionEvent, collectionStream } from '#domain/collections';
import { DependencyUnavailable, type Instant, instantFromMs } from '#domain/kernel';
import { suspenseLegs, suspenseReturnLegs } from '#domain/ledger';
import {
  collectionIntent,
  HandMadeLog,
  onboarded,
  pay,
  payByQuery,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { applyBatch } from '#views/projection';
import { createViews, endQuarantines, putQuarantines, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findBearers } from './bearers.js';
import { explainingCollections } from './explaining.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

it('views that do not contain the whole day report no bearer of a payment', async () => {
  const untilMs = Date.UTC(2026, 10, 20, 21);
  const paidAt = '2026-11-20T09:00:00.000Z' as Instant;
  const payments = [{ receipt: 'TKN2B1KLFT', code: 'CODE00000001', amountMinor: 10_000n, paidAt }];
  const found = () =>
    findBearers(own.database, {
      channel: 'mpesa',
      mode: 'demo',
      day: '2026-11-20',
      untilMs,
      isForgottenSoon: false,
      payments,
    });
  const heldAll = (atMs: number | null) =>
    own.database.query('update checkpoint set fresh_at = to_timestamp($1::float8 / 1000)', [atMs]);
  // While they are built, and if the projector has stopped.
  for (const atMs of [null, untilMs - 1200_000, untilMs]) {
    await heldAll(atMs);
    await expect(found()).rejects.toBeInstanceOf(DependencyUnavailable);
  }
  await heldAll(untilMs + 600_000);
  expect(await found()).toEqual(none);
  // A question about the morning needs no more than the morning.
  const [morningEndsMs, dayEndsMs] = [untilMs - 12 * 3_600_000, untilMs];
  await heldAll(morningEndsMs + 600_000);
  const ofMorning = {
    channel: 'mpesa',
    mode: 'demo',
    day: '2026-11-20',
    isForgottenSoon: false,
    payments,
  } as const;
  const asked = { ...ofMorning, untilMs: morningEndsMs, dayEndsMs };
  expect(await findBearers(own.database, asked)).toEqual(none);
  await expect(findBearers(own.database, { ...ofMorning, untilMs })).rejects.toBeInstanceOf(
    DependencyUnavailable,
  );
  await heldAll(untilMs + 600_000);
});

const none = { byReceipt: new Map(), isWhole: true };

describe('a payment without one of our codes', () => {
  const atMs = Date.UTC(2026, 10, 20, 9);
  const party = '2547*****678';
  const minute = 60_000;
  const streamOf = (reference: string): string =>
    collectionStream({ mode: 'demo', merchantId: 'm-1', reference });
  /** Records an intent at nine o'clock. */
  function ask(log: HandMadeLog, reference: string, amountMinor: bigint): string {
    const key = { mode: 'demo', merchantId: 'm-1', reference } as const;
    const intent = collectionIntent({ ...key, accountNo: '1001', amountMinor, feeMinor: 155n });
    const accountReference = `CODE${reference.padStart(8, '0')}`;
    const data = { ...intent.data, accountReference, phoneMasked: party };
    log.append<CollectionEvent>(streamOf(reference), { ...intent, data });
    return streamOf(reference);
  }
  const payment = (receipt: string, amountMinor: bigint, afterMs = minute) => ({
    receipt,
    amountMinor,
    party,
    paidAt: instantFromMs(atMs + afterMs),
  });

  it('belongs to the only collection with that number and amount at that time', async () => {
    const log = onboarded(new HandMadeLog(atMs));
    payByQuery(log, ask(log, 'BARE', 10_000n));
    pay(log, ask(log, 'KNOWN', 10_000n));
    log.append<CollectionEvent>(streamOf('KNOWN'), {
      type: 'RailReceiptRecorded',
      data: { receipt: 'SECOND0001', amountMinor: 10_000n },
    });
    ask(log, 'PENDING', 20_000n);
    for (const reference of ['ONE', 'OTHER']) ask(log, reference, 30_000n);
    ask(log, 'TWICE', 40_000n);
    ask(log, 'NAMED', 50_000n);
    const arrived = { amountMinor: 60_001n };
    const legs = {
      came: suspenseLegs({ rail: 'mpesa', ...arrived }),
      went: suspenseReturnLegs({ rail: 'mpesa', ...arrived }),
    };
    log.append<CollectionEvent>(
      ask(log, 'BACK', 60_000n),
      { type: 'AmountMismatchRecorded', data: arrived },
      { type: 'SuspensePosted', data: { ...arrived, legs: legs.came } },
      { type: 'SuspenseResolved', data: { ...arrived, legs: legs.went } },
    );
    await own.database.transaction((transaction) => applyBatch(transaction, log.events));
    const untilMs = Date.UTC(2026, 10, 20, 21);
    await own.database.query('update checkpoint set fresh_at = $1', [new Date(untilMs + 600_000)]);
    const { byReceipt: bearers } = await findBearers(own.database, {
      channel: 'mpesa',
      mode: 'demo',
      day: '2026-11-20',
      untilMs,
      isForgottenSoon: false,
      payments: [
        payment('BARE000001', 10_000n),
        payment('RCPT000001', 10_000n),
        payment('SECOND0001', 10_000n),
        // The list's times may be in the rail's own zone, unless they name their zone.
        {
          ...payment('PENDING001', 20_000n, 3 * 60 * minute + minute),
          isZoneUncertain: true as const,
        },
        payment('CERTAIN001', 20_000n, 3 * 60 * minute + minute),
        payment('NOCHOICE01', 30_000n),
        payment('TWICE00001', 40_000n),
        payment('TWICE00002', 40_000n),
        payment('OTHERNAME1', 50_000n),
        { ...payment('NAMED00001', 50_000n), code: 'CODE000NAMED' },
        payment('LATER00001', 20_000n, 60 * minute),
        payment('EARLY00001', 20_000n, -5 * minute),
        payment('LESS000001', 19_999n),
        // The money that went back was another payment.
        payment('BACK000001', 60_000n),
        { ...payment('ANOTHER001', 20_000n), party: '2547*****679' },
        // Paid to the account that the customer named.
        { ...payment('ACCOUNT001', 20_000n), accountNo: '1001' },
      ],
    });
    const found = [...bearers]
      .filter(([, of]) => of.every(({ isCertain }) => isCertain))
      .map(([receipt, of]) => [receipt, of.map(({ stream }) => stream)]);
    expect(found.toSorted()).toEqual([
      ['BARE000001', [streamOf('BARE')]],
      ['NAMED00001', [streamOf('NAMED')]],
      ['PENDING001', [streamOf('PENDING')]],
      ['RCPT000001', [streamOf('KNOWN')]],
      ['SECOND0001', [streamOf('KNOWN')]],
    ]);
    const uncertain = [...bearers].flatMap(([, of]) => of.filter(({ isCertain }) => !isCertain));
    expect(uncertain.map(({ stream }) => stream).toSorted()).toEqual(
      ['ONE', 'OTHER', 'TWICE', 'TWICE'].map(streamOf),
    );
    const receiptsOf = (receipt: string) => bearers.get(receipt)?.map((of) => of.receipts);
    expect(receiptsOf('RCPT000001')).toEqual([['SECOND0001', 'RCPT000001']]);
    expect(receiptsOf('SECOND0001')).toEqual([['SECOND0001']]);
    expect(bearers.get('BARE000001')).toMatchObject([
      { stream: streamOf('BARE'), isHere: true, receipts: [] },
    ]);
  });

  it('with a hidden number may belong to any such push, and makes a payment of that number uncertain', async () => {
    const later = 5 * 60 * minute;
    const log = onboarded(new HandMadeLog(atMs + later));
    for (const reference of ['HIDDEN1', 'HIDDEN2']) ask(log, reference, 70_000n);
    ask(log, 'HIDDEN3', 80_000n);
    pay(log, ask(log, 'HIDDEN4', 80_000n));
    const intent = collectionIntent({
      mode: 'demo',
      merchantId: 'm-1',
      reference: 'EXPECTED',
      accountNo: '1001',
      amountMinor: 80_000n,
      feeMinor: 155n,
    });
    const { phoneMasked: _masked, ...data } = intent.data;
    log.append<CollectionEvent>(streamOf('EXPECTED'), { ...intent, data });
    const own3 = await throwAwayDatabase({ searchPath: [viewSchema()] });
    try {
      await createViews(own3.database, viewSchema());
      await own3.database.transaction((transaction) => applyBatch(transaction, log.events));
      const untilMs = Date.UTC(2026, 10, 20, 21);
      await own3.database.query('update checkpoint set fresh_at = $1', [
        new Date(untilMs + 600_000),
      ]);
      const hidden = (receipt: string, amountMinor: bigint, afterMs: number) => {
        const { party: _party, ...rest } = payment(receipt, amountMinor, afterMs);
        return rest;
      };
      const bearersOf = async (...payments: ReturnType<typeof hidden>[]) => {
        const asked = {
          channel: 'mpesa',
          mode: 'demo',
          day: '2026-11-20',
          untilMs,
          isForgottenSoon: false,
        } as const;
        const { byReceipt: bearers } = await findBearers(own3.database, { ...asked, payments });
        return [...bearers].map(([receipt, of]) => [
          receipt,
          of.map(({ stream, isCertain }) => [stream.split(':')[2], isCertain]).toSorted(),
        ]);
      };
      expect(
        await bearersOf(
          hidden('BOTH000001', 70_000n, later + minute),
          hidden('ONE0000001', 80_000n, later + minute),
          hidden('LATE000001', 80_000n, later + 60 * minute),
          hidden('LESS000001', 79_999n, later + minute),
        ),
      ).toEqual([
        [
          'BOTH000001',
          [
            ['HIDDEN1', false],
            ['HIDDEN2', false],
          ],
        ],
        ['ONE0000001', [['HIDDEN3', false]]],
      ]);
      const ofNumber = payment('NUMBER0001', 80_000n, later + minute);
      expect(await bearersOf(ofNumber)).toEqual([['NUMBER0001', [['HIDDEN3', true]]]]);
      expect(await bearersOf(ofNumber, hidden('ONE0000001', 80_000n, later + minute))).toEqual(
        expect.arrayContaining([
          ['NUMBER0001', [['HIDDEN3', false]]],
          ['ONE0000001', [['HIDDEN3', false]]],
        ]),
      );
    } finally {
      await own3.drop();
    }
  });

  it('has no bearer in a quarantine if the rail forgets the day, unless a code or receipt names it', async () => {
    const find = (isForgottenSoon: boolean) =>
      findBearers(own.database, {
        channel: 'mpesa',
        mode: 'demo',
        day: '2026-11-20',
        untilMs: Date.UTC(2026, 10, 20, 21),
        isForgottenSoon,
        payments: [
          payment('BARE000001', 10_000n),
          payment('RCPT000001', 10_000n),
          { ...payment('NAMED00001', 50_000n), code: 'CODE000NAMED' },
        ],
      });
    expect([...(await find(true)).byReceipt.keys()].toSorted()).toEqual([
      ...['BARE000001', 'NAMED00001', 'RCPT000001'],
    ]);
    await putQuarantines(own.database, [
      {
        merchantId: 'm-2',
        scope: 'demo',
        position: 7n,
        stream: 's',
        type: 't',
        why: 'spec',
        eventId: '0199c1f0-0000-7000-8000-000000000001',
        recordedAt: instantFromMs(atMs),
        appliedTo: 6n,
      },
    ]);
    try {
      await expect(find(false)).rejects.toBeInstanceOf(DependencyUnavailable);
      const found = await find(true);
      expect([...found.byReceipt.keys()].toSorted()).toEqual(['NAMED00001', 'RCPT000001']);
      expect(found.isWhole).toBe(false);
    } finally {
      await endQuarantines(own.database, 'm-2', ['demo']);
    }
  });
});

it('a payment without a known request names the collections that may explain it', async () => {
  const atMs = Date.UTC(2026, 10, 26, 9);
  const log = onboarded(new HandMadeLog(atMs));
  const asked = (reference: string, amountMinor: bigint, phoneMasked: string): string => {
    const key = { mode: 'demo', merchantId: 'm-1', reference } as const;
    const intent = collectionIntent({ ...key, accountNo: '1001', amountMinor, feeMinor: 155n });
    const stream = collectionStream(key);
    const accountReference = `TILL${reference.slice(0, 8).padStart(8, '0')}`;
    const data = { ...intent.data, accountReference, phoneMasked };
    log.append<CollectionEvent>(stream, { ...intent, data });
    return stream;
  };
  const [mine, other] = ['2547*****111', '2547*****222'];
  payByQuery(log, asked('BARE', 10_000n, mine));
  asked('OPEN', 20_000n, mine);
  asked('OTHERS', 20_000n, other);
  pay(log, asked('KNOWN', 10_000n, mine));
  const own2 = await throwAwayDatabase({ searchPath: [viewSchema()] });
  try {
    await createViews(own2.database, viewSchema());
    await own2.database.transaction((transaction) => applyBatch(transaction, log.events));
    const of = async (amountMinor: bigint, party: string | null) => {
      const payment = {
        channel: 'mpesa',
        mode: 'demo',
        receipt: 'R',
        amountMinor,
        party,
        day: '2026-11-26',
        paidAt: instantFromMs(atMs + 2 * 3_600_000),
      } as const;
      const before = instantFromMs(atMs - 100 * 86_400_000);
      const monthsAgo = { ...payment, receipt: 'EARLY', day: '2026-08-18', paidAt: before };
      const found = await explainingCollections(own2.database, [monthsAgo, payment]);
      expect(found(monthsAgo)).toEqual([]);
      const streams = found(payment) ?? [];
      return streams.map((stream) => stream.split(':')[2]).toSorted();
    };
    expect(await of(10_000n, null)).toEqual(['BARE']);
    expect(await of(20_000n, null)).toEqual(['OPEN', 'OTHERS']);
    expect(await of(20_000n, mine)).toEqual(['OPEN']);
    expect(await of(30_000n, null)).toEqual([]);
  } finally {
    await own2.drop();
  }
});
