import { Injectable, Logger } from '@nestjs/common';
import { Clock, type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { type ReceiptStanding, receiptStanding } from '#views/transactions';
import { ExtraPace } from '../query/extra-pace.js';
import { type TakenPayment } from '../rail-adapter.js';
import { UnknownResults } from '../report-metrics.js';
import { type NamedReceipt, ReceiptRails } from './receipt-rails.js';

const minuteMs = 60_000;
/** The rail takes over a minute to say that it does not know a receipt. */
const answerWithinMs = 2 * minuteMs;
/** After this time no question about a notice's receipt is asked: a person decides. */
const giveUpMs = 60 * minuteMs;
/** A question that the rail did not take is tried again after this time. */
const notTakenMs = minuteMs;
const turnMs = 2000;
/** Further wrong passwords would lock the initiator, who also pays out. */
const refusedMs = 15 * minuteMs;
/** One question a second, since strangers cause them. */
const bounds = { least: 1000, most: minuteMs } as const;

/** An answer that tells of no payment to us. */
interface Unpaid {
  readonly mode: Mode;
  readonly code?: string;
  readonly isAskerRefused?: boolean;
}

/** Asks the rail about the receipts of notices that are not believed (C2B-19). All questions of a mode share one pace. */
@Injectable()
export class ReceiptQuestions {
  private readonly log = new Logger('rail notices');
  private readonly pace = new ExtraPace(bounds);
  /** The times of this process's last questions. Several notices may name one receipt. */
  private readonly askedAtMs = new Map<string, number>();
  /** When the rail last refused the initiator, by channel and mode. */
  private readonly refusedAtMs = new Map<string, number>();
  private readonly asked;
  private readonly unknownResults;

  constructor(
    private readonly rails: ReceiptRails,
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.unknownResults = new UnknownResults(metrics);
    this.asked = metrics.counter({
      name: 'rail_receipt_questions_total',
      help: 'Questions about the receipts of notices that were not believed, by what the rail made of them',
      labels: ['channel', 'mode', 'outcome'],
    });
  }

  /** True if this process can ask about the mode's receipts. */
  canAsk(of: Pick<NamedReceipt, 'channel' | 'mode'>): boolean {
    return this.rails.canAsk(of);
  }

  /** Counts a result code of an answer that is in no list of ours (RAIL-10), and pauses if the initiator was refused. */
  answered(channel: string, { mode, code, isAskerRefused = false }: Unpaid): void {
    this.unknownResults.count(mode, 'query', code);
    if (!isAskerRefused) return;
    this.refusedAtMs.set(`${channel} ${mode}`, this.clock.nowMs());
    this.log.warn({ msg: 'the initiator of questions about receipts was refused', channel, mode });
  }

  /** Looks up whether an item has the payment's receipt. @throws DependencyUnavailable */
  standingOf(mode: Mode, payment: TakenPayment): Promise<ReceiptStanding> {
    return receiptStanding(this.database, mode, payment);
  }

  /**
   * Asks about the receipt if it is time to.
   * @param ageMs since the notice came
   * @returns the pause before the next look; undefined if no question follows
   */
  async ask(of: NamedReceipt, ageMs: number): Promise<number | undefined> {
    const leftMs = giveUpMs - ageMs;
    if (leftMs <= 0) return undefined;
    return Math.min(leftMs, await this.askNow(of, ageMs));
  }

  private async askNow(of: NamedReceipt, ageMs: number): Promise<number> {
    const nowMs = this.clock.nowMs();
    const { channel, mode, receipt } = of;
    const name = `${channel} ${mode}`;
    const waitsMs = this.waitsFor(`${name} ${receipt}`, nowMs);
    if (waitsMs > 0) return waitsMs;
    const pausedMs = this.pausedFor(name, nowMs);
    if (pausedMs > 0) return pausedMs;
    if (!this.pace.takesTurn(name, nowMs)) return turnMs;
    this.askedAtMs.set(`${name} ${receipt}`, nowMs);
    const outcome = await this.rails.ask(of);
    this.asked.inc({ channel, mode, outcome });
    this.pace.heard(name, outcome !== 'not_asked');
    if (outcome === 'not_asked') this.askedAtMs.delete(`${name} ${receipt}`);
    const told = { msg: 'asked about the receipt of a notice', channel, mode, receipt, outcome };
    if (outcome === 'taken') this.log.log(told);
    else this.log.warn(told);
    // The gap doubles with the age of the notice.
    return outcome === 'not_asked' ? notTakenMs : Math.max(answerWithinMs, 2 * ageMs);
  }

  private pausedFor(name: string, nowMs: number): number {
    const atMs = this.refusedAtMs.get(name);
    // A clock that was set back must not pause the questions for longer.
    return atMs === undefined || nowMs < atMs ? 0 : refusedMs - (nowMs - atMs);
  }

  /** Returns how long an earlier question about the receipt may still be answered. Forgets the others. */
  private waitsFor(key: string, nowMs: number): number {
    for (const [asked, atMs] of this.askedAtMs)
      if (Math.abs(nowMs - atMs) >= answerWithinMs) this.askedAtMs.delete(asked);
    const atMs = this.askedAtMs.get(key);
    return atMs === undefined ? 0 : answerWithinMs - (nowMs - atMs);
  }
}
