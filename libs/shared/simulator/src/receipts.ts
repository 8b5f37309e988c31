/** The receipts in use. No two movements of money have the same one. */
export class Receipts {
  private readonly used = new Set<string>();

  /** @param draw returns a receipt in the rail's form, which may be in use */
  constructor(private readonly draw: (atMs: number) => string) {}

  /** Notes a receipt that the journal has. */
  add(receipt: string): void {
    this.used.add(receipt);
  }

  /** Returns a receipt that is not in use, and notes it. */
  make(atMs: number): string {
    let receipt = this.draw(atMs);
    while (this.used.has(receipt)) receipt = this.draw(atMs);
    this.used.add(receipt);
    return receipt;
  }
}
