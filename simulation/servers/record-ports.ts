import { type RailPayment } from '#domain/rails';
import { type Position } from '#domain/event-sourcing';
import { type SealedMessage, SealedMessages } from '#domain/evidence';
import { DependencyUnavailable } from '#domain/kernel';
import {
  type RailReferenceClaim,
  type InboxEntry,
  type Claimed,
  ClaimedReferences,
  type DueQuery,
  ExtraQueries,
  Inbox,
  type QueryAttempt,
  QuerySchedule,
  ReferenceView,
  type ToldPayment,
} from '#edges/rails';
import { type AskableRail } from '#views/rail-queries';
import { type Life } from '../core/life.js';
import { type QueryTimetable } from './query-timetable.js';
import { type RecordTables } from './records.js';
import { type ViewTables } from './views.js';

const deadlineMs = 7000;

/** One statement, committed on its own. Its commit may be unknown to the caller. */
export function statement<T>(life: Life, what: string, serve: () => T): Promise<T> {
  const unavailable = (why: string): Error => new DependencyUnavailable('postgres', why);
  const isRoutine = (answer: T): boolean => Array.isArray(answer) && answer.length === 0;
  return life.call({ server: 'records', what, serve, isRoutine, deadlineMs, unavailable });
}

export class SimulatedMessages extends SealedMessages {
  constructor(
    private readonly life: Life,
    private readonly tables: RecordTables,
  ) {
    super();
  }

  override keep(message: SealedMessage): Promise<Uint8Array> {
    return statement(this.life, `keeps a message of the rail about ${message.stream}`, () =>
      this.tables.keepMessage(message),
    );
  }

  override async keepSoon(message: SealedMessage): Promise<void> {
    await this.keep(message);
  }

  override drop(id: string): Promise<void> {
    return statement(this.life, `drops message ${id}`, () => {
      this.tables.reports.delete(id);
    });
  }
}

export class SimulatedInbox extends Inbox {
  constructor(
    protected readonly life: Life,
    protected readonly tables: RecordTables,
  ) {
    super();
  }

  override add(entry: InboxEntry): Promise<void> {
    return statement(this.life, `puts a callback for ${entry.stream} into the inbox`, () => {
      this.tables.addToInbox(entry);
    });
  }

  override keptOf(stream: string, max: number): Promise<number> {
    return statement(this.life, `counts the callbacks for ${stream}`, () =>
      Math.min(max, this.tables.inboxOf(stream)),
    );
  }

  override openBeside(prefix: string, stream: string): Promise<number> {
    return statement(this.life, `counts the open callbacks for ${prefix}`, () =>
      this.tables.openBeside(prefix, stream),
    );
  }

  override leaseDue({ leaseMs, max }: { leaseMs: number; max: number }) {
    return statement(this.life, 'takes what is due in the inbox', () =>
      this.tables.leaseInbox(leaseMs, max),
    );
  }

  override conclude(id: string, outcome: string, told?: ToldPayment): Promise<void> {
    const stream = this.tables.inbox.get(id)?.stream ?? 'nothing';
    return statement(this.life, `marks a callback for ${stream} as applied: ${outcome}`, () => {
      this.tables.concludeInbox(id, outcome, told);
    });
  }

  override reschedule(entry: { id: string; delayMs: number; outcome: string }): Promise<void> {
    const stream = this.tables.inbox.get(entry.id)?.stream ?? 'nothing';
    const what = `puts a callback for ${stream} off by ${Math.round(entry.delayMs)} ms: ${entry.outcome}`;
    return statement(this.life, what, () => {
      this.tables.rescheduleInbox(entry.id, entry.delayMs, entry.outcome);
    });
  }

  override giveBack(id: string, outcome: string): Promise<void> {
    const stream = this.tables.inbox.get(id)?.stream ?? 'nothing';
    return statement(this.life, `puts a callback for ${stream} back: ${outcome}`, () => {
      this.tables.giveBackInbox(id, outcome);
    });
  }
}

export class SimulatedClaimedReferences extends ClaimedReferences {
  constructor(
    private readonly life: Life,
    private readonly tables: RecordTables,
  ) {
    super();
  }

  override claim({ stream, isBrought, ...payment }: RailReferenceClaim): Promise<Claimed> {
    return statement(this.life, `claims ${payment.railReference} for ${stream}`, () => {
      const claim = this.tables.claimReference(keyOf(payment), stream, isBrought);
      return claim.stream === stream
        ? { kind: 'claimed', isNew: claim.isNew, at: new Date(claim.atMs) }
        : { kind: 'taken', stream: claim.stream, isBrought: claim.isBrought };
    });
  }

  override takeOver(
    { stream, isBrought, ...payment }: RailReferenceClaim,
    from: { stream: string; olderThanMs: number },
  ): Promise<boolean> {
    return statement(this.life, `takes ${payment.railReference} over for ${stream}`, () =>
      this.tables.takeOverReference(keyOf(payment), stream, {
        stream: from.stream,
        ms: from.olderThanMs,
        isBrought,
      }),
    );
  }

  override release({ stream, ...payment }: RailReferenceClaim, at: Date): Promise<void> {
    return statement(this.life, `releases ${payment.railReference}`, () => {
      this.tables.releaseReference(keyOf(payment), stream, at.getTime());
    });
  }
}

/** Returns one key per reference. A rail's references are its own, and so are a mode's. */
function keyOf({ channel, mode, railReference }: RailPayment): string {
  return `${channel} ${mode} ${railReference}`;
}

export class SimulatedQuerySchedule extends QuerySchedule {
  constructor(
    protected readonly life: Life,
    protected readonly timetable: QueryTimetable,
    protected readonly tables: RecordTables,
  ) {
    super();
  }

  override due(rails: readonly AskableRail[], max: number): Promise<readonly DueQuery[]> {
    return statement(this.life, 'looks which questions are due', () =>
      this.timetable.due(this.life.world.nowMs, rails, max),
    );
  }

  override lease({ stream, attempt }: QueryAttempt): Promise<boolean> {
    return statement(this.life, `takes question ${attempt} about ${stream}`, () =>
      this.tables.leaseAttempt(stream, attempt),
    );
  }

  override lastOutcome(stream: string): Promise<string | undefined> {
    return statement(this.life, `looks what the last question about ${stream} came to`, () =>
      this.tables.lastOutcomeApart(stream),
    );
  }

  override conclude({ stream, attempt }: QueryAttempt, outcome: string): Promise<void> {
    const what = `notes the answer to question ${attempt} about ${stream}: ${outcome}`;
    return statement(this.life, what, () => {
      this.tables.concludeAttempt(stream, attempt, outcome);
    });
  }

  override giveBack({ stream, attempt }: QueryAttempt): Promise<void> {
    return statement(this.life, `gives question ${attempt} about ${stream} back`, () => {
      this.tables.giveBackAttempt(stream, attempt);
    });
  }
}

export class SimulatedExtraQueries extends ExtraQueries {
  constructor(
    private readonly life: Life,
    private readonly tables: RecordTables,
  ) {
    super();
  }

  override lease(stream: string): Promise<number> {
    return statement(this.life, `takes an extra question about ${stream}`, () =>
      this.tables.leaseExtra(stream),
    );
  }

  override giveBack(stream: string): Promise<void> {
    return statement(this.life, `gives an extra question about ${stream} back`, () => {
      this.tables.giveBackExtra(stream);
    });
  }
}

export class SimulatedReferenceView extends ReferenceView {
  constructor(
    private readonly life: Life,
    private readonly views: ViewTables,
  ) {
    super();
  }

  override position(): Promise<Position> {
    return statement(
      this.life,
      'looks how far the views are',
      () => this.views.checkpoint.position,
    );
  }

  override streamsWith({ channel, mode, railReference }: RailPayment): Promise<readonly string[]> {
    return statement(this.life, `looks whose ${railReference} is`, () =>
      [...this.views.rows.values()]
        .filter(
          (row) =>
            row.channel === channel && row.mode === mode && row.rail_reference === railReference,
        )
        .map(({ stream }) => stream),
    );
  }

  override knownStreamsWith(payment: RailPayment): Promise<readonly string[]> {
    return this.streamsWith(payment);
  }

  override knownStreamsNamed({
    channel,
    mode,
    railReference,
  }: RailPayment): Promise<readonly string[]> {
    return statement(this.life, `looks whose our own ${railReference} is`, () =>
      [...this.views.rows.values()]
        .filter(
          (row) =>
            row.channel === channel && row.mode === mode && row.account_reference === railReference,
        )
        .map(({ stream }) => stream),
    );
  }
}
