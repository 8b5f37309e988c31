import { describe, expect, it } from '@jest/globals';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type Instant } from '#domain/kernel';
import { suspenseLegs, suspenseToWalletLegs } from '#domain/ledger';
import { collectionIntent, HandMadeLog } from '#testing';
import { transactionFrom } from './item.js';

const key = { mode: 'demo', merchantId: 'm-1', reference: 'INV-1' } as const;
const paidAt = '2026-11-19T20:59:00.000Z' as Instant;
const arrived = { receipt: 'NLJ7RT61SV', amountMinor: 10_001n, paidAt };

describe('a held payment', () => {
  it('is on the day the rail took it, before and after the decision', () => {
    const log = new HandMadeLog(Date.parse('2026-11-20T09:00:00.000Z'));
    const stream = collectionStream(key);
    const intent = collectionIntent({
      ...key,
      accountNo: '1001',
      amountMinor: 10_000n,
      feeMinor: 0n,
    });
    log.append<CollectionEvent>(stream, intent, {
      type: 'SuspensePosted',
      data: { ...arrived, legs: suspenseLegs({ rail: 'mpesa', amountMinor: 10_001n }) },
    });
    const item = () => transactionFrom(log.events as Parameters<typeof transactionFrom>[0]);
    const { receipt } = arrived;
    expect(item()).toMatchObject({
      status: 'pending',
      receipt,
      paid_at: paidAt,
      paid_at_known: true,
    });
    const legs = suspenseToWalletLegs({ accountNo: '1001', amountMinor: 10_001n, feeMinor: 0n });
    log.append<CollectionEvent>(stream, { type: 'SuspenseResolved', data: { ...arrived, legs } });
    expect(item()).toMatchObject({ status: 'completed', paid_at: paidAt });
  });
});
