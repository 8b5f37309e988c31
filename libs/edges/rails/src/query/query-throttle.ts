import { type AskableRail } from '#views/rail-queries';
import { Injectable, Logger } from '@nestjs/common';
import { type QueryOutcome } from '#domain/collections';
import { Clock, modes } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { Backoff } from '../rail-work-options.js';
import { RailTable } from '../rail-adapter.js';

const firstPauseMs = 2000;
const maxPauseMs = 60_000;
/** The schedule's questions are looked for several times a second: where one is due, it has tried by then. */
const extraAfterPauseMs = 5000;

/** Nothing is said of it while questions go through. */
interface Pause {
  /** Questions in a row that the rail did not take. */
  readonly refusals: number;
  readonly untilMs: number;
  /** One question tries whether the rail takes them again; the others wait for what it comes to. */
  isTrying: boolean;
}

/**
 * Holds back all status queries of a rail's mode for which the rail has no time (spike arrest, quota, 429) or that cannot be
 * sent (an open circuit, no token): backed off up to a minute. Then one goes first, and all follow it.
 */
@Injectable()
export class QueryThrottle {
  private readonly log = new Logger('rail queries');
  private readonly pauses = new Map<string, Pause>();
  private readonly paused;
  private readonly begun;

  constructor(
    private readonly clock: Clock,
    private readonly backoff: Backoff,
    private readonly rails: RailTable,
    metrics: Metrics,
  ) {
    this.paused = metrics.gauge({
      name: 'rail_queries_paused',
      help: '1 while the status queries of a mode are held back, because the rail does not take them',
      labels: ['mode'],
    });
    this.begun = metrics.counter({
      name: 'rail_query_pauses_total',
      help: 'Times that the status queries of a mode were held back, by the reason',
      labels: ['mode', 'why'],
    });
  }

  mayAsk(rail: AskableRail): boolean {
    const pause = this.pauses.get(nameOf(rail));
    return !pause || (!pause.isTrying && this.isOver(pause));
  }

  /**
   * As `mayAsk`, for a question beside the schedule. Whether the rail takes questions again is tried by one of the
   * schedule's: what strangers call for neither takes its turn nor lengthens the pause, unless none is due.
   */
  mayAskExtra(rail: AskableRail): boolean {
    const pause = this.pauses.get(nameOf(rail));
    if (!pause) return true;
    return this.mayAsk(rail) && this.clock.nowMs() - pause.untilMs >= extraAfterPauseMs;
  }

  /** The rails' modes that take questions. */
  askable(): readonly AskableRail[] {
    return this.rails.all.flatMap(({ channel }) =>
      modes.map((mode) => ({ channel, mode })).filter((rail) => this.mayAsk(rail)),
    );
  }

  /** Puts the question where it may be put. One that was not taken begins a pause, or a longer one. */
  async ask(rail: AskableRail, question: () => Promise<QueryOutcome>): Promise<QueryOutcome> {
    if (!this.mayAsk(rail)) return { kind: 'not_asked', why: 'paused' };
    const before = this.pauses.get(nameOf(rail));
    if (before) before.isTrying = true;
    let outcome: QueryOutcome | undefined;
    try {
      outcome = await question();
    } finally {
      // What was asked before somebody else began the pause says nothing about how long it is to last.
      if (this.pauses.get(nameOf(rail)) === before) this.heard(rail, before, outcome);
    }
    return outcome;
  }

  private heard(
    rail: AskableRail,
    before: Pause | undefined,
    outcome: QueryOutcome | undefined,
  ): void {
    if (!outcome) {
      if (before) before.isTrying = false;
    } else if (outcome.kind === 'not_asked')
      this.begin(rail, (before?.refusals ?? 0) + 1, outcome.why ?? 'unreachable');
    else if (before) this.end(rail);
  }

  private begin(rail: AskableRail, refusals: number, why: string): void {
    const { channel, mode } = rail;
    const ms = Math.round(this.backoff.ms(refusals, firstPauseMs, maxPauseMs));
    this.pauses.set(nameOf(rail), { refusals, untilMs: this.clock.nowMs() + ms, isTrying: false });
    this.paused.set({ mode }, 1);
    this.begun.inc({ mode, why });
    this.log.warn({ msg: 'status queries pause', channel, mode, why, ms, refusals });
  }

  private end(rail: AskableRail): void {
    const { channel, mode } = rail;
    this.pauses.delete(nameOf(rail));
    const isAnyPaused = this.rails.all.some((other) =>
      this.pauses.has(nameOf({ channel: other.channel, mode })),
    );
    this.paused.set({ mode }, isAnyPaused ? 1 : 0);
    this.log.log({ msg: 'status queries go on', channel, mode });
  }

  /** A clock that was set back must not make a pause of hours. */
  private isOver({ untilMs }: Pause): boolean {
    const leftMs = untilMs - this.clock.nowMs();
    return leftMs <= 0 || leftMs > maxPauseMs;
  }
}

function nameOf({ channel, mode }: AskableRail): string {
  return `${channel} ${mode}`;
}
