import { type Minor, parseMinor } from '#domain/kernel';
import type { Receipts, Recorder } from '#shared/simulator';
import type { Scenario, Status, Step } from './scenario.js';

/** The content of a valid request. Money is text of cents, as the journal stores it. */
export interface Order {
  /** The caller's own id. */
  readonly id: string;
  readonly reference: string;
  /** Nine digits. */
  readonly msisdn: string;
  readonly amountMinor: string;
}

/** An accepted request as the journal stores it. */
export interface Accepted extends Order {
  readonly acceptedAtMs: number;
  /** The time of the prompt. Only a late answer shows it later than the request was accepted. */
  readonly promptAtMs: number;
  readonly delayMs: number;
  /** Airtel's own id of the movement, if it takes place. */
  readonly moneyId: string;
}

/** The rail's word on a transaction. */
export interface Standing<Code extends string> {
  readonly status: Status;
  readonly code: Code;
  readonly atMs: number;
}

/** A request and its progress. */
export interface Transaction<Code extends string> {
  readonly order: Accepted;
  readonly scenario: Scenario<Code>;
  standing: Standing<Code>;
  /** The time at which the money moved; undefined if it did not. */
  paidAtMs: number | undefined;
  /** The number of steps that were reached so far. */
  reached: number;
  /** The number of steps whose callbacks have all been tried. */
  told: number;
  /** The number of enquiries about it. */
  enquiries: number;
}

/** The transactions of one kind: payments of customers, or payouts. */
export type Kind = 'collection' | 'payout';

/** A record of the journal about a transaction. */
export type TransactionRecord =
  | { readonly kind: 'accepted'; readonly of: Kind; readonly order: Accepted }
  | ({ readonly kind: 'reached'; readonly of: Kind; readonly id: string } & Standing<string>)
  | { readonly kind: 'told'; readonly of: Kind; readonly id: string; readonly steps: number }
  | { readonly kind: 'enquired'; readonly of: Kind; readonly id: string };

/** The requests of one kind that the rail accepted, by the caller's id, and the money that they moved. */
export class Transactions<Code extends string> {
  readonly accepted = new Map<string, Transaction<Code>>();
  /** Those whose money moved, by Airtel's id. */
  readonly paid = new Map<string, Transaction<Code>>();
  paidMinor: Minor = 0n;

  constructor(
    private readonly of: Kind,
    private readonly scenarioOf: (msisdn: string) => Scenario<Code>,
    private readonly moneyIds: Receipts,
    private readonly journal: Recorder<TransactionRecord>,
  ) {}

  /**
   * Resolves once the request is on the disk. From then on it takes its course, even after a crash.
   * @returns undefined if its id was used before
   */
  async accept(
    order: Order,
    times: Pick<Accepted, 'acceptedAtMs' | 'promptAtMs' | 'delayMs'>,
  ): Promise<Transaction<Code> | undefined> {
    if (this.accepted.has(order.id)) return undefined;
    const moneyId = this.moneyIds.make(times.promptAtMs);
    // Remembered before the write: of two requests at the same time, only one is accepted.
    const transaction = this.remember({ ...order, ...times, moneyId });
    await this.journal.append({ kind: 'accepted', of: this.of, order: transaction.order });
    return transaction;
  }

  /** Advances the transaction by a step. It is on the disk before any report of it. */
  async reach(transaction: Transaction<Code>, standing: Standing<Code>): Promise<void> {
    this.setStanding(transaction, standing);
    const { id } = transaction.order;
    await this.journal.append({ kind: 'reached', of: this.of, id, ...standing });
  }

  /**
   * Notes that every callback of the first steps was tried. If a crash loses the note, a callback comes once more, as
   * Airtel's may.
   */
  tell(transaction: Transaction<Code>, steps: number): void {
    transaction.told = steps;
    this.journal.note({ kind: 'told', of: this.of, id: transaction.order.id, steps });
  }

  /** Counts an enquiry that the scenario answers. */
  async countEnquiry(transaction: Transaction<Code>): Promise<void> {
    transaction.enquiries += 1;
    await this.journal.append({ kind: 'enquired', of: this.of, id: transaction.order.id });
  }

  /** @param record one of this kind */
  replay(record: TransactionRecord): void {
    if (record.kind === 'accepted') {
      this.moneyIds.add(record.order.moneyId);
      this.remember(record.order);
      return;
    }
    const transaction = this.accepted.get(record.id);
    if (!transaction) return;
    switch (record.kind) {
      case 'reached':
        this.setStanding(transaction, {
          status: record.status,
          code: record.code as Code,
          atMs: record.atMs,
        });
        return;
      case 'told':
        transaction.told = record.steps;
        return;
      case 'enquired':
        transaction.enquiries += 1;
    }
  }

  private remember(order: Accepted): Transaction<Code> {
    const scenario = this.scenarioOf(order.msisdn);
    const transaction: Transaction<Code> = {
      order,
      scenario,
      standing: { ...scenario.begins, atMs: order.acceptedAtMs },
      paidAtMs: undefined,
      reached: 0,
      told: 0,
      enquiries: 0,
    };
    this.accepted.set(order.id, transaction);
    return transaction;
  }

  private setStanding(transaction: Transaction<Code>, standing: Standing<Code>): void {
    transaction.standing = standing;
    transaction.reached += 1;
    if (standing.status !== 'TS' || transaction.paidAtMs !== undefined) return;
    transaction.paidAtMs = standing.atMs;
    this.paid.set(transaction.order.moneyId, transaction);
    this.paidMinor += parseMinor(transaction.order.amountMinor);
  }
}

/** Returns the milliseconds of the Unix epoch at which the step is due. */
export function dueAtMs({ order }: { readonly order: Accepted }, step: Step<string>): number {
  return order.promptAtMs + step.afterDelays * order.delayMs;
}
