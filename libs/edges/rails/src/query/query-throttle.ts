import { type AskableRail } from '#views/rail-queries';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, modes } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { Backoff } from '../rail-work-options.js';
import { RailTable } from '../rail-adapter.js';

const firstPauseMs = 2000;
const maxPauseMs = 60_000;
/** Workers look for the schedule's questions several times a second, so a due question has been tried by then. */
const extraAfterPauseMs = 5000;

/** Questions about payouts and about collections take different paths, so each kind is held back separately. */
interface Asking extends AskableRail {
  readonly about?: 'payouts';
}

/** The outcome of a question. `not_asked`: it is certain that the rail did not take it. */
interface QuestionOutcome {
  readonly kind: string;
  readonly why?: string;
}

/** A pause of the questions. There is none while questions go through. */
interface Pause {
  /** The number of questions in a row that the rail did not take. */
  readonly refusals: number;
  readonly untilMs: number;
  /** True while one question tests whether the rail takes questions again. The others wait for its outcome. */
  isTrying: boolean;
}

/**
 * Holds back all status queries of a rail's mode if the rail has no time for them (spike arrest, quota, 429) or they
 * cannot be sent (an open circuit, no token). The pause backs off up to a minute. Then one query goes first, and all
 * others follow it.
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
      help: '1 while status queries of a rail’s mode are held back, because the rail does not take them',
      labels: ['channel', 'mode'],
    });
    this.begun = metrics.counter({
      name: 'rail_query_pauses_total',
      help: 'Times that the status queries of a rail’s mode were held back, by the reason',
      labels: ['channel', 'mode', 'why'],
    });
  }

  mayAsk(rail: Asking): boolean {
    const pause = this.pauses.get(nameOf(rail));
    return !pause || (!pause.isTrying && this.isOver(pause));
  }

  /**
   * As `mayAsk`, for a question outside the schedule. After a pause, a question of the schedule tests the rail first.
   * Questions that untrusted senders cause do not take its turn or lengthen the pause, unless none of the schedule's is
   * due.
   */
  mayAskExtra(rail: Asking): boolean {
    const pause = this.pauses.get(nameOf(rail));
    if (!pause) return true;
    return this.mayAsk(rail) && this.clock.nowMs() - pause.untilMs >= extraAfterPauseMs;
  }

  /** Returns the rails' modes that take questions about collections. */
  askable(): readonly AskableRail[] {
    return this.rails.all.flatMap(({ channel, usesOurReference }) =>
      modes
        .map((mode) => ({ channel, mode, ...(usesOurReference && { usesOurReference }) }))
        .filter((rail) => this.mayAsk(rail)),
    );
  }

  /**
   * Asks the question unless there is a pause. A question that the rail did not take begins a pause, or a longer one.
   * @param question resolves to undefined if there turned out to be nothing to ask
   */
  async ask<Outcome extends QuestionOutcome | undefined>(
    rail: Asking,
    question: () => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'not_asked'; readonly why: 'paused' }> {
    if (!this.mayAsk(rail)) return { kind: 'not_asked', why: 'paused' };
    const before = this.pauses.get(nameOf(rail));
    if (before) before.isTrying = true;
    let outcome: Outcome | undefined;
    try {
      outcome = await question();
    } finally {
      // If another question began the pause in the meantime, this outcome does not change its length.
      if (this.pauses.get(nameOf(rail)) === before) this.heard(rail, before, outcome);
    }
    return outcome;
  }

  private heard(
    rail: Asking,
    before: Pause | undefined,
    outcome: QuestionOutcome | undefined,
  ): void {
    if (!outcome) {
      if (before) before.isTrying = false;
    } else if (outcome.kind === 'not_asked')
      this.begin(rail, (before?.refusals ?? 0) + 1, outcome.why ?? 'unreachable');
    else if (before) this.end(rail);
  }

  private begin(rail: Asking, refusals: number, why: string): void {
    const { channel, mode } = rail;
    const ms = Math.round(this.backoff.ms(refusals, firstPauseMs, maxPauseMs));
    this.pauses.set(nameOf(rail), { refusals, untilMs: this.clock.nowMs() + ms, isTrying: false });
    this.paused.set({ channel, mode }, 1);
    this.begun.inc({ channel, mode, why });
    this.log.warn({ msg: 'status queries pause', ...withoutTheRest(rail), why, ms, refusals });
  }

  private end(rail: Asking): void {
    const { channel, mode } = rail;
    this.pauses.delete(nameOf(rail));
    const isAnyPaused =
      this.pauses.has(nameOf({ channel, mode })) ||
      this.pauses.has(nameOf({ channel, mode, about: 'payouts' }));
    this.paused.set({ channel, mode }, isAnyPaused ? 1 : 0);
    this.log.log({ msg: 'status queries go on', ...withoutTheRest(rail) });
  }

  /** True if the pause is over. A clock that was set back must not turn it into hours. */
  private isOver({ untilMs }: Pause): boolean {
    const leftMs = untilMs - this.clock.nowMs();
    return leftMs <= 0 || leftMs > maxPauseMs;
  }
}

function nameOf({ channel, mode, about }: Asking): string {
  return `${channel} ${mode} ${about ?? 'collections'}`;
}

/** Returns only these fields; the argument may have more. */
function withoutTheRest({ channel, mode, about }: Asking): Asking {
  return { channel, mode, ...(about && { about }) };
}
