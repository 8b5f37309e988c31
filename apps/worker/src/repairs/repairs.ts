import { DependencyUnavailable } from '#domain/kernel';
import { ReservationsContested } from '#domain/ledger';
import { type Metrics } from '#infra/runtime';
import { type Logger } from '@nestjs/common';

/** Longer than any request or confirmation takes: what is younger is at work. */
export const abandonedAfterMs = 30_000;

/** What a view names, and how the outcome is reported. */
interface RepairOptions {
  readonly what: 'correction' | 'payout' | 'batch' | 'receipt' | 'checkout';
  /** Of one step. */
  readonly limit: number;
  readonly log: Logger;
  /** Where one of it cannot be repaired. */
  readonly msg: string;
  /** The counter of those that were. */
  readonly repaired: { readonly name: string; readonly help: string };
}

/**
 * Goes through abandoned steps page by page. What cannot be repaired, what is contested, and what a quarantined view still
 * names must not keep the rest waiting.
 */
export class Repairs {
  private after = '';
  private readonly repaired;
  private readonly failures;

  constructor(
    private readonly options: RepairOptions,
    metrics: Metrics,
  ) {
    this.repaired = metrics.counter(options.repaired);
    this.failures = metrics.counter({
      name: 'repairs_failed_total',
      help: 'Steps that a process has left and that the worker could not take, by what lacks them',
      labels: ['what'],
    });
  }

  /** @param msg tells a person of it, where one should know */
  countRepaired(stream: string, msg?: string): void {
    this.repaired.inc();
    if (msg !== undefined) this.options.log.warn({ msg, stream });
  }

  /** One that could not be repaired: money, or a person's question, that waits for what a process left undone. */
  countFailure(stream: string, told: { readonly msg: string; readonly why: unknown }): void {
    this.failures.inc({ what: this.options.what });
    this.options.log.error({ ...told, stream });
  }

  /** One page. @throws DependencyUnavailable */
  async step(
    find: (page: { readonly limit: number; readonly after: string }) => Promise<string[]>,
    repair: (stream: string) => Promise<void>,
  ): Promise<'idle'> {
    const { limit, msg } = this.options;
    const found = await find({ limit, after: this.after });
    const isFull = found.length === limit;
    this.after = isFull ? (found.at(-1) ?? '') : '';
    for (const stream of found)
      try {
        await repair(stream);
      } catch (error) {
        const isOwn = error instanceof ReservationsContested;
        if (error instanceof DependencyUnavailable && !isOwn) throw error;
        this.countFailure(stream, { msg, why: String(error) });
      }
    // A view that is behind names the same ones again: going on at once would only read them once more.
    return 'idle';
  }
}
