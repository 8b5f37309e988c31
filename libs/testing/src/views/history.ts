import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { type CollectionEvent } from '#domain/collections';
import { type CorrectionEvent, correctionStream } from '#domain/corrections';
import {
  type EventRecord,
  EventStore,
  type Position,
  type RecordedEvent,
  type Subscription,
} from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type Leg, type ReservationEvent } from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { type PayoutEvent } from '#domain/payouts';
import { type BankSettlementPosted } from '#domain/settlements';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { patientPool, throwAwayDatabase, type ThrowAwayDatabase } from '../database.js';
import { HandMadeLog } from '../events.js';
import { type PayoutStep, payOut, payOutBatch } from './payout-steps.js';
import { accept, decline, intend, type Merchant, pay, register, suspend } from './steps.js';
import { type VerifyReport, verifyViews } from '#views/verification';
import { applyBatch } from '#views/projection';
import { advanceCheckpoint, createViews, readCheckpoint } from '#views/view-set';

type HistoryEvent =
  | BankSettlementPosted
  | CollectionEvent
  | CorrectionEvent
  | MerchantEvent
  | PayoutEvent
  | ReservationEvent;

/** A database of the spec's own. */
export interface Server {
  readonly url: string;
  readonly database: Database;
}

/** A log made by hand, as a store to read from. */
export class ReadOnlyLog extends EventStore {
  constructor(protected readonly log: Pick<HandMadeLog, 'events'>) {
    super();
  }
  override append(): never {
    throw new Error('this log is read-only');
  }
  override subscribe(
    _after: Position | 'start',
    _prefixes: readonly string[],
  ): Promise<Subscription> {
    throw new Error('this log has no subscriptions');
  }
  override readLast<E extends EventRecord>(stream: string): Promise<RecordedEvent<E> | undefined> {
    const last = this.log.events.findLast((event) => event.stream === stream);
    return Promise.resolve(last as RecordedEvent<E> | undefined);
  }
  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
    limit = Infinity,
  ): Promise<RecordedEvent<E>[]> {
    const events = this.log.events.filter(
      (event) => event.stream === stream && event.revision >= from,
    );
    return Promise.resolve(events.slice(0, limit) as RecordedEvent<E>[]);
  }
  override head(): Promise<Position> {
    return Promise.resolve(this.seen().at(-1)?.position ?? 0n);
  }
  override end(): Promise<Position> {
    return this.head();
  }
  override async *readAll(
    _after: Position | 'start',
    _prefixes: readonly string[],
  ): AsyncGenerator<RecordedEvent, void, void> {
    for (const event of [...this.seen()]) yield await Promise.resolve(event);
  }
  /** The events for a reader of the whole log. */
  protected seen(): readonly RecordedEvent[] {
    return this.log.events;
  }
}

/** The fee of a history's merchants, who have no fee schedule. */
const feeMinor = 150n;

/** A history with its views, which the projector's own code has written. */
export class History {
  private projected = 0;

  private constructor(
    private readonly server: Server,
    readonly log: HandMadeLog,
    readonly database: Database,
  ) {}

  /** @param log must be empty */
  static async begin(
    server: Server,
    log = new HandMadeLog(Date.now() - 3_600_000),
  ): Promise<History> {
    const schema = `views_verify_${randomBytes(4).toString('hex')}`;
    await createViews(server.database, schema);
    await server.database.query('truncate records.idempotency_claims');
    const logger = createLogger({ app: 'spec', level: 'fatal' });
    const options = {
      ...patientPool,
      url: server.url,
      app: 'spec',
      logger,
      searchPath: [schema],
      poolSize: 2,
    };
    const history = new History(server, log, new Database(options));
    for (const merchant of ['m-1', 'm-2'] as const) register(log, merchant);
    return history;
  }

  /** Claims the reference, as the edge does, and records the intent. */
  async intend(
    reference: string,
    merchant: Merchant = 'm-1',
    mode: Mode = 'demo',
    claimAgeMs?: number,
  ) {
    await this.claim(reference, claimAgeMs);
    return intend(this.#later(), reference, { merchant, mode, feeMinor });
  }

  claim(reference: string, ageMs = 3_600_000): Promise<object[]> {
    return this.server.database.query(
      `insert into records.idempotency_claims values ($1, $2, $3, records.now_() - $4 * interval '1 millisecond')`,
      [randomBytes(32), randomBytes(32), reference, ageMs],
    );
  }

  append(stream: string, ...events: readonly HistoryEvent[]): void {
    this.#later().append(stream, ...events);
  }

  accept(stream: string): void {
    accept(this.#later(), stream);
  }

  pay(stream: string): void {
    const [, merchant, reference] = stream.split(':');
    const under = merchant === 'm-1' ? `R${reference}` : `R${reference}-${merchant}`;
    pay(this.#later(), stream, { under, feeMinor });
  }

  decline(stream: string): void {
    decline(this.#later(), stream, 'query');
  }

  suspend(stream: string, receipt = `S${stream.split(':').slice(1).join('')}`): void {
    suspend(this.#later(), stream, { under: receipt });
  }

  /** A posted correction of m-1 in demo mode. */
  correct(legs: readonly Leg[], why = 'paid twice'): void {
    const source = correctionStream({ mode: 'demo', id: randomUUID() });
    const correction = { merchantId: 'm-1', mode: 'demo', currency: 'KES', legs, why } as const;
    const data = { ...correction, proposedBy: 'asha' };
    this.append(source, { type: 'CorrectionProposed', data });
    this.append(source, { type: 'CorrectionPosted', data: { ...data, confirmedBy: 'joe' } });
  }

  /** A payout of m-1 in demo mode after these steps. @returns its stream */
  payOut(reference: string, ...steps: readonly PayoutStep[]): string {
    return payOut(this.#later(), { reference }, steps);
  }

  /** A requested batch of m-1 with two payouts, which then take the steps. @returns its stream */
  payOutBatch(reference: string, ...steps: readonly PayoutStep[]): string {
    return payOutBatch(this.#later(), reference, steps);
  }

  /** Sets an operator's limits, and the only numbers that m-1 may pay in demo mode. */
  boundPayouts(): void {
    this.append(
      merchantStream('m-1'),
      { type: 'LimitsSet', data: { mode: 'demo', maxMinor: 5_000n } },
      {
        type: 'DestinationsSet',
        data: { mode: 'demo', destinations: [{ phoneHmac: 'h', phoneMasked: 'm' }] },
      },
    );
  }

  flag(stream: string): void {
    this.append(stream, { type: 'ReviewFlagged', data: { why: 'second_receipt' } });
  }

  /** Projects new events in batches of this size, like a projector. */
  async project(batch = 1000): Promise<void> {
    while (this.projected < this.log.events.length) {
      const events = this.log.events.slice(this.projected, this.projected + batch);
      const last = events.at(-1);
      if (!last) return;
      const { position, stream, revision, id } = last;
      await this.database.transaction(async (transaction) => {
        const lastEvent = { stream, revision, id };
        await advanceCheckpoint(transaction, await readCheckpoint(transaction), {
          position,
          lastEvent,
        });
        await applyBatch(transaction, events);
      });
      this.projected += events.length;
    }
  }

  /** Projects at most this many of the next events. @returns the position up to which the views contain the log now */
  async projectSome(max: number): Promise<bigint> {
    const end = this.projected + max;
    const events = this.log.events.splice(end);
    await this.project();
    this.log.events.push(...events);
    return this.log.events[Math.min(end, this.log.events.length) - 1]?.position ?? 0n;
  }

  get isProjected(): boolean {
    return this.projected >= this.log.events.length;
  }

  /** Projects from the beginning, all in one batch, into emptied views. */
  projectAgain(): Promise<void> {
    this.projected = 0;
    return this.project();
  }

  verify(maxHeld?: number): Promise<VerifyReport> {
    const store = new ReadOnlyLog(this.log);
    const options = { store, database: this.database, maxNamed: 50 };
    return verifyViews(maxHeld === undefined ? options : { ...options, maxHeld });
  }

  tamper(statement: string): Promise<object[]> {
    return this.database.query(statement);
  }

  /** The log, at the time of its next event. */
  #later(): HandMadeLog {
    return this.log.wait(250);
  }
}

/** Three collections: paid, declined, paid. */
export async function threeCollections(history: History): Promise<string[]> {
  const streams: string[] = [];
  for (const reference of ['A', 'B', 'C']) {
    const stream = await history.intend(reference);
    streams.push(stream);
    history.accept(stream);
    if (reference === 'B') history.decline(stream);
    else history.pay(stream);
  }
  await history.project();
  return streams;
}

/**
 * A history for each test of a spec, on a database of the spec's own.
 * @param begun called with the history and the database before each test
 */
export function useHistory(
  begun: (history: History, server: ThrowAwayDatabase) => void | Promise<void>,
): void {
  let server: ThrowAwayDatabase;
  let history: History;
  beforeAll(async () => {
    server = await throwAwayDatabase();
  });
  afterAll(() => server.drop());
  beforeEach(async () => {
    history = await History.begin(server);
    await begun(history, server);
  });
  afterEach(() => history.database.close());
}
