import { type Minor, parseMinor } from '#domain/kernel';
import type { Recorder } from './journal.js';
import type { Receipts } from './receipts.js';

/** Money that went from the working account to the organisation's bank. Money is text of cents. */
export interface Sweep {
  readonly receipt: string;
  readonly atMs: number;
  readonly amountMinor: string;
}

/** A record of the journal about money that left the working account. */
export type WithdrawalRecord = { readonly kind: 'sweep'; readonly sweep: Sweep };

/** The money that left the working account, which collections are paid into. */
export class Withdrawals {
  readonly sweeps: Sweep[] = [];
  /** The sum of all that left. */
  sumMinor: Minor = 0n;

  constructor(
    private readonly receipts: Receipts,
    private readonly journal: Recorder<WithdrawalRecord>,
  ) {}

  /** Moves money to the bank. It is on the statement from the time at which this resolves. */
  async sweep(amountMinor: Minor, atMs: number): Promise<Sweep> {
    const receipt = this.receipts.make(atMs);
    const sweep = { receipt, atMs, amountMinor: amountMinor.toString() };
    this.addSweep(sweep);
    await this.journal.append({ kind: 'sweep', sweep });
    return sweep;
  }

  replay(record: WithdrawalRecord): void {
    this.addSweep(record.sweep);
  }

  private addSweep(sweep: Sweep): void {
    this.receipts.add(sweep.receipt);
    this.sweeps.push(sweep);
    this.sumMinor += parseMinor(sweep.amountMinor);
  }
}
