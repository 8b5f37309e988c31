import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { type CommandMetadata, type EventStore, Pipeline } from '#domain/event-sourcing';
import {
  type ReceiptClaim,
  ReceiptClaims,
  ReceiptUse,
  type StandingClaim,
  UsedReceipts,
} from '#domain/reviews';
import { ClearedRails, type Leg, PostedCredits, Reservations, type Wallet } from '#domain/ledger';
import { type Account, MerchantDirectory } from '#domain/merchants';
import { type AtCall, ReachedLog } from '#testing';
import {
  CompleteCorrection,
  CompleteCorrectionHandler,
} from '../src/complete/complete-correction.command.js';
import {
  ConfirmCorrection,
  ConfirmCorrectionHandler,
} from '../src/confirm/confirm-correction.command.js';
import { type CorrectionEnd, type CorrectionTerms } from '../src/correction.events.js';
import { EndCorrection, EndCorrectionHandler } from '../src/end/end-correction.command.js';
import {
  ProposeCorrection,
  ProposeCorrectionHandler,
} from '../src/propose/propose-correction.command.js';
import { TermsCheck } from '../src/propose/terms-check.js';

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
    const terms = { currency: 'KES', feeSchedule, channels: ['mpesa'] };
    return Promise.resolve({ merchantId, mode, accountNo, ...terms });
  }
}

/** Receipts that other streams have already. */
export class Receipts extends UsedReceipts {
  readonly taken = new Map<string, string>();
  override streamsWith(_mode: Mode, receipt: string): Promise<readonly string[]> {
    const user = this.taken.get(receipt);
    return Promise.resolve(user === undefined ? [] : [user]);
  }
}

/** The streams that may use each receipt, as the records hold them. */
export class Claims extends ReceiptClaims {
  readonly #held = new Map<string, ReceiptClaim>();

  override claim(wanted: ReceiptClaim): Promise<StandingClaim | undefined> {
    const held = this.#held.get(wanted.receipt);
    if (held && held.stream !== wanted.stream)
      return Promise.resolve({ ...held, isAppended: false, ageMs: 0 });
    this.#held.set(wanted.receipt, wanted);
    return Promise.resolve(undefined);
  }
  override appended = () => Promise.resolve();
  override pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    const held = this.#held.get(from.receipt);
    const isSame = held?.stream === from.stream && held.revision === from.revision;
    if (isSame) this.#held.set(to.receipt, to);
    return Promise.resolve(isSame);
  }
}

export interface ProcessOptions {
  readonly log: EventStore;
  /** All credits of wallet 1001 in its view. */
  readonly credits: () => Minor;
  readonly at?: AtCall;
  readonly receipts?: Receipts;
  /** Shared by processes that claim the same receipts. */
  readonly claims?: Claims;
  readonly clock?: { now(): Instant };
  readonly nextId: () => string;
}

const wallClock = { now: () => instantFromMs(Date.now()) };

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
  const { nextId, receipts = new Receipts(), claims = new Claims(), clock = wallClock } = rest;
  const store = new ReachedLog(log, at);
  const ids = { next: nextId };
  const pipeline = new Pipeline(store, ids);
  const reservations = new Reservations(store, new Credits(credits, at), ids);
  const checks = new TermsCheck(store, new Merchants(), receipts, new ClearedRails(['mpesa']));
  const proposing = new ProposeCorrectionHandler(pipeline, checks, reservations);
  const confirming = new ConfirmCorrectionHandler(
    pipeline,
    new ReceiptUse(store, claims, receipts),
    reservations,
  );
  const ending = new EndCorrectionHandler(pipeline, reservations);
  const completing = new CompleteCorrectionHandler(pipeline, reservations);
  const key = (id: string) => ({ mode: 'demo', id }) as const;
  return {
    reservations,
    propose: (id: string, who: string, terms: CorrectionTerms) =>
      proposing.execute(new ProposeCorrection(key(id), terms, by(who))),
    confirm: (id: string, who: string) =>
      confirming.execute(new ConfirmCorrection(key(id), by(who), clock.now())),
    end: (id: string, outcome: CorrectionEnd, who: string) =>
      ending.execute(new EndCorrection(key(id), outcome, clock.now(), by(who))),
    complete: (id: string) => completing.execute(new CompleteCorrection(key(id), worker)),
  };
}

export const leg = (account: Leg['account'], amountMinor: Minor): Leg => ({ account, amountMinor });

/** Debits wallet 1001 and gives the amount back over the rail. */
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
