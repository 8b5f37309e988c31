import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type CorrectionEvent } from '#domain/corrections';
import { type EventRecord, EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, type Mode } from '#domain/kernel';
import { collectionLegs, type ReservationEvent, suspenseLegs } from '#domain/ledger';
import { merchantStream } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { throwAwayDatabase, type ThrowAwayDatabase } from '../database.js';
import { HandMadeLog } from '../events.js';
import { collectionIntent } from '../given-when-then.js';
import { type VerifyReport, verifyViews } from '#views/verification';
import { applyBatch } from '#views/projection';
import { advanceCheckpoint, createViews, readCheckpoint } from '#views/view-set';

type HistoryEvent = CollectionEvent | CorrectionEvent | ReservationEvent;

/** A log made by hand. */
export interface Log {
  readonly events: readonly RecordedEvent[];
  wait(ms: number): this;
  append(stream: string, ...events: readonly EventRecord[]): unknown;
}

/** A database of the spec's own. */
export interface Server {
  readonly url: string;
  readonly database: Database;
}

/** What verify reads of a store, over a log made by hand. */
export class ReadOnlyLog extends EventStore {
  constructor(private readonly log: Pick<Log, 'events'>) {
    super();
  }
  override append(): never {
    throw new Error('verify appends nothing');
  }
  override subscribe(): never {
    throw new Error('verify follows nothing');
  }
  override readLast(): never {
    throw new Error('verify needs whole streams');
  }
  override readStream<E extends { type: string; data: object }>(
    stream: string,
  ): Promise<RecordedEvent<E>[]> {
    const events = this.log.events.filter((event) => event.stream === stream);
    return Promise.resolve(events as RecordedEvent<E>[]);
  }
  override head(): Promise<bigint> {
    return Promise.resolve(this.log.events.at(-1)?.position ?? 0n);
  }
  override end(): Promise<bigint> {
    return this.head();
  }
  override async *readAll(): AsyncGenerator<RecordedEvent, void, void> {
    for (const event of [...this.log.events]) yield await Promise.resolve(event);
  }
}

const merchants = ['m-1', 'm-2'] as const;
const accountOf = { 'm-1': '1001', 'm-2': '1002' } as const;
type Merchant = (typeof merchants)[number];

/** A history with its views, the projector's own code having written them. */
export class History {
  private projected = 0;

  private constructor(
    private readonly server: Server,
    readonly log: Log,
    readonly database: Database,
  ) {}

  /** @param log empty; an hour in the past is as good as any */
  static async begin(server: Server, log: Log): Promise<History> {
    const schema = `views_verify_${randomBytes(4).toString('hex')}`;
    await createViews(server.database, schema);
    await server.database.query('truncate records.idempotency_claims');
    const logger = createLogger({ app: 'spec', level: 'fatal' });
    const options = { url: server.url, app: 'spec', logger, searchPath: [schema], poolSize: 2 };
    const history = new History(server, log, new Database(options));
    for (const merchantId of merchants)
      history.log.append(
        merchantStream(merchantId),
        {
          type: 'MerchantRegistered',
          data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
        },
        {
          type: 'AccountOpened',
          data: { accountNo: accountOf[merchantId], mode: 'demo', currency: 'KES' },
        },
      );
    return history;
  }

  /** Claims the reference, as the edge does, and records the intent. */
  async intend(
    reference: string,
    merchantId: Merchant = 'm-1',
    mode: Mode = 'demo',
    claimAgeMs?: number,
  ) {
    await this.claim(reference, claimAgeMs);
    const stream = collectionStream({ merchantId, mode, reference });
    const accountNo = accountOf[merchantId];
    this.append(stream, collectionIntent({ merchantId, mode, reference, accountNo }));
    return stream;
  }

  claim(reference: string, ageMs = 3_600_000): Promise<object[]> {
    return this.server.database.query(
      `insert into records.idempotency_claims values ($1, $2, $3, records.now_() - $4 * interval '1 millisecond')`,
      [randomBytes(32), randomBytes(32), reference, ageMs],
    );
  }

  append(stream: string, ...events: readonly HistoryEvent[]): void {
    this.log.wait(250).append(stream, ...events);
  }

  accept(stream: string): void {
    this.append(stream, { type: 'RailPushAccepted', data: { railReference: `ws_${stream}` } });
  }

  pay(stream: string): void {
    const [, merchantId, reference] = stream.split(':') as [string, Merchant, string];
    const mode: Mode = stream.startsWith('collection-live') ? 'live' : 'demo';
    const [amountMinor, feeMinor, accountNo] = [10_000n, 150n, accountOf[merchantId]];
    const confirmed = {
      by: 'callback',
      resultCode: '0',
      receipt: merchantId === 'm-1' ? `R${reference}` : `R${reference}-${merchantId}`,
      amountMinor,
    } as const;
    const legs = collectionLegs({ rail: 'mpesa', accountNo, amountMinor, feeMinor });
    const posted = {
      merchantId,
      mode,
      reference,
      accountNo,
      currency: 'KES',
      amountMinor,
      feeMinor,
    };
    this.append(
      stream,
      {
        type: 'RailConfirmed',
        data: { ...confirmed, paidAt: '2026-11-20T09:00:01.000Z' as Instant },
      },
      { type: 'WalletPosted', data: { ...posted, legs, requestCommitment: 'c' } },
    );
  }

  decline(stream: string): void {
    this.append(stream, { type: 'RailDeclined', data: { by: 'query', failureCode: 'cancelled' } });
  }

  suspend(stream: string, told?: string): void {
    const amountMinor = 10_001n;
    const receipt = told ?? `S${stream.split(':').slice(1).join('')}`;
    const legs = suspenseLegs({ rail: 'mpesa', amountMinor });
    this.append(
      stream,
      { type: 'AmountMismatchRecorded', data: { receipt, amountMinor } },
      { type: 'SuspensePosted', data: { receipt, amountMinor, legs } },
    );
  }

  flag(stream: string): void {
    this.append(stream, { type: 'ReviewFlagged', data: { why: 'second_receipt' } });
  }

  /** Projects what is new, in batches of this size, as a projector does. */
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

  /** From the beginning, all in one batch, into views that were emptied. */
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
 * @param begun told of it, and of the database, before the test
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
    history = await History.begin(server, new HandMadeLog(Date.now() - 3_600_000));
    await begun(history, server);
  });
  afterEach(() => history.database.close());
}
