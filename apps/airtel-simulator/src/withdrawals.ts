import { type Minor, parseMinor } from '#domain/kernel';
import { Receipts, type Recorder } from '#shared/simulator';
import { newMoneyId } from './money-id.js';
import type { Accepted } from './transactions.js';

/** Money that went to the organisation's bank. Money is text of cents. */
export interface Sweep {
  readonly moneyId: string;
  readonly atMs: number;
  readonly amountMinor: string;
}

/** A payment that went back to its customer, whole. */
export interface Refund {
  readonly moneyId: string;
  /** The payment's own id at Airtel. */
  readonly paidMoneyId: string;
  readonly msisdn: string;
  readonly amountMinor: string;
  readonly atMs: number;
}

/** A record of the journal about money that left the wallet of collections, or that did not. */
export type WithdrawalRecord =
  | { readonly kind: 'sweep'; readonly sweep: Sweep }
  | { readonly kind: 'refund'; readonly refund: Refund }
  | { readonly kind: 'refund-refused'; readonly paidMoneyId: string };

/** The money that left the wallet of collections. */
export class Withdrawals {
  readonly sweeps: Sweep[] = [];
  /** By the payment's id at Airtel. */
  readonly refunds = new Map<string, Refund>();
  /** Payments of which a refund was refused because the scenario says so. */
  readonly refused = new Set<string>();
  /** The sum of all that left. */
  sumMinor: Minor = 0n;
  private readonly refundIds = new Receipts((atMs) => newMoneyId('RF', atMs));
  private readonly sweepIds = new Receipts((atMs) => newMoneyId('ST', atMs));

  constructor(private readonly journal: Recorder<WithdrawalRecord>) {}

  /** Moves money to the bank. It is on the statement from the time at which this resolves. */
  async sweep(amountMinor: Minor, atMs: number): Promise<Sweep> {
    const moneyId = this.sweepIds.make(atMs);
    const sweep = { moneyId, atMs, amountMinor: amountMinor.toString() };
    this.addSweep(sweep);
    await this.journal.append({ kind: 'sweep', sweep });
    return sweep;
  }

  /** Refunds the payment. It is on the disk before any report of it. */
  async refund({ moneyId: paidMoneyId, msisdn, amountMinor }: Accepted, atMs: number) {
    const moneyId = this.refundIds.make(atMs);
    const refund: Refund = { moneyId, paidMoneyId, msisdn, amountMinor, atMs };
    this.addRefund(refund);
    await this.journal.append({ kind: 'refund', refund });
    return refund;
  }

  async refuse(paidMoneyId: string): Promise<void> {
    this.refused.add(paidMoneyId);
    await this.journal.append({ kind: 'refund-refused', paidMoneyId });
  }

  replay(record: WithdrawalRecord): void {
    switch (record.kind) {
      case 'sweep':
        this.sweepIds.add(record.sweep.moneyId);
        this.addSweep(record.sweep);
        return;
      case 'refund':
        this.refundIds.add(record.refund.moneyId);
        this.addRefund(record.refund);
        return;
      case 'refund-refused':
        this.refused.add(record.paidMoneyId);
    }
  }

  private addSweep(sweep: Sweep): void {
    this.sweeps.push(sweep);
    this.sumMinor += parseMinor(sweep.amountMinor);
  }

  private addRefund(refund: Refund): void {
    this.refunds.set(refund.paidMoneyId, refund);
    this.sumMinor += parseMinor(refund.amountMinor);
  }
}
