/** The content of a callback (Daraja's STK callback). */
export interface ReportedResult {
  readonly checkoutId: string;
  readonly resultCode: string;
  /** Set for a payment. */
  readonly paid?: {
    readonly amountMinor: bigint;
    readonly receipt: string;
    readonly paidAtMs: number;
  };
}

const eastAfricaMs = 3 * 3_600_000;

/** Returns the body that Daraja would send. */
export function callbackBody({ checkoutId, resultCode, paid }: ReportedResult): Buffer {
  const items = paid
    ? `,"CallbackMetadata":{"Item":[{"Name":"Amount","Value":${shillings(paid.amountMinor)}},` +
      `{"Name":"MpesaReceiptNumber","Value":"${paid.receipt}"},` +
      `{"Name":"TransactionDate","Value":${eastAfricaDigits(paid.paidAtMs)}}]}`
    : '';
  return Buffer.from(
    `{"Body":{"stkCallback":{"MerchantRequestID":"m-${checkoutId}","CheckoutRequestID":"${checkoutId}",` +
      `"ResultCode":${resultCode},"ResultDesc":""${items}}}}`,
  );
}

export function shillings(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
}

export function eastAfricaDigits(ms: number): string {
  return new Date(ms + eastAfricaMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
}
