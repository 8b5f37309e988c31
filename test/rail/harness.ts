import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type PushOutcome, Rail, railAmount } from '#domain/rails';
import {
  type CollectionEvent,
  CollectionInitiationModule,
  CollectionsModule,
  InitiateCollection,
  PhoneVault,
} from '#domain/collections';
import { EventStore, Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { createHttpApp } from '#shared/http';
import { Clock, Ids, Timer } from '#domain/kernel';
import { merchantDecider, merchantStream } from '#domain/merchants';
import { findMessages, RecordedSealedMessages, type StoredMessage } from '#records/evidence';
import { railWorkRecords } from '#adapters/rail-records';
import { receiptUse } from '#adapters/wiring';
import { SettlementsModule } from '#domain/settlements';
import { Database } from '#infra/postgres';
import { MpesaCallbacks } from '#edges/rail-mpesa';
import {
  AccountRefusals,
  BalanceRails,
  PaymentListRails,
  PayoutRails,
  type RailAdapter,
  RailAnswers,
  RailCallbacksModule,
  RailFloats,
  Rails,
  type RailsOptions,
  RailTable,
  ReceiptRails,
  RailWorkModule,
  RailWorkOptions,
} from '#edges/rails';
import { createViews, viewSchema } from '#views/view-set';
import { createLogger, Metrics, SystemTimer, UuidIds } from '#infra/runtime';
import { Keyring, openMessage, sealToken } from '#shared/signing';
import { throwAwayDatabase } from '#testing';
import { subscribers } from './fake-daraja.js';
import {
  AskedReceipts,
  FaultyDatabase,
  FaultyStore,
  ScriptedRail,
  ShiftedClock,
} from './faulty.js';

export const phone = '254712345678';
export const railAddress = '196.201.214.200';
/** The proxy in front, of TRUSTED_PROXIES. */
export const proxyAddress = '10.0.0.5';
export const untrustedAddress = '203.0.113.7';
export const shortcode = '600100';
/** The account for payments that name none. */
export const unnamedAccount = '1000000009';
const mpesaSettings = { callbackIps: [railAddress], shortcode, c2bAccount: unnamedAccount };
const workSettings = {
  queryDelaysMs: [60_000, 300_000],
  pushTimeoutMs: 10_000,
  reviewAfterMs: 48 * 3_600_000,
} as const;

/** The callbacks' edge and the worker's steps in one process, over real servers that a test can stop. */
export class RailHarness {
  readonly rail = new ScriptedRail();
  readonly clock = new ShiftedClock();
  readonly metrics = new Metrics();
  readonly logLines: string[] = [];
  readonly receiptRail = new AskedReceipts();

  private constructor(
    readonly store: FaultyStore,
    readonly database: FaultyDatabase,
    private readonly close: () => Promise<void>,
    readonly adapters: readonly RailAdapter[] = [],
  ) {}

  keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);

  app!: NestFastifyApplication;

  /**
   * @param eventStoreUrl of a store that the test may kill or freeze; by default the tests' own
   * @param adapters of rails beside M-Pesa, which then take all pushes and queries
   */
  static async start(
    eventStoreUrl = process.env['EVENTSTORE_URL'] ?? '',
    adapters: readonly RailAdapter[] = [],
  ): Promise<RailHarness> {
    const throwAway = await throwAwayDatabase();
    const quiet = createLogger({ app: 'tests', level: 'fatal' });
    const database = new FaultyDatabase({
      url: throwAway.url,
      app: 'tests',
      logger: quiet,
      searchPath: [viewSchema()],
    });
    await createViews(database, viewSchema());
    const eventStoreDb = new EventStoreDb({
      connectionString: eventStoreUrl,
      eventTypes,
      logger: quiet,
      onFatal: (error) => {
        throw error;
      },
    });
    const close = async (): Promise<void> => {
      await eventStoreDb.dispose();
      await database.close();
      await throwAway.drop();
    };
    const store = new FaultyStore(eventStoreDb);
    const harness = new RailHarness(store, database, close, adapters);
    await harness.boot();
    await harness.register();
    return harness;
  }

  /** The same edge and steps a second time, like another process on the same servers. */
  static async beside(
    harness: RailHarness,
    keyring = harness.keyring,
  ): Promise<NestFastifyApplication> {
    const { store, database, adapters } = harness;
    const other = new RailHarness(store, database, () => Promise.resolve(), adapters);
    other.keyring = keyring;
    await other.boot();
    harness.others.push(other.app);
    return other.app;
  }

  private readonly others: NestFastifyApplication[] = [];
  readonly merchantId = randomUUID();

  /** Registers the merchant, because a projector of the log that the specs share needs each collection to have one. */
  private async register(): Promise<void> {
    const { merchantId } = this;
    const metadata = { correlationId: 'spec', actor: { kind: 'system', id: 'spec' } } as const;
    const data = { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' };
    await new Pipeline(this.store, new UuidIds()).begin(
      { decider: merchantDecider, stream: merchantStream(merchantId), metadata },
      [{ type: 'MerchantRegistered', data }],
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.others.map((app) => app.close()));
    await this.app.close();
    await this.close();
  }

  /**
   * Makes a collection of KES 250 whose push had this outcome.
   * @returns its stream
   */
  async collection(
    push: PushOutcome = accepted(),
    reference: string = randomUUID(),
    channel = 'mpesa',
  ): Promise<string> {
    const { merchantId } = this;
    const stream = this.streamOf(reference);
    this.rail.pushed.set(stream, push);
    const amount = railAmount(this.rail.limits(), 25_000n, 'KES');
    if (!amount.ok) throw new Error(amount.refusal);
    const details = {
      account: {
        merchantId,
        mode: 'demo',
        accountNo: '1000000001',
        currency: 'KES',
        feeSchedule: { basisPoints: 150, flatMinor: 0n },
        channels: ['mpesa'],
      },
      phone,
      amountMinor: amount.value,
      channel,
      reference,
      origin: 'v4',
    } as const;
    const metadata = {
      correlationId: randomUUID(),
      actor: { kind: 'credential', id: 'c1' },
      commitment: '00',
    } as const;
    await this.app.get(CommandBus).execute(new InitiateCollection(details, metadata));
    return stream;
  }

  streamOf(reference: string): string {
    return `collection-demo:${this.merchantId}:${reference}`;
  }

  /**
   * Sends a callback as a rail would.
   * @returns the status and the body of the answer
   */
  async callBack(
    stream: string,
    payload: string | Buffer,
    from: string = railAddress,
    forwardedFor?: string,
  ): Promise<[number, unknown]> {
    return this.post(sealToken(this.keyring, stream), payload, from, forwardedFor);
  }

  async post(
    token: string,
    payload: string | Buffer,
    from = railAddress,
    forwardedFor?: string,
  ): Promise<[number, unknown]> {
    const forwarded = forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor };
    const answer = await this.app.inject({
      method: 'POST',
      url: `/rails/${token}`,
      payload,
      remoteAddress: from,
      headers: { 'content-type': 'application/json', ...forwarded },
    });
    return [answer.statusCode, answer.json()];
  }

  history(stream: string): Promise<RecordedEvent<CollectionEvent>[]> {
    return this.store.readStream<CollectionEvent>(stream);
  }

  async types(stream: string): Promise<string[]> {
    return (await this.history(stream)).map(({ type }) => type);
  }

  /** Writes what the projector would write for collections to which the rail gave one reference. */
  async project(
    streams: readonly string[],
    railReference: string | null,
    { channel = 'mpesa', accountReference = null as string | null } = {},
  ): Promise<void> {
    for (const stream of streams)
      await this.database.query(
        `with item as (
           insert into transactions (position, stream, merchant_id, mode, type, reference, status, amount_minor,
             currency, fee_minor, id, account_no, channel, rail_reference, under_review, created_at,
             requested_minor, created_on, account_reference)
           select coalesce(max(position), 0) + 1, $1, 'm1', 'demo', 'collection', 'r1', 'pending', 1, 'KES', 0,
             gen_random_uuid(), '1', $3, $2, false, now(), 1, now(), $4 from transactions
           returning position)
         insert into rail_references select 'demo', $2, position from item where $2 is not null`,
        [stream, railReference, channel, accountReference],
      );
  }

  inboxOf(stream: string): Promise<InboxRow[]> {
    return this.database.query<InboxRow>(
      `select id, trusted, attempts, outcome, applied_at is not null as applied,
              (extract(epoch from next_attempt_at - records.now_()) * 1000)::float8 as due_in_ms
         from records.callback_inbox where stream = $1`,
      [stream],
    );
  }

  /** The rail's messages about the stream, without its answer to the push. */
  async messagesOf(stream: string): Promise<StoredMessage[]> {
    const all = await findMessages(this.database, stream, 100);
    return all.filter(({ kind }) => kind !== 'push_answer');
  }

  /** The postings of callbacks whose time was counted, in both modes. */
  async timedPostings(way: 'direct' | 'inbox'): Promise<number> {
    const text = await this.metrics.registry.metrics();
    const counts = text.matchAll(
      new RegExp(`^pesapost_callback_posting_seconds_count\\{.*way="${way}".*\\} (\\d+)$`, 'gm'),
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  opened({ id, ownKey, ...message }: StoredMessage): Buffer {
    if (!ownKey) throw new Error('the message was erased');
    return openMessage(this.keyring, { messageId: id, ownKey }, message);
  }

  /** Makes entries of the inbox older. */
  async ageInbox(stream: string, ms: number): Promise<void> {
    await this.database.query(
      `update records.callback_inbox
          set received_at = received_at - $2 * interval '1 millisecond',
              next_attempt_at = next_attempt_at - $2 * interval '1 millisecond'
        where stream = $1`,
      [stream, ms],
    );
  }

  private async boot(): Promise<void> {
    const logger = createLogger({
      app: 'tests',
      destination: { write: (line: string) => void this.logLines.push(line) },
    });
    const module = moduleOf(this);
    const trustedProxies = [proxyAddress];
    this.app = await createHttpApp(module, { trustedProxies, logger, metrics: this.metrics });
    await this.app.init();
  }
}

export interface InboxRow {
  readonly id: string;
  readonly trusted: boolean;
  readonly attempts: number;
  readonly outcome: string | null;
  readonly applied: boolean;
  readonly due_in_ms: number;
}

export function accepted(railReference = `ws_CO_${randomUUID()}`) {
  return { kind: 'accepted', railReference, merchantRequestId: '1-2-3' } as const;
}

/** A callback about a payment of KES 250. */
export function paidCallback(railReference: string, { amount = '250.00' } = {}): string {
  return `{"Body":{"stkCallback":{"MerchantRequestID":"1-2-3","CheckoutRequestID":"${railReference}",
    "ResultCode":0,"ResultDesc":"The service request is processed successfully.","CallbackMetadata":{"Item":[
    {"Name":"Amount","Value":${amount}},{"Name":"MpesaReceiptNumber","Value":"NLJ7RT61SV"},{"Name":"Balance"},
    {"Name":"TransactionDate","Value":20260102030405},{"Name":"PhoneNumber","Value":${phone}}]}}}}`;
}

export function declinedCallback(railReference: string, code = 1032): string {
  return JSON.stringify({
    Body: {
      stkCallback: {
        MerchantRequestID: '1-2-3',
        CheckoutRequestID: railReference,
        ResultCode: code,
        ResultDesc: 'in whatever words',
      },
    },
  });
}

function moduleOf(harness: RailHarness): object {
  const { rail, adapters, clock, metrics, keyring, store, database } = harness;
  const callbacks = new MpesaCallbacks({ demo: mpesaSettings, live: undefined }, subscribers);
  const ids = new UuidIds();
  const timer = new SystemTimer();
  const messages = new RecordedSealedMessages(database);
  const answers = new RailAnswers(messages, { keyring, ids, timer, metrics });
  const ofRails = { baseUrl: 'https://pay.example', keyring, metrics, answers };
  const providers = [
    {
      provide: Rail,
      useValue: railOf(adapters, ofRails) ?? rail,
    },
    { provide: Metrics, useValue: metrics },
    { provide: Keyring, useValue: keyring },
    { provide: EventStore, useValue: store },
    { provide: Database, useValue: database },
    { provide: Clock, useValue: clock },
    { provide: Timer, useValue: timer },
    { provide: Ids, useValue: ids },
    { provide: Pipeline, useValue: new Pipeline(store, ids) },
    { provide: RailTable, useValue: new RailTable([callbacks, ...adapters]) },
    { provide: RailFloats, useValue: noFloats },
    { provide: AccountRefusals, useValue: noRefusals },
    { provide: PaymentListRails, useValue: new PaymentListRails(adapters) },
    {
      provide: PayoutRails,
      useValue: new PayoutRails(adapters, {
        ...ofRails,
        ids,
        clock,
        floats: noFloats as unknown as RailFloats,
      }),
    },
    { provide: RailWorkOptions, useValue: new RailWorkOptions(workSettings) },
    ...railWorkRecords,
    ...receiptUse,
    {
      provide: BalanceRails,
      useValue: new BalanceRails(adapters, { baseUrl: '', keyring, ids: new UuidIds(), clock }),
    },
    {
      provide: ReceiptRails,
      useValue: new ReceiptRails([harness.receiptRail], { ...ofRails, ids, clock }),
    },
    {
      provide: PhoneVault,
      useValue: { tracesOf: () => ({ phoneHmac: '00', phoneMasked: '2547*****678' }) },
    },
  ];
  @Module({})
  class Infrastructure {}
  @Module({})
  class Bench {}
  return {
    module: Bench,
    imports: [
      { module: Infrastructure, global: true, providers, exports: providers },
      CollectionsModule,
      SettlementsModule,
      CollectionInitiationModule,
      RailCallbacksModule,
      RailWorkModule,
    ],
  };
}

const noRefusals = { record: () => Promise.resolve(), inARow: () => Promise.resolve(0) };
/** No spec here waits for a float balance. */
const noFloats = {
  tell: () => Promise.resolve(),
  of: () => Promise.resolve(undefined),
  spend: () => Promise.resolve(),
};

function railOf(
  [first, ...others]: readonly RailAdapter[],
  options: RailsOptions,
): Rail | undefined {
  return first && new Rails([first, ...others], options);
}
