import { type CollectionEvent, collectionStream, type RailConfirmed } from '#domain/collections';
import { type Instant } from '#domain/kernel';
import { collectionLegs, suspenseLegs, suspenseToWalletLegs } from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { HandMadeLog } from '../events.js';
import { collectionIntent } from '../given-when-then.js';

export const merchantId = 'm-1';
/** The merchant's collections in demo mode. */
export const of = { merchantId, mode: 'demo' } as const;

/** A log in which the merchant has an account and its terms. */
export function onboarded(log = new HandMadeLog()): HandMadeLog {
  log.append<MerchantEvent>(
    merchantStream(merchantId),
    {
      type: 'MerchantRegistered',
      data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
    },
    { type: 'AccountOpened', data: { accountNo: '1001', mode: 'demo', currency: 'KES' } },
    { type: 'FeeScheduleSet', data: { mode: 'demo', basisPoints: 150, flatMinor: 5n } },
  );
  return log;
}

export const amountMinor = 10_000n;
export const feeMinor = 155n;

/** @returns the new collection's stream */
export function intend(log: HandMadeLog, reference: string): string {
  const stream = collectionStream({ ...of, reference });
  log.append<CollectionEvent>(
    stream,
    collectionIntent({ ...of, amountMinor, feeMinor, reference }),
  );
  return stream;
}

export const accept = (log: HandMadeLog, stream: string): void => {
  const data = { railReference: `ws_${stream}`, merchantRequestId: 'mr' };
  log.append<CollectionEvent>(stream, { type: 'RailPushAccepted', data });
};

export const receipt = 'RCPT000001';
export const paidAt = '2026-11-20T09:00:01.000Z' as Instant;

/** The rail's callback tells of the payment. */
export function pay(log: HandMadeLog, stream: string): void {
  post(log, stream, { by: 'callback', resultCode: '0', receipt, amountMinor, paidAt });
}

/** A status query tells that it was paid, and no more. */
export function payByQuery(log: HandMadeLog, stream: string): void {
  post(log, stream, { by: 'query', resultCode: '0' });
}

function post(log: HandMadeLog, stream: string, confirmed: RailConfirmed['data']): void {
  const reference = stream.slice(stream.lastIndexOf(':') + 1);
  log.append<CollectionEvent>(
    stream,
    { type: 'RailConfirmed', data: confirmed },
    {
      type: 'WalletPosted',
      data: {
        ...of,
        reference,
        accountNo: '1001',
        currency: 'KES',
        amountMinor,
        feeMinor,
        legs: collectionLegs({ rail: 'mpesa', accountNo: '1001', amountMinor, feeMinor }),
        requestCommitment: 'c',
      },
    },
  );
}

export const decline = (log: HandMadeLog, stream: string): void => {
  const data = { by: 'callback', failureCode: 'cancelled' } as const;
  log.append<CollectionEvent>(stream, { type: 'RailDeclined', data });
};

/** Another amount arrives, and waits in suspense. */
export function suspend(log: HandMadeLog, stream: string): void {
  const arrived = { receipt, amountMinor: amountMinor + 1n };
  const legs = suspenseLegs({ rail: 'mpesa', amountMinor: arrived.amountMinor });
  log.append<CollectionEvent>(
    stream,
    { type: 'AmountMismatchRecorded', data: arrived },
    { type: 'SuspensePosted', data: { ...arrived, legs } },
  );
}

/** Operators give the merchant what waits in suspense. */
export function release(log: HandMadeLog, stream: string): void {
  const arrived = { receipt, amountMinor: amountMinor + 1n };
  const legs = suspenseToWalletLegs({ accountNo: '1001', ...arrived, feeMinor });
  log.append<CollectionEvent>(stream, {
    type: 'SuspenseResolved',
    data: { ...arrived, legs },
  });
}
