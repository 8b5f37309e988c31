import type { Minor } from '#domain/kernel';
import { Journal, Receipts, type Recorder } from '#shared/simulator';
import { collectionScenarioOf } from './collection-scenarios.js';
import { newMoneyId } from './money-id.js';
import { payoutScenarioOf } from './payout-scenarios.js';
import type { CollectionCode, PayoutCode } from './reports.js';
import { type TransactionRecord, Transactions } from './transactions.js';
import type { PortalSettings } from './ways.js';
import { type WithdrawalRecord, Withdrawals } from './withdrawals.js';

/** A record of the journal, one per line. */
type JournalRecord =
  | TransactionRecord
  | WithdrawalRecord
  | { readonly kind: 'token'; readonly sha256: string; readonly expiresAtMs: number }
  | { readonly kind: 'portal'; readonly settings: PortalSettings }
  | { readonly kind: 'throttled'; readonly msisdn: string; readonly times: number };

/** The rail's state: all that it accepted and moved, and every callback that it still owes. It survives restarts. */
export class Memory {
  private readonly recorder: Recorder<JournalRecord> = {
    append: (record) => this.journal.append(record),
    note: (record) => {
      this.journal.note(record);
    },
  };
  readonly collections = new Transactions<CollectionCode>(
    'collection',
    collectionScenarioOf,
    new Receipts((atMs) => newMoneyId('MP', atMs)),
    this.recorder,
  );
  readonly payouts = new Transactions<PayoutCode>(
    'payout',
    payoutScenarioOf,
    new Receipts((atMs) => newMoneyId('CI', atMs)),
    this.recorder,
  );
  readonly withdrawals = new Withdrawals(this.recorder);
  /** The end of each token, by its SHA-256. */
  readonly tokens = new Map<string, number>();
  /** The settings that were made in the portal. */
  portal: PortalSettings = {};
  private readonly throttled = new Map<string, number>();
  private journal!: Journal;

  private constructor(private readonly floatMinor: Minor) {}

  /** The wallet that collections are paid into. It begins at zero. */
  get collectedMinor(): Minor {
    return this.collections.paidMinor - this.withdrawals.sumMinor;
  }

  /** The wallet that payouts leave from. It begins with the float. */
  get payableMinor(): Minor {
    return this.floatMinor - this.payouts.paidMinor;
  }

  /**
   * @param floatMinor the opening balance of the wallet that pays out
   * @throws if the journal at that path cannot be used
   */
  static async open(
    path: string,
    floatMinor: Minor,
    onFailure: (error: Error) => void,
  ): Promise<Memory> {
    const memory = new Memory(floatMinor);
    memory.journal = await Journal.open(
      { path, app: 'airtel-simulator' },
      (record) => {
        memory.replay(record as JournalRecord);
      },
      onFailure,
    );
    return memory;
  }

  /** Adds a token. Those that have ended are forgotten. */
  async addToken(sha256: string, expiresAtMs: number, nowMs: number): Promise<void> {
    for (const [one, endsAtMs] of this.tokens) if (endsAtMs <= nowMs) this.tokens.delete(one);
    this.tokens.set(sha256, expiresAtMs);
    await this.recorder.append({ kind: 'token', sha256, expiresAtMs });
  }

  async setPortal(settings: PortalSettings): Promise<void> {
    this.portal = settings;
    await this.recorder.append({ kind: 'portal', settings });
  }

  /** The number of requests in a row for the number that were refused with HTTP 429. */
  throttledOf(msisdn: string): number {
    return this.throttled.get(msisdn) ?? 0;
  }

  async setThrottled(msisdn: string, times: number): Promise<void> {
    this.throttled.set(msisdn, times);
    await this.recorder.append({ kind: 'throttled', msisdn, times });
  }

  close(): Promise<void> {
    return this.journal.close();
  }

  private replay(record: JournalRecord): void {
    switch (record.kind) {
      case 'accepted':
      case 'reached':
      case 'told':
      case 'enquired':
        (record.of === 'collection' ? this.collections : this.payouts).replay(record);
        return;
      case 'sweep':
      case 'refund':
      case 'refund-refused':
        this.withdrawals.replay(record);
        return;
      case 'token':
        this.tokens.set(record.sha256, record.expiresAtMs);
        return;
      case 'portal':
        this.portal = record.settings;
        return;
      case 'throttled':
        this.throttled.set(record.msisdn, record.times);
    }
  }
}
