import { randomUUID } from 'node:crypto';
import { type CorrectionEvent, correctionStream } from '#domain/corrections';
import { type ReservationEvent, reservationsStream } from '#domain/ledger';
import { eventually, openStore, pesapost, type Service } from '#testing';
import { expect } from '@jest/globals';
import { type CrashFlow } from './crash-flows.js';
import {
  callsReturned,
  commandDiesAt,
  dieAt,
  firstSince,
  type Passing,
  passingsOf,
} from './crash-points.js';
import { type RecordsUnderTest } from './records.js';

const trace = { CRASH_AT: 'trace' } as const;
/** The worker ignores a reservation for half a minute: its clock is ahead. */
const later = { CLOCK_OFFSET: '1m' } as const;
const fundsMinor = 1_000_000;
const amountMinor = 100;

/** An account that only corrections move, so that the collections' own sums stay separate. */
export class CorrectedAccount {
  readonly ids: string[] = [];

  private constructor(
    readonly service: Service,
    readonly accountNo: string,
  ) {}

  /** Opens it, and credits it by a correction that reserves nothing. */
  static async open(service: Service): Promise<CorrectedAccount> {
    const whose = ['--merchant', service.merchant.credentials.merchantId, '--mode', 'demo'];
    const why = ['--reason', 'test', '--as', 'spec'];
    const opened = await pesapost(
      service.env,
      ...['account', 'open', '--currency', 'KES', ...whose, ...why],
    );
    const account = new CorrectedAccount(service, opened['account_no'] ?? '');
    await account.confirm(await account.propose(fundsMinor));
    await eventually(
      () => account.balance(),
      ({ available_minor }) => available_minor === fundsMinor,
    );
    return account;
  }

  /** Proposes to take an amount out of it, under a receipt of its own. */
  async take(): Promise<string> {
    const receipt = `RC${String(this.ids.length).padStart(8, '0')}`;
    const id = await this.propose(-amountMinor, ['--receipt', receipt]);
    this.ids.push(id);
    return id;
  }

  /** The arguments of the second operator's command. */
  confirmation(id: string): string[] {
    return ['correction', 'confirm', id, '--mode', 'demo', '--as', 'joseph'];
  }

  async confirm(id: string): Promise<void> {
    const { status } = await pesapost(this.service.env, ...this.confirmation(id));
    expect({ id, status }).toEqual({ id, status: 'posted' });
  }

  async balance(): Promise<Readonly<Record<string, unknown>>> {
    const { body } = await this.service.merchant.get(`/api/v4/accounts/${this.accountNo}/balance`);
    const { posted_minor, reserved_minor, available_minor } = body;
    return { posted_minor, reserved_minor, available_minor };
  }

  /** The balance when all corrections except `left` are posted, and `left` is reserved. */
  balanceWith(left: number): Readonly<Record<string, unknown>> {
    const available_minor = fundsMinor - this.ids.length * amountMinor;
    const reserved_minor = left * amountMinor;
    return { posted_minor: available_minor + reserved_minor, reserved_minor, available_minor };
  }

  /** The number of reservations and postings of each correction. */
  async timesInLog(): Promise<readonly { id: string; reserved: number; posted: number }[]> {
    const store = openStore(this.service.env['EVENTSTORE_URL']);
    const { merchantId } = this.service.merchant.credentials;
    const wallet = {
      mode: 'demo',
      merchantId,
      accountNo: this.accountNo,
      currency: 'KES',
    } as const;
    try {
      const reservations = await store.readStream<ReservationEvent>(reservationsStream(wallet));
      const counts = [];
      for (const id of this.ids) {
        const stream = correctionStream({ mode: 'demo', id });
        const events = await store.readStream<CorrectionEvent>(stream);
        const posted = events.filter(({ type }) => type === 'CorrectionPosted').length;
        const reserved = reservations.filter(({ data }) => data.source === stream).length;
        counts.push({ id, reserved, posted });
      }
      return counts;
    } finally {
      await store.dispose();
    }
  }

  private async propose(minor: number, more: readonly string[] = []): Promise<string> {
    const id = randomUUID();
    await pesapost(
      this.service.env,
      ...['correction', 'post', '--id', id, '--mode', 'demo', '--currency', 'KES'],
      ...['--merchant', this.service.merchant.credentials.merchantId, ...more],
      ...['--leg', `wallet:${this.accountNo}=${minor}`, '--leg', `rail-clearing:mpesa=${-minor}`],
      ...['--reason', 'test', '--as', 'asha'],
    );
    return id;
  }
}

/** A second operator's command, which dies and is repeated. */
export class ConfirmationFlow implements CrashFlow {
  /** No collection is driven. */
  readonly references = [];

  constructor(private readonly account: CorrectedAccount) {}

  async learn(): Promise<Passing[]> {
    const words = this.account.confirmation(await this.account.take());
    const command = this.account.service.spawnCommand(words, trace);
    expect(await command.ended).toBe(0);
    return passingsOf(command);
  }

  async crash(at: Passing): Promise<void> {
    const id = await this.account.take();
    await commandDiesAt(this.account.service, this.account.confirmation(id), at);
    await this.account.confirm(id);
  }
}

/** The command died between the reservation and the posting and is not repeated: the worker posts, and dies too. */
export class CompletionFlow implements CrashFlow {
  /** No collection is driven. */
  readonly references = [];

  constructor(
    private readonly account: CorrectedAccount,
    private readonly records: RecordsUnderTest,
  ) {}

  async learn(): Promise<Passing[]> {
    await this.leftReserved();
    expect(await this.account.balance()).toEqual(this.account.balanceWith(1));
    const worker = await this.completing(trace);
    await callsReturned(worker);
    // The rail's balance is asked for once in hours, so only this worker passes that point twice.
    const others =
      /inbox|unopened|quer|silent|receipt|delete records|webhook|lease-acquire|rail:balance/;
    const learned = firstSince(passingsOf(worker), 'postgres:reservations-left:before', others);
    worker.signal('SIGTERM');
    await worker.ended;
    return learned;
  }

  async crash(at: Passing): Promise<void> {
    await this.leftReserved();
    await dieAt(this.account.service, { app: 'worker', at, settings: later });
  }

  /** A worker that does not die posts the rest. */
  async converge(): Promise<void> {
    const worker = await this.completing();
    worker.signal('SIGTERM');
    await worker.ended;
  }

  private async completing(settings: Readonly<Record<string, string>> = {}) {
    const worker = await this.account.service.startReplica('worker', { ...later, ...settings });
    await eventually(
      () => this.account.balance(),
      ({ reserved_minor }) => reserved_minor === 0,
    );
    return worker;
  }

  private async leftReserved(): Promise<void> {
    const { service } = this.account;
    const id = await this.account.take();
    const at = { point: 'eventstore:append CorrectionPosted:before', pass: 1 };
    await commandDiesAt(service, this.account.confirmation(id), at);
    const stream = correctionStream({ mode: 'demo', id });
    await eventually(() => this.records.isReserved(stream), Boolean);
  }
}
