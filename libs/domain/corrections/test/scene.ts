import { type Minor, type Mode } from '#domain/kernel';
import {
  type Appended,
  type CommandMetadata,
  type EventRecord,
  EventStore,
  type ExpectedRevision,
  type NewEvent,
  Pipeline,
  type Position,
  type RecordedEvent,
  type Subscription,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { type ReceiptClaim, ReceiptClaims, ReceiptUse, UsedReceipts } from '#domain/collections';
import { ClearedRails, type Leg, PostedCredits, Reservations, type Wallet } from '#domain/ledger';
import { type Account, MerchantDirectory } from '#domain/merchants';
import {
  CompleteCorrection,
  CompleteCorrectionHandler,
} from '../src/complete/complete-correction.command.js';
import {
  ConfirmCorrection,
  ConfirmCorrectionHandler,
} from '../src/confirm/confirm-correction.command.js';
import { type CorrectionTerms } from '../src/correction.events.js';
import {
  ProposeCorrection,
  ProposeCorrectionHandler,
} from '../src/propose/propose-correction.command.js';
import { TermsCheck } from '../src/propose/terms-check.js';

/** What a test does at each call that leaves the process: waits for its turn, or dies. */
export type AtCall = (what: string) => Promise<void>;

/** A log in memory that does what the store promises. */
export class MemoryLog extends EventStore {
  readonly events: RecordedEvent[] = [];

  override append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const revisions = this.events.filter((event) => event.stream === stream).length;
    const actual = revisions === 0 ? 'no_stream' : BigInt(revisions - 1);
    if (actual !== expected) return Promise.reject(new WrongExpectedRevision(stream, actual));
    for (const [index, { id, event, metadata }] of events.entries())
      this.events.push({
        ...event,
        id,
        stream,
        metadata,
        revision: BigInt(revisions + index),
        position: BigInt(this.events.length + 1),
        recordedAt: '2026-11-21T00:00:00.000Z' as RecordedEvent['recordedAt'],
      });
    const revision = BigInt(revisions + events.length - 1);
    return Promise.resolve({ revision, position: BigInt(this.events.length) });
  }

  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
  ): Promise<RecordedEvent<E>[]> {
    const found = this.events.filter((event) => event.stream === stream && event.revision >= from);
    return Promise.resolve(found as RecordedEvent<E>[]);
  }

  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    return (await this.readStream<E>(stream)).at(-1);
  }

  override head = (): Promise<Position> => Promise.resolve(BigInt(this.events.length));
  override end = (): Promise<Position> => this.head();
  override subscribe = (): Promise<Subscription> => Promise.reject(new Error('nobody follows'));
  override readAll = (): AsyncIterable<RecordedEvent> => {
    throw new Error('nobody reads all');
  };
}

/** The log as one process reaches it: each call waits for its turn before it is served and before it is answered. */
class ReachedLog extends EventStore {
  constructor(
    private readonly log: EventStore,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    await this.at('append sent');
    const appended = await this.log.append(stream, expected, events);
    await this.at('append answered');
    return appended;
  }
  override async readStream<E extends EventRecord>(
    stream: string,
    from?: bigint,
  ): Promise<RecordedEvent<E>[]> {
    await this.at('read');
    return this.log.readStream<E>(stream, from);
  }
  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    await this.at('read last');
    return this.log.readLast<E>(stream);
  }
  override head = (): Promise<Position> => this.log.head([]);
  override end = (): Promise<Position> => this.head();
  override subscribe = (): Promise<Subscription> => Promise.reject(new Error('nobody follows'));
  override readAll = (): AsyncIterable<RecordedEvent> => {
    throw new Error('nobody reads all');
  };
}

class Credits extends PostedCredits {
  constructor(
    private readonly of: () => Minor,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async creditsOf(_wallet: Wallet): Promise<Minor> {
    await this.at('credits');
    return this.of();
  }
}

class Merchants extends MerchantDirectory {
  override findAccount(
    merchantId: string,
    mode: Mode,
    accountNo: string,
  ): Promise<Account | undefined> {
    if (accountNo === '9999' || merchantId !== 'm-1') return Promise.resolve(undefined);
    const feeSchedule = { basisPoints: 150, flatMinor: 0n };
    return Promise.resolve({ merchantId, mode, accountNo, currency: 'KES', feeSchedule });
  }
}

/** Receipts that are written down elsewhere. */
export class Receipts extends UsedReceipts {
  readonly taken = new Map<string, string>();
  override streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    const user = this.taken.get(receipt);
    return Promise.resolve(user === undefined ? [] : [user]);
  }
}

/** Which stream may write a receipt down, as the records keep it. */
class Claims extends ReceiptClaims {
  readonly #held = new Map<string, ReceiptClaim>();

  override claim(wanted: ReceiptClaim): Promise<ReceiptClaim | undefined> {
    const held = this.#held.get(wanted.receipt);
    if (held && held.stream !== wanted.stream) return Promise.resolve(held);
    this.#held.set(wanted.receipt, wanted);
    return Promise.resolve(undefined);
  }
  override pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    const isSame = this.#held.get(from.receipt) === from;
    if (isSame) this.#held.set(to.receipt, to);
    return Promise.resolve(isSame);
  }
}

export interface ProcessOptions {
  readonly log: EventStore;
  /** All credits of wallet 1001, as its view has them. */
  readonly credits: () => Minor;
  readonly at?: AtCall;
  readonly receipts?: Receipts;
  readonly nextId: () => string;
}

export const by = (id: string): CommandMetadata => ({
  correlationId: 'spec',
  actor: { kind: 'operator', id },
});
const worker: CommandMetadata = { correlationId: 'w', actor: { kind: 'system', id: 'worker' } };

/** One process: a command line, or a worker. */
export function startProcess({
  log,
  credits,
  at = () => Promise.resolve(),
  ...rest
}: ProcessOptions) {
  const { nextId, receipts = new Receipts() } = rest;
  const store = new ReachedLog(log, at);
  const ids = { next: nextId };
  const pipeline = new Pipeline(store, ids);
  const reservations = new Reservations(store, new Credits(credits, at), ids);
  const checks = new TermsCheck(store, new Merchants(), receipts, new ClearedRails(['mpesa']));
  const proposing = new ProposeCorrectionHandler(pipeline, checks, reservations);
  const confirming = new ConfirmCorrectionHandler(
    pipeline,
    new ReceiptUse(store, new Claims(), receipts),
    reservations,
  );
  const completing = new CompleteCorrectionHandler(pipeline, reservations);
  const key = (id: string) => ({ mode: 'demo', id }) as const;
  return {
    reservations,
    propose: (id: string, who: string, terms: CorrectionTerms) =>
      proposing.execute(new ProposeCorrection(key(id), terms, by(who))),
    confirm: (id: string, who: string) =>
      confirming.execute(new ConfirmCorrection(key(id), by(who))),
    complete: (id: string) => completing.execute(new CompleteCorrection(key(id), worker)),
  };
}

export const leg = (account: Leg['account'], amountMinor: Minor): Leg => ({ account, amountMinor });

/** Takes so much from wallet 1001 and gives it back over the rail. */
export const taking = (
  amountMinor: Minor,
  more: Partial<CorrectionTerms> = {},
): CorrectionTerms => ({
  merchantId: 'm-1',
  mode: 'demo',
  currency: 'KES',
  legs: [leg('wallet:1001', -amountMinor), leg('rail-clearing:mpesa', amountMinor)],
  why: 'paid twice',
  ...more,
});

export const wallet: Wallet = {
  mode: 'demo',
  merchantId: 'm-1',
  accountNo: '1001',
  currency: 'KES',
};
