import { type Confirmed, type RailReport } from '#domain/collections';
import { type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { Injectable } from '@nestjs/common';
import { UnknownResults } from './unknown-results.js';

/**
 * How an answer to a query is at odds with what was known: it denies a payment that was posted or that a callback of
 * the rail told of, it tells of a payment after a decline, or it does not repeat the decline of the query before.
 */
type ContradictingQuery =
  'declined_after_payment' | 'denies_callback' | 'paid_after_decline' | 'decline_not_repeated';

/** Counts reports of the rail that nobody knows how to read, or that are at odds with earlier ones. */
@Injectable()
export class ReportMetrics {
  private readonly unknownResults;
  private readonly reversed;
  private readonly contradicted;

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
  }

  /** A report was brought to its collection. An untrusted sender's codes are not counted: anybody can make them up. */
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
