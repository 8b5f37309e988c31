import { type RailConfirmed } from '#domain/rails';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type Instant, type Mode } from '#domain/kernel';
import { collectionLegs, suspenseLegs, suspenseToWalletLegs } from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { HandMadeLog } from '../events.js';
import { collectionIntent } from '../given-when-then.js';

export const merchantId = 'm-1';
/** The merchant's collections in demo mode. */
export const of = { merchantId, mode: 'demo' } as const;

/** The account of each merchant. */
export const accountOf = { 'm-1': '1001', 'm-2': '1002' } as const;
export type Merchant = keyof typeof accountOf;

/** Registers a merchant with its account in demo mode. */
export function register(log: HandMadeLog, merchant: Merchant): void {
  log.append<MerchantEvent>(
    merchantStream(merchant),
    {
      type: 'MerchantRegistered',
      data: { merchantId: merchant, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
    },
    {
      type: 'AccountOpened',
      data: { accountNo: accountOf[merchant], mode: 'demo', currency: 'KES' },
    },
  );
}

/** A log in which the merchant has an account and terms. */
export function onboarded(log = new HandMadeLog()): HandMadeLog {
  register(log, merchantId);
  log.append<MerchantEvent>(merchantStream(merchantId), {
    type: 'FeeScheduleSet',
    data: { mode: 'demo', basisPoints: 150, flatMinor: 5n },
  });
  return log;
}

const amountMinor = 10_000n;
/** The fee by the terms of `onboarded`. */
const termsFeeMinor = 155n;

/** Deviations of a history from the usual one. */
export interface Otherwise {
  readonly merchant?: Merchant;
  readonly mode?: Mode;
  readonly feeMinor?: bigint;
}

/** @returns the new collection's stream */
export function intend(
  log: HandMadeLog,
  reference: string,
  { merchant = merchantId, mode = 'demo', feeMinor = termsFeeMinor }: Otherwise = {},
): string {
  const key = { merchantId: merchant, mode, reference };
  const stream = collectionStream(key);
  const accountNo = accountOf[merchant];
  log.append<CollectionEvent>(stream, collectionIntent({ ...key, accountNo, feeMinor }));
  return stream;
}

export const accept = (log: HandMadeLog, stream: string): void => {
  const data = { railReference: `ws_${stream}`, merchantRequestId: 'mr' };
  log.append<CollectionEvent>(stream, { type: 'RailPushAccepted', data });
};

export const receipt = 'RCPT000001';
export const paidAt = '2026-11-20T09:00:01.000Z' as Instant;

/** The rail's callback reports the payment. */
export function pay(
  log: HandMadeLog,
  stream: string,
  { under = receipt, feeMinor }: { readonly under?: string; readonly feeMinor?: bigint } = {},
): void {
  const confirmed = { by: 'callback', resultCode: '0', amountMinor, paidAt } as const;
  post(log, stream, { ...confirmed, receipt: under }, feeMinor);
}

/** A status query reports that it was paid, and nothing else. */
export function payByQuery(log: HandMadeLog, stream: string): void {
  post(log, stream, { by: 'query', resultCode: '0' });
}

function post(
  log: HandMadeLog,
  stream: string,
  confirmed: RailConfirmed['data'],
  feeMinor = termsFeeMinor,
): void {
  const [, merchant, reference] = stream.split(':') as [string, Merchant, string];
  const accountNo = accountOf[merchant];
  log.append<CollectionEvent>(
    stream,
    { type: 'RailConfirmed', data: confirmed },
    {
      type: 'WalletPosted',
      data: {
        merchantId: merchant,
        mode: stream.startsWith('collection-live') ? 'live' : 'demo',
        reference,
        accountNo,
        currency: 'KES',
        amountMinor,
        feeMinor,
        legs: collectionLegs({ rail: 'mpesa', accountNo, amountMinor, feeMinor }),
        requestCommitment: 'c',
      },
    },
  );
}

export const decline = (
  log: HandMadeLog,
  stream: string,
  by: 'callback' | 'query' = 'callback',
): void => {
  log.append<CollectionEvent>(stream, {
    type: 'RailDeclined',
    data: { by, failureCode: 'cancelled' },
  });
};

/** Another amount arrives, and waits in suspense. The rail's time is unknown unless it is given. */
export function suspend(
  log: HandMadeLog,
  stream: string,
  { under = receipt, at }: { readonly under?: string; readonly at?: Instant } = {},
): void {
  const arrived = { receipt: under, amountMinor: amountMinor + 1n, ...(at && { paidAt: at }) };
  const legs = suspenseLegs({ rail: 'mpesa', amountMinor: arrived.amountMinor });
  log.append<CollectionEvent>(
    stream,
    { type: 'AmountMismatchRecorded', data: arrived },
    { type: 'SuspensePosted', data: { ...arrived, legs } },
  );
}

/** Operators give the money in suspense to the merchant. */
export function release(log: HandMadeLog, stream: string, at?: Instant): void {
  const arrived = { receipt, amountMinor: amountMinor + 1n, ...(at && { paidAt: at }) };
  const legs = suspenseToWalletLegs({ accountNo: '1001', ...arrived, feeMinor: termsFeeMinor });
  log.append<CollectionEvent>(stream, {
    type: 'SuspenseResolved',
    data: { ...arrived, legs },
  });
}
