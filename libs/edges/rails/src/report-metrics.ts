import { type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { type RailReport } from '#domain/rails';
import { type Confirmed } from '#domain/collections';
import { Injectable } from '@nestjs/common';

/** The number of different codes that get a series of their own. The others share one, so that the series stay few. */
const maxCodes = 32;
const codePattern = /^[A-Za-z0-9_.-]{1,16}$/;
/** Per registry, because a process has one and several parts of it count. */
const shown = new WeakMap<Metrics, Set<string>>();

/** Counts result codes that are in no list of ours. They settle nothing, and a person should look them up. */
export class UnknownResults {
  readonly #counter;

  constructor(private readonly metrics: Metrics) {
    this.#counter = metrics.counter({
      name: 'rail_unknown_results_total',
      help: 'Result codes that the service does not know, from queries and from the rail’s own callbacks',
      labels: ['mode', 'source', 'code'],
    });
  }

  /** @param code as the rail wrote it; absent if there is nothing to count */
  count(mode: Mode, source: 'query' | 'callback', code: string | undefined): void {
    if (code !== undefined) this.#counter.inc({ mode, source, code: this.#label(code) });
  }

  #label(code: string): string {
    const codes = shown.get(this.metrics) ?? new Set<string>();
    shown.set(this.metrics, codes);
    if (!codePattern.test(code) || (!codes.has(code) && codes.size >= maxCodes)) return 'other';
    codes.add(code);
    return code;
  }
}

/**
 * How an answer to a query contradicts what was known:
 * - it denies a payment that was posted or that a callback of the rail reported,
 * - it reports a payment after a decline, or
 * - it does not repeat the decline of the query before.
 */
type ContradictingQuery =
  'declined_after_payment' | 'denies_callback' | 'paid_after_decline' | 'decline_not_repeated';

/** Counts reports of the rail that cannot be read, or that contradict earlier ones. */
@Injectable()
export class ReportMetrics {
  private readonly unknownResults;
  private readonly reversed;
  private readonly contradicted;
  private readonly postingSeconds;
  private readonly unasked;

  constructor(metrics: Metrics) {
    this.unknownResults = new UnknownResults(metrics);
    this.reversed = metrics.counter({
      name: 'rail_declines_reversed_total',
      help: 'Collections that the rail declined and later reported as paid, by the source of that report',
      labels: ['mode', 'by'],
    });
    this.contradicted = metrics.counter({
      name: 'rail_queries_contradicted_total',
      help: 'Answers to status queries that are at odds with an earlier report of the rail',
      labels: ['mode', 'how'],
    });
    this.postingSeconds = metrics.histogram({
      name: 'callback_posting_seconds',
      help: 'From the arrival of a rail’s callback that reports a payment to its posting; way is direct or inbox',
      labels: ['mode', 'way'],
    });
    this.unasked = metrics.counter({
      name: 'rail_unasked_payments_total',
      help: 'Payments without a push, by the account: the merchant expected it, the customer named it, or unnamed: in suspense',
      labels: ['channel', 'mode', 'account'],
    });
  }

  /** Counts a payment without a push. */
  received(of: {
    readonly channel: string;
    readonly mode: Mode;
    readonly account: 'expected' | 'named' | 'unnamed';
  }): void {
    this.unasked.inc(of);
  }

  /** Notes that a callback from the rail's own addresses was posted this long after it had arrived (SLO-4). */
  posted(mode: Mode, way: 'direct' | 'inbox', seconds: number): void {
    this.postingSeconds.observe({ mode, way }, Math.max(0, seconds));
  }

  /**
   * Counts a report that was delivered to its collection. An untrusted sender's codes are not counted: anyone can make
   * them up.
   */
  confirmed(mode: Mode, report: RailReport, contradicts: Confirmed['contradicts']): void {
    if (report.by === 'callback' && report.fromRail && report.verdict.kind === 'unresolved')
      this.unknownResults.count(mode, 'callback', report.verdict.unknownCode);
    if (contradicts === 'paid_after_decline') this.reversed.inc({ mode, by: report.by });
    if (contradicts !== undefined && report.by === 'query')
      this.queryContradicted(mode, contradicts);
  }

  queryContradicted(mode: Mode, how: ContradictingQuery): void {
    this.contradicted.inc({ mode, how });
  }
}
