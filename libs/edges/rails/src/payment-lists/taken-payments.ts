import {
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type ListedPayment,
  viewOf,
} from '#domain/collections';
import { WrongExpectedRevision } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { type Bearer, findBearers, type FoundBearers } from '#views/reconciliations';
import { Injectable, Logger } from '@nestjs/common';
import { CallbackKeys } from '../callback/callback-keys.js';
import { listedMetadata } from '../callback/rail-messages.js';
import { CollectionsClient } from '../collections-client.js';
import { type ToldUnasked, UnaskedPayments } from '../notices/unasked-payments.js';
import { QueriedAnswers } from '../query/queried-answers.js';
import { RailQuestions } from '../query/rail-questions.js';
import { type TakenAnswer, type TakenPayment } from '../rail-adapter.js';
import { type DueDay, type UnmatchedPayment } from './taken-days.js';
import { TakenSweeps } from './taken-sweeps.js';

/** Finds the items of ours to which a payment of the rail belongs, by its receipt and by its code. */
export abstract class Bearers {
  /** @throws DependencyUnavailable if the views may not answer */
  abstract of(
    day: Pick<DueDay, 'channel' | 'mode' | 'day' | 'untilMs' | 'dayEndsMs' | 'isForgottenSoon'>,
    payments: readonly TakenPayment[],
  ): Promise<FoundBearers>;
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

/** The outcome of a payment. `settled`: a query has just posted it. `received`: it came without a push. */
type Outcome = 'known' | 'settled' | 'received' | UnmatchedPayment['why'];

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
  ): Promise<Exclude<Outcome, 'nobody_asked' | 'received'>> {
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
    const actor = { kind: 'rail', id: channel } as const;
    const metadata = { correlationId: this.keys.ids.next(), actor };
    await this.collections.flag(key, 'found_at_rail', metadata);
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
    const metadata = listedMetadata(this.keys, channel, listed);
    const compared = await this.collections.recordListed(key, listed, metadata);
    return compared === 'own' ? 'known' : 'paid_twice';
  }
}

/** Brings entries of a rail's list into the ledger. */
@Injectable()
export class TakenRecorders {
  constructor(
    readonly found: FoundCollections,
    readonly unasked: UnaskedPayments,
    readonly sweeps: TakenSweeps,
  ) {}
}

/** Compares the payments that a rail says it took with the ledger. */
@Injectable()
export class TakenPayments {
  private readonly log = new Logger('rail payment lists');
  private readonly payments;

  constructor(
    private readonly bearers: Bearers,
    private readonly recorders: TakenRecorders,
    metrics: Metrics,
  ) {
    this.payments = metrics.counter({
      name: 'rail_taken_payments_total',
      help: 'Entries of the rail’s list of payments, by what is known of them here',
      labels: ['channel', 'mode', 'outcome'],
    });
  }

  /**
   * @param notice the only payment's notice, if the rail sent one; else the list is the source
   * @returns `unmatched`: the payments that the ledger does not have and no query settles. `recorded`: the number of
   *   those that this call brought into it
   * @throws DependencyUnavailable
   */
  async judge(
    day: DueDay,
    { payments, sweeps, transfers, unreadable }: Extract<TakenAnswer, { kind: 'page' }>,
    notice?: ToldUnasked,
  ): Promise<{ readonly unmatched: readonly UnmatchedPayment[]; readonly recorded: number }> {
    const { channel, mode } = day;
    if (transfers) this.payments.inc({ channel, mode, outcome: 'transfer' }, transfers);
    if (unreadable > 0) {
      this.payments.inc({ channel, mode, outcome: 'unreadable' }, unreadable);
      const about = { channel, mode, day: day.day, count: unreadable };
      this.log.error({ msg: 'payments of the rail cannot be read', ...about });
    }
    const { byReceipt, isWhole } = await this.bearers.of(day, payments);
    const unmatched: UnmatchedPayment[] = [];
    let recorded = 0;
    for (const payment of payments) {
      const { receipt } = payment;
      const of = byReceipt.get(receipt) ?? [];
      const told = notice ?? this.recorders.unasked.listed(day, payment);
      const judging = this.outcomeOf(told, of, isWhole);
      const { outcome, stream } = await (notice
        ? judging
        : judging.catch(this.unless(of, receipt)));
      this.payments.inc({ channel, mode, outcome });
      if (outcome === 'settled' || outcome === 'received') recorded += 1;
      if (outcome === 'known' || outcome === 'settled' || outcome === 'received') continue;
      const msg = 'the rail took money that the ledger does not hold';
      this.log.warn({ msg, why: outcome, receipt });
      unmatched.push({ ...payment, why: outcome, ...(stream === undefined ? {} : { stream }) });
    }
    // Last: a sweep that cannot be posted yet must hold no payment back.
    for (const sweep of sweeps ?? [])
      this.payments.inc({ channel, mode, outcome: await this.recorders.sweeps.post(day, sweep) });
    return { unmatched, recorded };
  }

  /**
   * Gives a payment to a person if its collection cannot be read or decided, so that it does not keep back the payments
   * behind it (REC-40). An outage is none of this: the page is asked for again.
   */
  private unless([bearer]: readonly Bearer[], receipt: string) {
    return (error: unknown): { readonly outcome: Outcome; readonly stream?: string } => {
      if (error instanceof DependencyUnavailable || error instanceof WrongExpectedRevision)
        throw error;
      const about = { receipt, stream: bearer?.stream };
      this.log.error({ msg: 'a payment of the rail cannot be judged', ...about, err: error });
      return { outcome: 'not_settled', ...(bearer && { stream: bearer.stream }) };
    };
  }

  private async outcomeOf(
    told: ToldUnasked,
    bearers: readonly Bearer[],
    isWhole: boolean,
  ): Promise<{ readonly outcome: Outcome; readonly stream?: string }> {
    const { channel, payment } = told;
    // It may be a push's money, which must not be in the ledger twice: a person decides (C2B-6).
    if (bearers.some(({ isCertain }) => !isCertain)) return { outcome: 'nobody_asked' };
    const settled = bearers.filter(({ isHere }) => isHere);
    if (settled.some(({ receipts }) => receipts.includes(payment.receipt)))
      return { outcome: 'known' };
    // It may be money that went out, so it posts nothing and is compared with no collection.
    if (payment.isKindUnknown) return { outcome: 'nobody_asked' };
    const bare = settled.find(({ receipts }) => receipts.length === 0);
    const [other] = settled;
    if (!bare && other) return { outcome: 'paid_twice', stream: other.stream };
    const [of] = bare ? [bare] : bearers;
    if (!of) return { outcome: await this.receive(told, isWhole) };
    const { stream } = of;
    const key = collectionKeyOf(stream);
    if (!key) return { outcome: 'not_settled', stream };
    return { outcome: await this.recorders.found.settle(channel, key, payment), stream };
  }

  /**
   * Records a payment without a push. If a push may be its bearer and was not found, it is recorded only for an account
   * that it names (REC-20).
   * @throws DependencyUnavailable, also while another worker records the receipt
   */
  private async receive(told: ToldUnasked, isWhole: boolean): Promise<'received' | 'nobody_asked'> {
    const { unasked } = this.recorders;
    const received = await (isWhole ? unasked.receive(told) : unasked.receiveNamed(told));
    if (received === 'held')
      throw new DependencyUnavailable('postgres', 'another worker is recording a receipt');
    return received === 'received' ? received : 'nobody_asked';
  }
}
