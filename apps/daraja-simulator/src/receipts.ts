import { newReceipt } from './payment.js';

/** The receipts in use. No two movements of money have the same one. */
export class Receipts {
  private readonly used = new Set<string>();

  /** Notes a receipt that the journal has. */
  add(receipt: string): void {
    this.used.add(receipt);
  }

  /** Returns a receipt that is not in use, and notes it. */
  make(atMs: number): string {
    let receipt = newReceipt(atMs);
    while (this.used.has(receipt)) receipt = newReceipt(atMs);
    this.used.add(receipt);
    return receipt;
  }
}
