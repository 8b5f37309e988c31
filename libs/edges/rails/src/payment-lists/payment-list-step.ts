import {
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type ListedPayment,
  viewOf,
} from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { backoffMs, Metrics } from '#infra/runtime';
import { sealEvidence } from '#shared/signing';
import { type Bearer, findBearers } from '#views/reconciliations';
import { Injectable, Logger } from '@nestjs/common';
import { CallbackKeys } from '../callback/callback-keys.js';
import { CollectionsClient } from '../collections-client.js';
import { QueriedAnswers } from '../query/queried-answers.js';
import { RailQuestions } from '../query/rail-questions.js';
import { type TakenAnswer, type TakenPayment } from '../rail-adapter.js';
import { type DueDay, type EndedDay, TakenDays, type UnmatchedPayment } from './taken-days.js';
import { PaymentListRails } from './payment-list-rails.js';

const firstPauseMs = 60_000;
const maxPauseMs = 30 * 60_000;
/**
 * The longest pause between questions about a day that may have had no payments. There is time until the rail forgets
 * it.
 */
const maxQuietPauseMs = 4 * 3_600_000;

/** Finds the items of ours to which a payment of the rail belongs, by its receipt and by its code. */
export abstract class Bearers {
  /** @throws DependencyUnavailable if the views may not answer */
  abstract of(
    day: Pick<DueDay, 'mode' | 'day' | 'untilMs' | 'dayEndsMs' | 'isForgottenSoon'>,
    payments: readonly TakenPayment[],
  ): Promise<ReadonlyMap<string, readonly Bearer[]>>;
}

@Injectable()
export class ProjectedBearers extends Bearers {
  constructor(private readonly database: Database) {
    super();
  }

  override of(day: Parameters<Bearers['of']>[0], payments: readonly TakenPayment[]) {
    return findBearers(this.database, { ...day, payments });
  }
}

/** The outcome of a payment. `settled`: a query has just posted it. */
type Outcome = 'known' | 'settled' | UnmatchedPayment['why'];

/** Settles collections that have the code of a payment in the rail's list. */
@Injectable()
export class FoundCollections {
  constructor(
    private readonly collections: CollectionsClient,
    private readonly questions: RailQuestions,
    private readonly answers: QueriedAnswers,
    private readonly keys: CallbackKeys,
  ) {}

  /**
   * Asks the rail about the push itself, whose "paid" posts it. The collection goes to review if that does not settle
   * it, or if the payment has another amount: a query's answer names no amount and would post the requested one.
   */
  async settle(
    channel: string,
    key: CollectionKey,
    payment: ListedPayment,
  ): Promise<Exclude<Outcome, 'nobody_asked'>> {
    const stream = collectionStream(key);
    if (await this.collections.hasMoney(stream)) return this.compare(channel, key, payment);
    const state = await this.collections.stateOf(key);
    const isAskable = state.status !== 'none' && state.intent.amountMinor === payment.amountMinor;
    const railReference = isAskable ? viewOf(state).railReference : undefined;
    const { mode } = key;
    if (railReference !== undefined && this.questions.mayAsk({ channel, mode })) {
      const answer = await this.questions.ask({ channel, mode, railReference });
      if (answer.kind === 'paid') {
        await this.answers.report({ key, channel, railReference, answer, previous: undefined });
        if (await this.collections.hasMoney(stream)) {
          const compared = await this.compare(channel, key, payment);
          return compared === 'known' ? 'settled' : compared;
        }
      }
    }
    await this.collections.flag(key, 'found_at_rail', this.metadataOf(channel));
    return 'not_settled';
  }

  /**
   * Compares the payment with the collection's money according to the log, because the views lag. Only one of two
   * payments with the same code is that money, on whatever pages or days they are.
   */
  private async compare(
    channel: string,
    key: CollectionKey,
    { receipt, amountMinor }: ListedPayment,
  ): Promise<'known' | 'paid_twice'> {
    const listed = { receipt, amountMinor };
    const metadata = this.metadataOf(channel, listed);
    const compared = await this.collections.recordListed(key, listed, metadata);
    return compared === 'own' ? 'known' : 'paid_twice';
  }

  private metadataOf(channel: string, listed?: ListedPayment): CommandMetadata {
    const { ids, keyring } = this.keys;
    const told = listed && { ...listed, amountMinor: listed.amountMinor.toString() };
    return {
      correlationId: ids.next(),
      actor: { kind: 'rail', id: channel },
      ...(told ? sealEvidence(keyring, { listed: told }) : {}),
    };
  }
}

/** Compares the payments that a rail says it took with the ledger. */
@Injectable()
export class TakenPayments {
  private readonly log = new Logger('rail payment lists');
  private readonly payments;

  constructor(
    private readonly bearers: Bearers,
    private readonly found: FoundCollections,
    metrics: Metrics,
  ) {
    this.payments = metrics.counter({
      name: 'rail_taken_payments_total',
      help: 'Payments that the rail says it took, by what is known of them here',
      labels: ['channel', 'mode', 'outcome'],
    });
  }

  /** @returns the payments that the ledger does not have and no query settles. @throws DependencyUnavailable */
  async judge(
    day: DueDay,
    { payments, unreadable }: Extract<TakenAnswer, { kind: 'page' }>,
  ): Promise<readonly UnmatchedPayment[]> {
    const { channel, mode } = day;
    if (unreadable > 0) {
      this.payments.inc({ channel, mode, outcome: 'unreadable' }, unreadable);
      const about = { channel, mode, day: day.day, count: unreadable };
      this.log.error({ msg: 'payments of the rail cannot be read', ...about });
    }
    const bearers = await this.bearers.of(day, payments);
    const unmatched: UnmatchedPayment[] = [];
    for (const payment of payments) {
      const { receipt } = payment;
      const of = bearers.get(receipt) ?? [];
      const { outcome, stream } = await this.outcomeOf(day, payment, of);
      this.payments.inc({ channel, mode, outcome });
      if (outcome === 'known' || outcome === 'settled') continue;
      const msg = 'the rail took money that the ledger does not hold';
      this.log.warn({ msg, why: outcome, receipt });
      unmatched.push({ ...payment, why: outcome, ...(stream === undefined ? {} : { stream }) });
    }
    return unmatched;
  }

  private async outcomeOf(
    { channel }: DueDay,
    payment: TakenPayment,
    bearers: readonly Bearer[],
  ): Promise<{ readonly outcome: Outcome; readonly stream?: string }> {
    const settled = bearers.filter(({ isHere }) => isHere);
    if (settled.some(({ receipts }) => receipts.includes(payment.receipt)))
      return { outcome: 'known' };
    const bare = settled.find(({ receipts }) => receipts.length === 0);
    const [other] = settled;
    if (!bare && other) return { outcome: 'paid_twice', stream: other.stream };
    const [of] = bare ? [bare] : bearers;
    if (!of) return { outcome: 'nobody_asked' };
    const { stream } = of;
    const key = collectionKeyOf(stream);
    if (!key) return { outcome: 'not_settled', stream };
    return { outcome: await this.found.settle(channel, key, payment), stream };
  }
}

/**
 * Asks each rail that can list its payments, once a day, for yesterday's, page by page. A status query settles what it
 * can, and the rest goes to people. Nothing is posted on the rail's list alone (REC-20, REC-21).
 */
@Injectable()
export class PaymentListStep {
  private readonly log = new Logger('rail payment lists');
  private readonly asked;
  private readonly failures;
  /**
   * For each rail's mode, the content of the page before, so that a page that repeats forever is not asked for forever.
   */
  private readonly before = new Map<string, { readonly offset: number; readonly told: string }>();

  constructor(
    private readonly rails: PaymentListRails,
    private readonly days: TakenDays,
    private readonly payments: TakenPayments,
    metrics: Metrics,
  ) {
    this.asked = metrics.counter({
      name: 'rail_taken_days_total',
      help: 'Days about which the rail was asked; missed: it told nothing while it could; untold: it named no payment, and the ledger holds none',
      labels: ['channel', 'mode', 'outcome'],
    });
    this.failures = metrics.counter({
      name: 'rail_taken_failures_total',
      help: 'Questions what it took that the rail did not answer',
      labels: ['channel', 'mode', 'why'],
    });
  }

  /** @param only limits the step to that mode's days; both modes if omitted. @throws DependencyUnavailable */
  async step(only?: Mode): Promise<'idle' | 'busy'> {
    const rails = this.rails.all().filter(({ mode }) => only === undefined || mode === only);
    if (rails.length === 0) return 'idle';
    const { day, ended } = await this.days.due(rails);
    for (const each of ended) this.noteEnded(each);
    return day && (await this.ask(day)) ? 'busy' : 'idle';
  }

  private noteEnded({ channel, mode, day, outcome }: EndedDay): void {
    this.asked.inc({ channel, mode, outcome });
    if (outcome === 'missed')
      this.log.error({
        msg: 'the rail cannot be asked any more what it took',
        channel,
        mode,
        day,
      });
    else
      this.log.warn({
        msg: 'the rail told of no payment, and the ledger holds none of that day',
        channel,
        mode,
        day,
      });
  }

  /** @returns true if the rail answered */
  private async ask(day: DueDay): Promise<boolean> {
    const { channel, mode, fromMs, untilMs, offset } = day;
    const about = { channel, mode, day: day.day };
    const answer = await this.rails.ask(day, { fromMs, untilMs, offset });
    if (answer.kind === 'nothing_told') return this.nothingTold(day);
    if (offset === 0 && isEmpty(answer) && (await this.days.holdsMoney(day)) !== false)
      return this.nothingTold(day);
    if (answer.kind !== 'page') {
      this.failures.inc({ channel, mode, why: answer.kind });
      const pauseMs = backoffMs(day.attempt, firstPauseMs, maxPauseMs);
      this.log.warn({ msg: 'the rail did not tell what it took', ...about, pauseMs });
      await this.days.putOff(day, pauseMs);
      return false;
    }
    const isRepeated = this.isRepeated(day, answer);
    if (isRepeated) {
      this.failures.inc({ channel, mode, why: 'repeated_page' });
      this.log.error({ msg: 'the rail tells the same page again and again', ...about, offset });
    }
    const unmatched = await this.payments.judge(day, answer);
    const next = isRepeated ? undefined : answer.next;
    await this.days.asked(day, { payments: answer.payments.length, unmatched, next });
    if (next === undefined) {
      this.asked.inc({ channel, mode, outcome: 'asked' });
      this.log.log({ msg: 'the rail told what it took', ...about });
    }
    return true;
  }

  /**
   * Handles an answer without a payment, which does not prove a quiet day (RAIL-30): the rail's list may not know the
   * short code. If the ledger has money on that day, the answer is wrong.
   */
  private async nothingTold(day: DueDay): Promise<boolean> {
    const { channel, mode } = day;
    const about = { channel, mode, day: day.day };
    const held = await this.days.holdsMoney(day);
    const isWrong = held === true;
    this.failures.inc({ channel, mode, why: isWrong ? 'money_not_told' : 'nothing_told' });
    if (isWrong) {
      const msg =
        'the rail tells of no payment on a day of which the ledger holds money: is the short code registered for the list?';
      this.log.error({ msg, ...about });
    } else if (day.isForgottenSoon && day.offset === 0 && held === false) {
      await this.days.untold(day);
      this.noteEnded({ ...about, outcome: 'untold' });
      return true;
    }
    const pauseMs = backoffMs(day.attempt, firstPauseMs, isWrong ? maxPauseMs : maxQuietPauseMs);
    if (!isWrong) this.log.log({ msg: 'the rail told of no payment', ...about, pauseMs });
    await this.days.putOff(day, pauseMs, true);
    return false;
  }

  /**
   * True if another offset of the same day gave the same page before, so that the rail ignores offsets. The same offset
   * may be asked for again, if its page could not be recorded.
   */
  private isRepeated(
    { channel, mode, day, offset }: DueDay,
    { payments, unreadable }: Extract<TakenAnswer, { kind: 'page' }>,
  ): boolean {
    const name = `${channel} ${mode}`;
    const told = [day, unreadable, ...payments.map(({ receipt }) => receipt)].join(' ');
    const before = this.before.get(name);
    this.before.set(name, { offset, told });
    const isSame = before?.told === told && before.offset < offset;
    return isSame && payments.length + unreadable > 0;
  }
}

function isEmpty(answer: TakenAnswer): boolean {
  return answer.kind === 'page' && answer.payments.length + answer.unreadable === 0;
}
