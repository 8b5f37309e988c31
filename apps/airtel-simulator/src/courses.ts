import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock } from '#domain/kernel';
import type { Callbacks } from '#shared/simulator';
import { callbackBody, type Said } from './callback-body.js';
import type { Portal } from './portal.js';
import type { Step } from './scenario.js';
import { dueAtMs, type Transaction, type Transactions } from './transactions.js';

/** The means of a course. */
export interface CourseMeans {
  readonly clock: Clock;
  readonly callbacks: Callbacks;
  readonly portal: Portal;
  /** The key of the callbacks' hashes. */
  readonly callbackKey: string;
}

/** Takes transactions of one kind through their steps, each when it is due, and sends the callbacks. */
export class Courses<Code extends string> {
  private readonly stopping = new AbortController();

  /** @param shortage the code with which a step fails that the wallet cannot pay; undefined if it can */
  constructor(
    private readonly transactions: Transactions<Code>,
    private readonly means: CourseMeans,
    private readonly shortage: (transaction: Transaction<Code>) => Code | undefined = () =>
      undefined,
  ) {}

  /** Resumes every transaction that an earlier run did not finish. */
  resume(): void {
    for (const transaction of this.transactions.accepted.values())
      if (transaction.told < transaction.scenario.steps.length) void this.follow(transaction);
  }

  /** @returns true once the first step was reached and its callbacks were tried; false if the simulator stops first */
  follow(transaction: Transaction<Code>): Promise<boolean> {
    return new Promise((resolve) => {
      void this.take(transaction, () => {
        resolve(true);
      }).finally(() => {
        resolve(false);
      });
    });
  }

  stop(): void {
    this.stopping.abort();
  }

  private async take(transaction: Transaction<Code>, onStep: () => void): Promise<void> {
    const { steps } = transaction.scenario;
    for (const step of steps.slice(transaction.told)) {
      if (transaction.reached === transaction.told) {
        if (!(await this.until(transaction, step))) return;
        await this.reach(transaction, step);
      }
      // Only a wallet that is short keeps a success from moving money, and that ends the course.
      const isShort = step.status === 'TS' && transaction.paidAtMs === undefined;
      for (const said of isShort ? [] : step.callbacks)
        if (!(await this.tell(transaction, said))) return;
      this.transactions.tell(transaction, isShort ? steps.length : transaction.told + 1);
      onStep();
      if (isShort) return;
    }
  }

  private reach(transaction: Transaction<Code>, { status, code }: Step<Code>): Promise<void> {
    const short = status === 'TS' ? this.shortage(transaction) : undefined;
    return this.transactions.reach(transaction, {
      ...(short === undefined ? { status, code } : { status: 'TF', code: short }),
      atMs: this.means.clock.nowMs(),
    });
  }

  /** @returns true if it was tried as often as it is, or if there is no address; false if the simulator stopped first */
  private async tell(transaction: Transaction<Code>, said: Said): Promise<boolean> {
    const { callbacks, portal, callbackKey: key } = this.means;
    const { ways, callbackUrl: url } = portal;
    if (url === undefined) return true;
    const body = callbackBody(transaction, said, { ways, key });
    const about = { transactionId: transaction.order.id };
    for (let left = Number(ways.callback_tries); left > 0; left -= 1) {
      const sent = await callbacks.send({ url, body, about });
      if (sent === 'stopped') return false;
      if (sent === 'accepted') return true;
      if (left > 1 && !(await this.wait(transaction.order.delayMs))) return false;
    }
    return true;
  }

  /**
   * Waits for the step. If the clock was set back between two starts, no step waits longer than the scenario says.
   * @returns false if the simulator stops first
   */
  private async until(transaction: Transaction<Code>, step: Step<Code>): Promise<boolean> {
    const atMs = dueAtMs(transaction, step);
    const waitMs = Math.min(atMs - this.means.clock.nowMs(), atMs - transaction.order.acceptedAtMs);
    return this.wait(waitMs);
  }

  /** @returns false if the simulator stops first */
  private async wait(ms: number): Promise<boolean> {
    const { signal } = this.stopping;
    if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}
