import { randomUUID } from 'node:crypto';
import { type UnsignedRequest } from './protocol.js';

export const amountMinor = 10_000;
/** What the wallet receives of it at the merchant's 150 basis points. */
export const postedMinor = 9_850n;

/** Create calls that differ in reference and key, to a number whose owner pays. */
export function createCalls(count: number, accountNo: string): UnsignedRequest[] {
  return Array.from({ length: count }, () => {
    const reference = `bench-${randomUUID()}`;
    return {
      method: 'POST',
      url: '/api/v4/collections',
      idempotencyKey: randomUUID(),
      body: JSON.stringify({
        account_no: accountNo,
        phone: '254712345678',
        amount_minor: amountMinor,
        currency: 'KES',
        channel: 'mpesa',
        reference,
      }),
    };
  });
}
