import { DependencyUnavailable } from '#domain/kernel';
import { ReservationsContested } from '#domain/ledger';
import { type CollectionsClient } from '#edges/rails';
import { type Database } from '#infra/postgres';
import { type Metrics } from '#infra/runtime';
import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { type WorkerNow } from '../worker-now.js';

/** Longer than any request or confirmation takes: younger work is still in progress. */
export const abandonedAfterMs = 30_000;

/** The parts of the worker that repairs use. */
export interface RepairTools {
  readonly database: Database;
  readonly commandBus: CommandBus;
  readonly collections: CollectionsClient;
  readonly worker: WorkerNow;
  readonly metrics: Metrics;
}

/** A page of the work that a view lists, in the order of its streams. */
export interface RepairPage {
  readonly limit: number;
  /** Only streams after this one. */
  readonly after: string;
}

/**
 * The outcome of one repair.
 * - `unchanged`: nothing was to be done. `noted`: it is logged, but not counted.
 * - `failed`: money, or a person's question, waits for an abandoned step.
 */
export type RepairOutcome =
  | 'unchanged'
  | { readonly kind: 'repaired'; readonly msg?: string }
  | { readonly kind: 'noted'; readonly msg: string }
  | { readonly kind: 'failed'; readonly msg: string; readonly why: unknown };

/** A kind of work that a process may have left: a view lists it, and a command completes it. The log decides. */
export interface Repair {
  readonly what: 'correction' | 'payout' | 'batch' | 'receipt' | 'checkout';
  /** The limit of one step. */
  readonly limit: number;
  /** The name of the log. */
  readonly log: string;
  /** The log message of a repair that throws. */
  readonly msg: string;
  /** The counter of successful repairs. */
  readonly repaired: { readonly name: string; readonly help: string };
  find(page: RepairPage, tools: RepairTools): Promise<string[]>;
  repair(stream: string, tools: RepairTools): Promise<RepairOutcome>;
}

/**
 * Returns the step of a repair. It goes through abandoned work page by page. Work that cannot be repaired, that is
 * contested, or that a quarantined view still lists must not delay the rest. Several workers may take it at once,
 * because each piece of work is completed once.
 */
export function repairStep(kind: Repair, tools: RepairTools): () => Promise<'idle'> {
  const { what, limit, msg } = kind;
  const log = new Logger(kind.log);
  const repaired = tools.metrics.counter(kind.repaired);
  const failures = tools.metrics.counter({
    name: 'repairs_failed_total',
    help: 'Steps that a process has left and that the worker could not take, by what lacks them',
    labels: ['what'],
  });
  const note = (stream: string, outcome: RepairOutcome): void => {
    if (outcome === 'unchanged') return;
    const { kind: result, ...told } = outcome;
    if (result === 'repaired') repaired.inc();
    if (result === 'failed') {
      failures.inc({ what });
      log.error({ ...told, stream });
    } else if (told.msg !== undefined) log.warn({ ...told, stream });
  };
  let after = '';
  return async () => {
    const found = await kind.find({ limit, after }, tools);
    after = found.length === limit ? (found.at(-1) ?? '') : '';
    for (const stream of found)
      try {
        note(stream, await kind.repair(stream, tools));
      } catch (error) {
        const isOwn = error instanceof ReservationsContested;
        if (error instanceof DependencyUnavailable && !isOwn) throw error;
        note(stream, { kind: 'failed', msg, why: String(error) });
      }
    // Idle even after a full page: a view that is behind would only list the same work again.
    return 'idle';
  };
}
