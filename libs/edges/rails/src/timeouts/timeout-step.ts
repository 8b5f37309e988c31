import { concurrently, type Mode } from '#domain/kernel';
import {
  type AskableRail,
  type OverdueCollection,
  overdueCollections,
  type RailQueriesEdge,
} from '#views/rail-queries';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { RailWorkOptions } from '../rail-work-options.js';
import { RailQuestions } from '../query/rail-questions.js';
import { FinalStatusCheck } from './final-status-check.js';

interface PageOfOverdue {
  readonly max: number;
  /** Limits the page to that mode's collections; both modes if omitted. */
  readonly mode?: Mode | undefined;
  /** The last collection of the look before. */
  readonly after?: RailQueriesEdge | undefined;
}

/** Finds the collections that are still pending RAIL_REVIEW_AFTER after their intent. */
export abstract class OverdueCollections {
  /**
   * Returns them oldest first. A view that is behind may list some that are settled.
   * @param askable the rails' modes that take questions
   * @throws DependencyUnavailable
   */
  abstract overdue(
    askable: readonly AskableRail[],
    page: PageOfOverdue,
  ): Promise<readonly OverdueCollection[]>;
}

/** Reads the view of pending collections. */
@Injectable()
export class ProjectedOverdueCollections extends OverdueCollections {
  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override overdue(
    askable: readonly AskableRail[],
    page: PageOfOverdue,
  ): Promise<readonly OverdueCollection[]> {
    const afterMs = this.options.reviewAfterMs;
    return overdueCollections(this.database, { afterMs, askable, ...page });
  }
}

const maxAtOnce = 64;
const maxInFlight = 4;

/**
 * Lists collections for review that had no report for RAIL_REVIEW_AFTER. This includes those whose push and callback
 * were both lost, so that there is no rail reference to ask about. The others are listed only after a final query that
 * the rail took, or after a further day in which it took none. They stay pending: a later report still settles them.
 * Several workers may run this step at once; each collection is flagged once.
 */
@Injectable()
export class TimeoutStep {
  private readonly log = new Logger('rail silence');
  private readonly flagged;
  /**
   * The point where the next look starts. While a merchant's views are stopped, the view keeps listing its collections.
   */
  private readonly after = new Map<Mode | undefined, RailQueriesEdge>();

  constructor(
    private readonly silent: OverdueCollections,
    private readonly finalStatusCheck: FinalStatusCheck,
    private readonly questions: RailQuestions,
    metrics: Metrics,
  ) {
    this.flagged = metrics.counter({
      name: 'rail_silences_flagged_total',
      help: 'Collections listed for review because the rail reported nothing',
    });
  }

  /** @param mode limits the step to that mode's collections; both modes if omitted. @throws DependencyUnavailable */
  async step(mode?: Mode): Promise<'idle' | 'busy'> {
    const page = { max: maxAtOnce, mode, after: this.after.get(mode) };
    const overdue = await this.silent.overdue(this.questions.askable(mode), page);
    const [last] = overdue.slice(-1);
    const isFull = overdue.length === maxAtOnce;
    if (isFull && last) this.after.set(mode, last);
    else this.after.delete(mode);
    let [flagged, ended] = [0, 0];
    await concurrently(overdue, maxInFlight, async (silent) => {
      const found = await this.finalStatusCheck.at(silent);
      if (found === 'flagged') flagged += 1;
      if (found !== 'left') ended += 1;
    });
    this.flagged.inc(flagged);
    if (flagged > 0) this.log.warn({ msg: 'nothing was heard of collections', flagged });
    // A view that is behind lists the same ones again, so another step at once would only read them once more.
    return isFull && ended > 0 ? 'busy' : 'idle';
  }
}
