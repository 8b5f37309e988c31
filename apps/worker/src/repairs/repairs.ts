import { DependencyUnavailable } from '#domain/kernel';
import { ReservationsContested } from '#domain/ledger';
import { type Metrics } from '#infra/runtime';
import { type Logger } from '@nestjs/common';

/** Longer than any request or confirmation takes: younger work is still in progress. */
export const abandonedAfterMs = 30_000;

/** The kind of work that a view lists, and the reports of the outcome. */
interface RepairOptions {
  readonly what: 'correction' | 'payout' | 'batch' | 'receipt' | 'checkout';
  /** The limit of one step. */
  readonly limit: number;
  readonly log: Logger;
  /** The log message of a failed repair. */
  readonly msg: string;
  /** The counter of successful repairs. */
  readonly repaired: { readonly name: string; readonly help: string };
}

/**
 * Goes through abandoned work page by page. Work that cannot be repaired, that is contested, or that a quarantined view
 * still lists must not delay the rest.
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

  /** @param msg a message for a person, if one should know */
  countRepaired(stream: string, msg?: string): void {
    this.repaired.inc();
    if (msg !== undefined) this.options.log.warn({ msg, stream });
  }

  /** Counts and logs a failed repair: money, or a person's question, waits for an abandoned step. */
  countFailure(stream: string, told: { readonly msg: string; readonly why: unknown }): void {
    this.failures.inc({ what: this.options.what });
    this.options.log.error({ ...told, stream });
  }

  /**
   * Repairs one page.
   * @throws DependencyUnavailable
   */
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
    // Idle even after a full page: a view that is behind would only list the same work again.
    return 'idle';
  }
}
