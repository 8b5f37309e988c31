import { SplitMap } from './split-map.js';

/** The receipts in use. No two movements of money have the same one. */
export class Receipts {
  private readonly used = new SplitMap<true>();

  /** @param draw returns a receipt in the rail's form, which may be in use */
  constructor(private readonly draw: (atMs: number) => string) {}

  /** Notes a receipt that the journal has. */
  add(receipt: string): void {
    this.used.set(receipt, true);
  }

  /** Returns a receipt that is not in use, and notes it. */
  make(atMs: number): string {
    let receipt = this.draw(atMs);
    while (this.used.has(receipt)) receipt = this.draw(atMs);
    this.add(receipt);
    return receipt;
  }
}
