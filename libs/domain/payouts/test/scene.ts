import { collectionStream } from '#domain/collections';
import { type RailAmount, type RailLimits } from '#domain/rails';
import { type FoundPayment, ReceiptUse, type Ruling } from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  Clock,
  type Instant,
  instantFromMs,
  type Minor,
  type Mode,
  type PhoneTraces,
  Timer,
} from '#domain/kernel';
import { type Decided } from '#domain/proposals';
import { PostedCredits, Reservations, type Wallet } from '#domain/ledger';
import { type AtCall, type MemoryLog, ReachedLog } from '#testing';
import {
  type AllowanceClaim,
  type BatchDecision,
  type BatchItem,
  CancelPayout,
  CancelPayoutBatch,
  CancelPayoutBatchHandler,
  CancelPayoutHandler,
  CompletePayout,
  CompletePayoutBatch,
  CompletePayoutBatchHandler,
  CompletePayoutHandler,
  ConfirmPayout,
  ConfirmPayoutHandler,
  ConfirmPayoutReview,
  ConfirmPayoutReviewHandler,
  type Decision,
  DecidePayout,
  DecidePayoutBatch,
  DecidePayoutBatchHandler,
  DecidePayoutHandler,
  DecisionGuards,
  ExpireApproval,
  ExpireApprovalHandler,
  FlagPayout,
  type FlagPayoutReason,
  FlagPayoutHandler,
  OpenPayoutReview,
  OpenPayoutReviewHandler,
  PaidNumbers,
  type PauseScope,
  PausePayouts,
  PausePayoutsHandler,
  PayoutAge,
  PayoutAllowances,
  PayoutBatches,
  PayoutBatchItems,
  PayoutFunds,
  type PayoutPhone,
  type PayoutOrder,
  type PayoutOutcome,
  PayoutOrders,
  PayoutPhones,
  PayoutRail,
  type PayoutReport,
  payoutStream,
  type PayoutTerms,
  PayoutStopsInLog,
  PayoutTermsDirectory,
  PromptOrders,
  RequestPayout,
  RequestPayoutBatch,
  RequestPayoutBatchHandler,
  RequestPayoutHandler,
  RequestRefund,
  RequestRefundHandler,
  ResumePayoutsSubject,
  ResolvePayoutReview,
  ResolvePayoutReviewHandler,
  SendPayout,
  SendPayoutHandler,
} from '../src/index.js';
import { PayoutLimits } from '../src/request/payout-limits.js';
import { PayoutSettlement } from '../src/review/payout-settlement.js';
import { Claims, LoggedReceipts, Proposals, ReachedProposals } from './operators.js';

export const wallet: Wallet = {
  mode: 'demo',
  merchantId: 'm-1',
  accountNo: '1001',
  currency: 'KES',
};

/** Stored numbers, by payout and digest. */
export class Phones extends PayoutPhones {
  readonly kept = new Map<string, string>();

  override tracesOf(phone: string): PhoneTraces {
    return { phoneHmac: `hmac of ${phone}`, phoneMasked: 'masked' };
  }
  override keep(stream: string, phoneHmac: string, phone: string): Promise<void> {
    this.kept.set(`${stream} ${phoneHmac}`, phone);
    return Promise.resolve();
  }
  override async keepAll(phones: readonly PayoutPhone[]): Promise<void> {
    for (const { stream, phoneHmac, phone } of phones) await this.keep(stream, phoneHmac, phone);
  }
  override async forgetAll(streams: readonly string[]): Promise<void> {
    for (const stream of streams) await this.forget(stream);
  }
  override find(stream: string, phoneHmac: string): Promise<string | undefined> {
    return Promise.resolve(this.kept.get(`${stream} ${phoneHmac}`));
  }
  override forget(stream: string, phoneHmac = ''): Promise<void> {
    for (const key of this.kept.keys())
      if (key.startsWith(`${stream} ${phoneHmac}`)) this.kept.delete(key);
    return Promise.resolve();
  }
}

/** The items of batches, by the ids of their first events. */
export class BatchItems extends PayoutBatchItems {
  readonly kept = new Map<string, readonly BatchItem[]>();

  override keep(id: string, _stream: string, items: readonly BatchItem[]): Promise<void> {
    this.kept.set(id, items);
    return Promise.resolve();
  }
  override find(id: string): Promise<readonly BatchItem[] | undefined> {
    return Promise.resolve(this.kept.get(id));
  }
  override forget(id: string): Promise<void> {
    this.kept.delete(id);
    return Promise.resolve();
  }
}

/** The records as one process reaches them. */
class ReachedItems extends PayoutBatchItems {
  constructor(
    private readonly items: BatchItems,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async keep(...of: Parameters<PayoutBatchItems['keep']>): Promise<void> {
    await this.at('keep items');
    return this.items.keep(...of);
  }
  override async find(id: string): Promise<readonly BatchItem[] | undefined> {
    await this.at('find items');
    return this.items.find(id);
  }
  override async forget(id: string): Promise<void> {
    await this.at('forget items');
    return this.items.forget(id);
  }
}

/** A timer that never cuts a wait short. */
class Endless extends Timer {
  override sleep = (_ms: number, until?: AbortSignal): Promise<void> =>
    new Promise((resolve) =>
      until?.addEventListener('abort', () => {
        resolve();
      }),
    );
}

/** Allowances whose days change when the spec says so. */
export class Allowances extends PayoutAllowances {
  readonly claims = new Map<string, AllowanceClaim>();
  day = 1;

  override claim(claim: AllowanceClaim): Promise<boolean> {
    const { kind, stream, maxPerDayMinor } = claim;
    const today = `${this.day} ${kind} `;
    const own = `${today}${stream}`;
    if (this.claims.has(own)) return Promise.resolve(true);
    const sum = [...this.claims]
      .filter(([key]) => key.startsWith(today))
      .reduce((total, [, { amountMinor }]) => total + amountMinor, claim.amountMinor);
    if (maxPerDayMinor !== undefined && sum > maxPerDayMinor) return Promise.resolve(false);
    this.claims.set(own, claim);
    return Promise.resolve(true);
  }
  override giveBack(stream: string): Promise<void> {
    for (const [key, claim] of this.claims) if (claim.stream === stream) this.claims.delete(key);
    return Promise.resolve();
  }
}

/** A rail that records every order, and answers as configured. */
export class NotingRail extends PayoutRail {
  readonly orders: PayoutOrder[] = [];
  floatMinor: Minor | undefined;
  outcome: PayoutOutcome = { kind: 'accepted', conversationId: 'AG_1' };

  override channels = () => ['mpesa'];
  override payoutLimits(): RailLimits {
    return { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] };
  }
  override reverses(): boolean {
    return true;
  }
  override pay(order: PayoutOrder): Promise<PayoutOutcome> {
    this.orders.push(order);
    return Promise.resolve(this.outcome);
  }
  override floatOf(): Promise<Minor | undefined> {
    return Promise.resolve(this.floatMinor);
  }
}

/** Everything that outlives a process: the log, the records, the rail, the views. */
export interface World {
  readonly log: MemoryLog;
  /** The mode of what is requested; demo by default. */
  readonly mode?: Mode;
  /** All credits of the wallet in its view. */
  readonly credits: () => Minor;
  readonly phones: Phones;
  readonly batchItems?: BatchItems;
  readonly allowances: Allowances;
  readonly rail: NotingRail;
  readonly terms?: Partial<PayoutTerms>;
  readonly feeBasisPoints?: number;
  /** The digests of the numbers that the wallet has paid before. */
  readonly paidBefore?: ReadonlySet<string>;
  /** The streams of payouts that were ordered by the records. */
  readonly orderedBefore?: ReadonlySet<string>;
  /** The proposals of operators; none by default. */
  readonly proposals?: Proposals;
  /** By default no wait is ever cut short. */
  readonly timer?: Timer;
  /** Stands still by default. */
  readonly clock?: Clock;
  readonly nextId: () => string;
}

class StandingClock extends Clock {
  override nowMs = (): number => 0;
}

class Credits extends PostedCredits {
  constructor(
    private readonly of: () => Minor,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async creditsOf(): Promise<Minor> {
    await this.at('credits');
    return this.of();
  }
}

class Terms extends PayoutTermsDirectory {
  constructor(
    private readonly set: Partial<PayoutTerms>,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async termsOf(): Promise<PayoutTerms> {
    await this.at('terms');
    const none = { automaticMaxMinor: 0n, automaticPerDayMinor: 0n, timezone: 'Africa/Nairobi' };
    return { ...none, ...this.set };
  }
}

class Orders extends PayoutOrders {
  constructor(private readonly given: ReadonlySet<string>) {
    super();
  }
  override givenOf(streams: readonly string[]): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(streams.filter((stream) => this.given.has(stream))));
  }
}

class Paid extends PaidNumbers {
  constructor(private readonly numbers: ReadonlySet<string>) {
    super();
  }
  override hasPaid(_wallet: Wallet, phoneHmac: string): Promise<boolean> {
    return Promise.resolve(this.numbers.has(phoneHmac));
  }
}

/** A refund to ask for; of everything that is left if it has no amount. */
export interface AskedRefund {
  readonly collection: string;
  readonly amountMinor?: Minor;
  readonly to?: string;
  readonly holder?: string;
}

export interface AskedItem {
  readonly reference: string;
  readonly amountMinor: Minor;
  readonly to?: string;
}

const commitment = 'c'.repeat(64);
export const by = (holder: string): CommandMetadata => ({
  correlationId: 'spec',
  actor: { kind: 'credential', id: `credential of ${holder}`, holder },
  evidence: { keyId: 'k', ciphertext: 'c' },
  commitment,
});
/** A person in the portal, under any name. */
export const byPerson = (id: string): CommandMetadata => ({
  ...by(id),
  actor: { kind: 'operator', id },
});
const rails: CommandMetadata = {
  correlationId: 'r',
  actor: { kind: 'rail', id: 'mpesa' },
  commitment,
};
const worker: CommandMetadata = { correlationId: 'w', actor: { kind: 'system', id: 'worker' } };

const operator = (id: string): CommandMetadata => ({
  correlationId: 'o',
  actor: { kind: 'operator', id },
});

/** Appends events that others wrote. */
export async function happened(
  log: MemoryLog,
  stream: string,
  events: readonly (readonly [type: string, data: object])[],
  more: Partial<CommandMetadata> = {},
): Promise<void> {
  const metadata = { v: 1, ...operator('a'), ...more } as const;
  const before = log.events.filter((event) => event.stream === stream).length;
  const added = events.map(([type, data], n) => ({
    id: `${stream}-${before + n}`,
    event: { type, data },
    metadata,
  }));
  await log.append(stream, before === 0 ? 'no_stream' : BigInt(before - 1), added);
}

/** Appends a completed collection: paid by the number of the spec, with a receipt, unless told otherwise. */
export async function collected(
  log: MemoryLog,
  reference: string,
  amountMinor: Minor,
  { receipt, isNumberHidden }: { receipt?: string | null; isNumberHidden?: boolean } = {},
): Promise<void> {
  const { merchantId, mode, accountNo, currency } = wallet;
  const stream = collectionStream({ merchantId, mode, reference });
  const paid = receipt === null ? {} : { receipt: receipt ?? `RCPT${reference}` };
  const number = isNumberHidden
    ? {}
    : { phoneHmac: `hmac of ${phone}`, phoneMasked: '2547*****678' };
  const intent = {
    merchantId,
    mode,
    accountNo,
    currency,
    amountMinor,
    feeMinor: 0n,
    channel: 'mpesa',
    reference,
    origin: 'v4',
    ...number,
  };
  await happened(
    log,
    stream,
    [
      ['CollectionIntentRecorded', intent],
      ['RailConfirmed', { by: 'callback', resultCode: '0', ...paid, amountMinor }],
      ['WalletPosted', { ...intent, legs: [], requestCommitment: commitment }],
    ],
    { commitment },
  );
}

export const streamOf = (reference: string): string => payoutStream({ ...wallet, reference });
export const conversationOf = (reference: string): string => `pp-${reference}`;
export const phone = '254712345678';

/** One process: an API, a worker, or both. */
export function startProcess(world: World, at: AtCall = () => Promise.resolve()) {
  const store = new ReachedLog(world.log, at);
  const ids = { next: world.nextId };
  const pipeline = new Pipeline(store, ids);
  const reservations = new Reservations(store, new Credits(world.credits, at), ids);
  const orders = new Orders(world.orderedBefore ?? new Set());
  const funds = new PayoutFunds(pipeline, reservations, orders);
  const { phones, allowances, rail, clock = new StandingClock() } = world;
  const paid = new Paid(world.paidBefore ?? new Set());
  const limits = new PayoutLimits(new Terms(world.terms ?? {}, at), allowances, paid);
  const requests = new RequestPayoutHandler(pipeline, funds, limits, phones);
  const refunds = new RequestRefundHandler(pipeline, funds, limits, phones);
  const settlement = new PayoutSettlement(funds, phones, allowances);
  const guards = new DecisionGuards(orders, limits);
  const decisions = new DecidePayoutHandler(pipeline, settlement, guards);
  const reports = new ConfirmPayoutHandler(pipeline, funds, phones);
  const prompt = new PromptOrders(rail, clock, phones);
  const stopping = stoppingOf({ pipeline, settlement, guards }, prompt);
  const completions = new CompletePayoutHandler(pipeline, funds, phones, allowances);
  const batches = batchesOf(world, at, { pipeline, reservations, limits });
  const flags = new FlagPayoutHandler(pipeline);
  const reviews = reviewsOf(world, at, { store, pipeline, funds });
  const key = (reference: string) => ({ ...wallet, reference });
  const feeSchedule = { basisPoints: world.feeBasisPoints ?? 0, flatMinor: 0n };
  return {
    reservations,
    rule: (reference: string, who: string, ruling: Ruling) =>
      reviews.resolving.execute(
        new ResolvePayoutReview(key(reference), ruling, { ...operator(who), reason: 'line 12' }),
      ),
    open: (reference: string, who: string, payment: FoundPayment) =>
      reviews.opening.execute(
        new OpenPayoutReview(key(reference), payment, { ...operator(who), reason: 'line 12' }),
      ),
    agree: (reference: string, who: string, proposalId?: string) =>
      reviews.confirming.execute(
        new ConfirmPayoutReview(key(reference), proposalId, operator(who)),
      ),
    request: (
      reference: string,
      amountMinor: Minor,
      asked: { holder?: string; to?: string; metadata?: CommandMetadata } = {},
    ) => {
      const { holder = 'asha', to = phone, metadata = by(holder) } = asked;
      const terms = { feeSchedule, channels: ['mpesa'] };
      const account = { ...wallet, mode: world.mode ?? wallet.mode, ...terms };
      const details = { account, phone: to, channel: 'mpesa', reference, holder };
      const amount = amountMinor as RailAmount;
      return requests.execute(new RequestPayout({ ...details, amountMinor: amount }, metadata));
    },
    refund: (reference: string, asked: AskedRefund) =>
      refunds.execute(refundCommand(reference, asked, rail)),
    decide: (reference: string, decision: Decision, metadata = by(decision.holder)) =>
      decisions.execute(new DecidePayout(key(reference), decision, metadata)),
    report: (reference: string, report: Partial<PayoutReport> & Pick<PayoutReport, 'verdict'>) => {
      const originatorConversationId = conversationOf(reference);
      const known = { by: 'callback', originatorConversationId, isTrusted: true } as const;
      return reports.execute(new ConfirmPayout(key(reference), { ...known, ...report }, rails));
    },
    complete: (reference: string) =>
      completions.execute(new CompletePayout(key(reference), worker)),
    ...batches,
    ...stopping,
    flag: (reference: string, why: FlagPayoutReason) =>
      flags.execute(new FlagPayout(key(reference), why, worker)),
  };
}

function refundCommand(reference: string, asked: AskedRefund, rail: NotingRail): RequestRefund {
  const { holder = 'asha', to, ...of } = asked;
  const { merchantId, mode } = wallet;
  const details = { mode, merchantId, reference, holder, ...of, ...(to && { phone: to }) };
  const abilities = { limits: rail.payoutLimits(), reverses: rail.reverses() };
  return new RequestRefund(details, () => abilities, by(holder));
}

/** The commands that send and stop payouts, with this process's parts. */
function stoppingOf(
  {
    pipeline,
    settlement,
    guards,
  }: {
    readonly pipeline: Pipeline;
    readonly settlement: PayoutSettlement;
    readonly guards: DecisionGuards;
  },
  prompt: PromptOrders,
) {
  const age = new PayoutAge(3 * 86_400_000);
  const stops = new PayoutStopsInLog(pipeline, age);
  const sends = new SendPayoutHandler(pipeline, settlement, prompt, stops);
  const cancels = new CancelPayoutHandler(pipeline, settlement, guards);
  const expiries = new ExpireApprovalHandler(pipeline, age);
  const pauses = new PausePayoutsHandler(pipeline);
  const resumes = new ResumePayoutsSubject(pipeline);
  const why = { ...operator('amina'), reason: 'the initiator’s password leaked' };
  return {
    send: (
      reference: string,
      wasOrdered = false,
      // The log records by the machine's own clock.
      at = instantFromMs(Date.now()),
    ) => {
      const originatorConversationId = conversationOf(reference);
      const sending = { originatorConversationId, at, wasOrdered };
      return sends.execute(new SendPayout({ ...wallet, reference }, sending, worker));
    },
    cancel: (reference: string, holder = 'asha', metadata = by(holder)) =>
      cancels.execute(new CancelPayout({ ...wallet, reference }, holder, metadata)),
    expire: (reference: string, now: Instant) =>
      expiries.execute(new ExpireApproval({ ...wallet, reference }, now, worker)),
    pause: (scope: PauseScope) => pauses.execute(new PausePayouts(scope, why)),
    resume: (scope: PauseScope, decided: Decided = { by: 'one' }) =>
      resumes.carryOut(
        scope,
        decided,
        decided.by === 'two' ? { ...why, causationId: decided.proposalId } : why,
      ),
    weighResume: (scope: PauseScope) => resumes.weigh(scope),
  };
}

/** The commands of batches, with this process's parts. */
function batchesOf(
  world: World,
  at: AtCall,
  has: {
    readonly pipeline: Pipeline;
    readonly reservations: Reservations;
    readonly limits: PayoutLimits;
  },
) {
  const { pipeline, reservations, limits } = has;
  const { phones, allowances, batchItems = new BatchItems(), timer = new Endless() } = world;
  const orders = new Orders(world.orderedBefore ?? new Set());
  const items = new ReachedItems(batchItems, at);
  const batches = new PayoutBatches(pipeline, reservations, { items, phones, allowances, orders });
  const requests = new RequestPayoutBatchHandler(pipeline, batches, limits, timer);
  const guards = new DecisionGuards(orders, limits);
  const decisions = new DecidePayoutBatchHandler(pipeline, batches, timer, guards);
  const completions = new CompletePayoutBatchHandler(batches);
  const cancels = new CancelPayoutBatchHandler(pipeline, batches, timer);
  const key = (reference: string) => ({ ...wallet, reference });
  const feeSchedule = { basisPoints: world.feeBasisPoints ?? 0, flatMinor: 0n };
  return {
    requestBatch: (
      reference: string,
      asked: readonly AskedItem[],
      holder = 'asha',
      metadata = by(holder),
    ) => {
      const terms = { feeSchedule, channels: ['mpesa'] };
      const account = { ...wallet, mode: world.mode ?? wallet.mode, ...terms };
      const items = asked.map(({ amountMinor, to = phone, ...item }) => ({
        ...item,
        phone: to,
        amountMinor: amountMinor as RailAmount,
      }));
      const details = { account, channel: 'mpesa', reference, items, holder };
      return requests.execute(new RequestPayoutBatch(details, metadata));
    },
    decideBatch: (reference: string, decision: BatchDecision, metadata = by(decision.holder)) =>
      decisions.execute(new DecidePayoutBatch(key(reference), decision, metadata)),
    cancelBatch: (reference: string, holder = 'asha', metadata = by(holder)) =>
      cancels.execute(new CancelPayoutBatch(key(reference), holder, metadata)),
    completeBatch: (reference: string) =>
      completions.execute(new CompletePayoutBatch(key(reference), worker)),
    /** Takes every place of the merchant for work on batches, for ever. */
    occupyBatchPlaces: () => {
      for (let place = 0; place < 2; place += 1)
        batches.atWork
          .admitted(wallet.merchantId, () => new Promise(() => undefined))
          .catch(() => undefined);
    },
  };
}

function reviewsOf(
  { log, proposals: kept = new Proposals(), phones, allowances }: World,
  at: AtCall,
  has: {
    readonly store: ReachedLog;
    readonly pipeline: Pipeline;
    readonly funds: PayoutFunds;
  },
) {
  const { store, pipeline, funds } = has;
  const proposals = new ReachedProposals(kept, at);
  const receipts = new LoggedReceipts(log);
  const use = new ReceiptUse(store, new Claims(kept), receipts);
  const settlement = new PayoutSettlement(funds, phones, allowances);
  const resolving = new ResolvePayoutReviewHandler(pipeline, proposals, receipts);
  return {
    resolving,
    opening: new OpenPayoutReviewHandler(pipeline, receipts, resolving),
    confirming: new ConfirmPayoutReviewHandler(pipeline, proposals, use, settlement),
  };
}
