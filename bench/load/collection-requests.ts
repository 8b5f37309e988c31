import { randomUUID } from 'node:crypto';
import { type UnsignedRequest } from './protocol.js';

export const amountMinor = 10_000;
/** The amount that the wallet receives of it at the merchant's 150 basis points. */
export const postedMinor = 9_850n;

/** Small, so that a wallet that a few collections filled lasts for many payouts. */
const payoutMinor = 100;

/** Makes create calls that differ in reference and key, to a number whose owner pays. */
export function createCalls(
  count: number,
  accountNo: string,
  amount: number = amountMinor,
): UnsignedRequest[] {
  return Array.from({ length: count }, () =>
    ask('collections', { accountNo, amount, reference: `bench-${randomUUID()}` }),
  );
}

/** A payout's request, and below it its approval. */
export const payoutCall = (accountNo: string, reference: string): UnsignedRequest =>
  ask('payouts', { accountNo, amount: payoutMinor, reference });
export const approvalCall = (reference: string): UnsignedRequest => ({
  method: 'POST',
  url: `/api/v4/payouts/${reference}/approve`,
  idempotencyKey: randomUUID(),
  body: '{}',
});

function ask(
  what: 'collections' | 'payouts',
  of: { readonly accountNo: string; readonly amount: number; readonly reference: string },
): UnsignedRequest {
  return {
    method: 'POST',
    url: `/api/v4/${what}`,
    idempotencyKey: randomUUID(),
    body: JSON.stringify({
      account_no: of.accountNo,
      phone: '254712345678',
      amount_minor: of.amount,
      currency: 'KES',
      channel: 'mpesa',
      reference: of.reference,
    }),
  };
}
