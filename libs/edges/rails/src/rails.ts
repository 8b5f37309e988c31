import {
  type PushAnswer,
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailLimits,
  type RailPayment,
} from '#domain/rails';
import { SealedMessages } from '#domain/evidence';
import { constructed, type Mode } from '#domain/kernel';
import { RedisStore } from '#infra/redis';
import { type Metrics, type ProcessContext, tracing } from '#infra/runtime';
import { Keyring, SubscriberSeal } from '#shared/signing';
import { type Provider } from '@nestjs/common';
import { sealCallbackToken, sealSharedToken } from './callback/callback-keys.js';
import { type Answered, type RailAdapter, type RailFactory, RailTable } from './rail-adapter.js';
import { RailAnswers } from './rail-answers.js';
import { PayoutRail } from '#domain/payouts';
import { AccountRefusals } from './payouts/account-refusals.js';
import { PayoutRails } from './payouts/payout-rails.js';
import { RailFloats } from './payouts/rail-floats.js';
import { BalanceRails } from './balances/balance-rails.js';
import { NoticeRails } from './notices/notice-rails.js';
import { ReceiptRails } from './notices/receipt-rails.js';
import { PaymentListRails } from './payment-lists/payment-list-rails.js';
import { UnknownResults } from './report-metrics.js';

type Adapters = readonly [RailAdapter, ...RailAdapter[]];

export interface RailsOptions {
  /** BASE_URL: the rails call this address back, without a trailing slash. */
  readonly baseUrl: string;
  readonly keyring: Keyring;
  readonly metrics: Metrics;
  readonly answers: RailAnswers;
}

/** The domain's rails. Gives each request to its channel's adapter and counts it. */
export class Rails extends Rail {
  readonly #adapters: ReadonlyMap<string, RailAdapter>;
  readonly #options: RailsOptions;
  readonly #metrics;
  readonly #unknownResults;

  constructor(adapters: Adapters, options: RailsOptions) {
    super();
    this.#adapters = new Map(adapters.map((adapter) => [adapter.channel, adapter]));
    this.#options = options;
    this.#metrics = metricsIn(options.metrics);
    this.#unknownResults = new UnknownResults(options.metrics);
  }

  override channels(mode: Mode): readonly string[] {
    return [...this.#adapters.values()]
      .filter((adapter) => adapter.limits(mode))
      .map(({ channel }) => channel);
  }

  /**
   * Returns the address at which the rail calls back about all of a mode's pushes; undefined if it has none, or calls
   * each push's own.
   */
  sharedAddress(channel: string, mode: Mode): string | undefined {
    const adapter = this.#adapters.get(channel);
    if (!adapter?.usesOurReference || !adapter.limits(mode)) return undefined;
    const { baseUrl, keyring } = this.#options;
    return `${baseUrl}/rails/shared/${sealSharedToken(keyring, { channel, mode })}`;
  }

  override limits(channel: string, mode: Mode): RailLimits | undefined {
    return this.#adapters.get(channel)?.limits(mode);
  }

  override async push({
    channel,
    stream,
    traceparent,
    ...request
  }: PushRequest): Promise<PushOutcome> {
    const { mode } = request;
    const adapter = this.#adapters.get(channel);
    if (!adapter?.limits(mode)) return { kind: 'refused', failureCode: 'rail_unavailable' };
    const { baseUrl, keyring } = this.#options;
    const callbackUrl = `${baseUrl}/rails/${sealCallbackToken(keyring, channel, stream)}`;
    const { pushSeconds, pushes, lateAnswers } = this.#metrics;
    const end = pushSeconds.startTimer({ mode });
    const span = tracing?.continue('rail push', 'client', traceparent);
    const outcome = await adapter.push({ ...request, callbackUrl });
    end();
    span?.end({ ...inMode(channel, mode), 'pesapost.outcome': outcome.kind });
    pushes.inc({ mode, outcome: outcome.kind });
    if (outcome.kind !== 'unknown') return this.proved(stream, outcome);
    const late = outcome.late.then((answer) => {
      lateAnswers.inc({ mode, outcome: answer?.kind ?? 'none' });
      return answer && this.proved(stream, answer);
    });
    return { kind: 'unknown', late };
  }

  private proved(stream: string, { raw, ...answer }: Answered<PushAnswer>): PushAnswer {
    if (!raw) return answer;
    return {
      ...answer,
      proof: this.#options.answers.soon({ kind: 'push_answer', stream, bytes: raw }),
    };
  }

  override async query({ channel, ...payment }: RailPayment): Promise<QueryOutcome> {
    const { mode } = payment;
    const adapter = this.#adapters.get(channel);
    const outcome = adapter?.limits(mode) ? await adapter.query(payment) : notAsked;
    this.#metrics.queries.inc({ mode, outcome: outcome.kind });
    if (outcome.kind === 'unresolved')
      this.#unknownResults.count(mode, 'query', outcome.unknownCode);
    return outcome;
  }

  /** Aborts the requests in flight, and waits for pending writes. The process limits how long it waits for this. */
  async close(): Promise<void> {
    await Promise.all([...this.#adapters.values()].map((adapter) => adapter.close()));
    await this.#options.answers.settled();
  }
}

const inMode = (channel: string, mode: Mode) => ({
  'pesapost.rail': channel,
  'pesapost.mode': mode,
});

const notAsked: QueryOutcome = { kind: 'not_asked', why: 'unreachable' };

function metricsIn(metrics: Metrics) {
  return {
    pushes: metrics.counter({
      name: 'rail_pushes_total',
      help: 'Pushes, by outcome within the request',
      labels: ['mode', 'outcome'],
    }),
    pushSeconds: metrics.histogram({
      name: 'rail_push_seconds',
      help: 'Time that a push took, its own retries included',
      labels: ['mode'],
    }),
    lateAnswers: metrics.counter({
      name: 'rail_late_push_answers_total',
      help: 'Pushes of unknown outcome, by the answer that came within another minute',
      labels: ['mode', 'outcome'],
    }),
    queries: metrics.counter({
      name: 'rail_queries_total',
      help: 'Status queries by outcome',
      labels: ['mode', 'outcome'],
    }),
  };
}

const railAdapters = Symbol('rail adapters');

/**
 * Providers that an app binds for its rails: Rails, the domain's Rail and PayoutRail, the RailTable, RailFloats,
 * AccountRefusals, BalanceRails, ReceiptRails and NoticeRails. Needs RedisStore, Keyring, SubscriberSeal and SealedMessages.
 * @param rails if a callback's token names no rail, it is answered as the first one expects
 */
export function railProviders(
  rails: readonly [RailFactory, ...RailFactory[]],
  { settings, metrics, clock, timer, ids }: ProcessContext,
): Provider[] {
  return [
    {
      provide: railAdapters,
      inject: [RedisStore, Keyring, SubscriberSeal],
      useFactory: (redis: RedisStore, keyring: Keyring, subscribers: SubscriberSeal) =>
        rails.map((make) => make({ settings, redis, keyring, subscribers, clock, timer, metrics })),
    },
    {
      provide: RailAnswers,
      inject: [SealedMessages, Keyring],
      useFactory: (messages: SealedMessages, keyring: Keyring) =>
        new RailAnswers(messages, { keyring, ids, timer, metrics }),
    },
    {
      provide: Rails,
      inject: [railAdapters, Keyring, RailAnswers],
      useFactory: (adapters: Adapters, keyring: Keyring, answers: RailAnswers) =>
        new Rails(adapters, { baseUrl: settings.baseUrl, keyring, metrics, answers }),
    },
    { provide: Rail, useExisting: Rails },
    {
      provide: RailFloats,
      inject: [RedisStore],
      useFactory: (redis: RedisStore) => new RailFloats(redis, clock),
    },
    constructed(AccountRefusals, AccountRefusals, [RedisStore]),
    {
      provide: PayoutRails,
      inject: [railAdapters, Keyring, RailFloats, RailAnswers],
      useFactory: (
        adapters: Adapters,
        keyring: Keyring,
        floats: RailFloats,
        answers: RailAnswers,
      ) => {
        const { baseUrl } = settings;
        const used = { baseUrl, keyring, ids, clock, floats, metrics, answers };
        return new PayoutRails(adapters, used);
      },
    },
    { provide: PayoutRail, useExisting: PayoutRails },
    constructed(PaymentListRails, PaymentListRails, [railAdapters]),
    {
      provide: BalanceRails,
      inject: [railAdapters, Keyring],
      useFactory: (adapters: Adapters, keyring: Keyring) =>
        new BalanceRails(adapters, { baseUrl: settings.baseUrl, keyring, ids, clock }),
    },
    {
      provide: ReceiptRails,
      inject: [railAdapters, Keyring],
      useFactory: (adapters: Adapters, keyring: Keyring) =>
        new ReceiptRails(adapters, { baseUrl: settings.baseUrl, keyring, ids, clock }),
    },
    {
      provide: NoticeRails,
      inject: [railAdapters, Keyring],
      useFactory: (adapters: Adapters, keyring: Keyring) =>
        new NoticeRails(adapters, keyring, settings.baseUrl),
    },
    constructed(RailTable, RailTable, [railAdapters]),
  ];
}
