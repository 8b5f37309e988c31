import {
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailLimits,
  type RailPayment,
} from '#domain/rails';
import { type EventStore, EventStoreUnavailable } from '#domain/event-sourcing';
import { Clock, DependencyUnavailable } from '#domain/kernel';
import {
  Database,
  type Statement,
  type Transaction,
  type TransactionOptions,
} from '#infra/postgres';
import { type Asked, type RailReceiptQuestions } from '#edges/rails';
import { ReachedLog } from '#testing';

/** A rail that answers as the test says. */
export class ScriptedRail extends Rail {
  /** The outcome of the push of each stream. */
  readonly pushed = new Map<string, PushOutcome>();
  /** The next answers; after them, "unresolved". */
  queried: QueryOutcome[] = [];
  readonly asked: string[] = [];
  /** The streams with a push. */
  readonly pushes: string[] = [];

  channels = () => ['mpesa'];
  limits(): RailLimits {
    return { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] };
  }
  push({ stream }: PushRequest): Promise<PushOutcome> {
    this.pushes.push(stream);
    const lost = { kind: 'unknown', late: Promise.resolve(undefined) } as const;
    return Promise.resolve(this.pushed.get(stream) ?? lost);
  }
  query({ railReference }: RailPayment): Promise<QueryOutcome> {
    this.asked.push(railReference);
    return Promise.resolve(this.queried.shift() ?? { kind: 'unresolved' });
  }
}

/** Questions about receipts, which M-Pesa may take. */
export class AskedReceipts {
  readonly channel = 'mpesa';
  isAskable = false;
  outcome: Asked = 'taken';
  readonly asked: { readonly receipt: string; readonly resultUrl: string }[] = [];
  readonly receiptQuestions: RailReceiptQuestions = {
    canAsk: () => this.isAskable,
    ask: (_mode, receipt, { resultUrl }) => {
      this.asked.push({ receipt, resultUrl });
      return Promise.resolve(this.outcome);
    },
  };
}

/** This machine's time, shifted by the test. */
export class ShiftedClock extends Clock {
  shiftMs = 0;
  nowMs(): number {
    return Date.now() + this.shiftMs;
  }
}

/** The real store, which can be unavailable. */
export class FaultyStore extends ReachedLog {
  isAway = false;
  /** True if appends are carried out, but their answers are lost. */
  losesAnswers = false;
  /** Streams that cannot be read or written, although the store is available. */
  readonly awayFor = new Set<string>();
  constructor(store: EventStore) {
    super(store, (what, stream = '') => this.check(what, stream));
  }
  private check(what: string, stream: string): Promise<void> {
    const isAnswer = what === 'append answered';
    if (isAnswer && this.losesAnswers)
      return Promise.reject(new EventStoreUnavailable('the test lost the answer'));
    if (!isAnswer && (this.isAway || this.awayFor.has(stream)))
      return Promise.reject(new EventStoreUnavailable('the test took it away'));
    return Promise.resolve();
  }
}

/** The real database, which can be unavailable. */
export class FaultyDatabase extends Database {
  isAway = false;
  override async query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    this.check();
    return super.query<Row>(statement, values);
  }
  override async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    this.check();
    return super.transaction(work, options);
  }
  private check(): void {
    if (this.isAway) throw new DependencyUnavailable('postgres', 'the test took it away');
  }
}
