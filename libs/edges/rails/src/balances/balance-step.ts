import { CompareRailBalance, isOpenOutcome } from '#domain/settlements';
import { DependencyUnavailable, type Mode, msFromInstant } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { sealEvidence } from '#shared/signing';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CallbackKeys } from '../callback/callback-keys.js';
import { type RailAccount } from '../payouts/rail-floats.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { BalanceRails } from './balance-rails.js';
import { type BalanceRound, BalanceRounds, type ToldBalance } from './balance-rounds.js';
import { RailLedger } from './clearing-figures.js';

/** The pause before answers are looked at. */
const lookAgainMs = 2000;
/** The pause after which views or servers that were not available are tried again. */
const unavailableMs = 5000;
/** A question without an answer is asked again after this time, and later ones after a multiple of it. */
const answerWithinMs = 30_000;
/** Questions of one round; then the rail is left alone for an hour. */
const maxAttempts = 5;
const hourMs = 3_600_000;

/** The rail's side, the ledger's, and what is recorded of both. */
@Injectable()
export class BalanceSides {
  constructor(
    readonly rails: BalanceRails,
    readonly rounds: BalanceRounds,
    readonly ledger: RailLedger,
    readonly options: RailWorkOptions,
  ) {}
}

/**
 * Asks each rail once a day for the balances of its own accounts, and compares them with the ledger (BAL-2). After a
 * difference it asks again each hour.
 */
@Injectable()
export class BalanceStep {
  private readonly log = new Logger('rail balance');
  private readonly metrics;

  constructor(
    private readonly sides: BalanceSides,
    private readonly bus: CommandBus,
    private readonly keys: CallbackKeys,
    metrics: Metrics,
  ) {
    this.metrics = metricsIn(metrics);
  }

  /** @throws DependencyUnavailable, for example while the views are behind */
  async step(mode: Mode): Promise<'idle'> {
    const { rails, rounds } = this.sides;
    for (const account of rails.accounts(mode)) {
      const round = await rounds.due(account);
      if (round) await this.workOrPutOff(account, round);
    }
    return 'idle';
  }

  /** The views are seldom behind for long, so the lease need not end first. */
  private async workOrPutOff(account: RailAccount, round: BalanceRound): Promise<void> {
    try {
      await this.work(account, round);
    } catch (error) {
      if (error instanceof DependencyUnavailable)
        await this.sides.rounds.putOff(account, unavailableMs);
      throw error;
    }
  }

  private async work(account: RailAccount, round: BalanceRound): Promise<void> {
    const { rails, rounds, options } = this.sides;
    const { askedAtMs, attempts, told } = round;
    if (askedAtMs === undefined) return this.ask(account);
    if (rails.shortCodes(account).every((code) => told.some((of) => of.shortCode === code))) {
      const dueMs = timeOf(told) + options.balanceSettleMs;
      const leftMs = dueMs - rails.nowMs();
      return leftMs > 0 ? rounds.putOff(account, leftMs) : this.compare(account, told);
    }
    if (rails.nowMs() - askedAtMs < answerWithinMs * attempts)
      return rounds.putOff(account, lookAgainMs);
    this.metrics.questions.inc({ ...account, outcome: 'unanswered' });
    if (attempts < maxAttempts) return this.ask(account);
    this.log.error({ msg: 'the rail does not report its balance', ...account, attempts });
    await rounds.ended(account, this.pauseMs);
  }

  private async ask(account: RailAccount): Promise<void> {
    const { rails, rounds } = this.sides;
    const askedAtMs = rails.nowMs();
    // Recorded first: an answer may come before the rail acknowledges the question.
    await rounds.asked(account, askedAtMs, lookAgainMs);
    for (const shortCode of rails.shortCodes(account)) {
      const outcome = await rails.ask(account, shortCode, askedAtMs);
      this.metrics.questions.inc({ ...account, outcome });
      if (outcome !== 'taken')
        this.log.warn({ msg: 'the rail did not take the question', ...account, outcome });
    }
  }

  private async compare(account: RailAccount, told: readonly ToldBalance[]): Promise<void> {
    const { rounds, ledger, options } = this.sides;
    const accounts = told.flatMap(({ shortCode, accounts: of }) =>
      of.map(({ currency: _currency, ...each }) => ({ shortCode, ...each })),
    );
    const [currency = '', ...others] = new Set(
      told.flatMap(({ accounts: of }) => of.map((each) => each.currency)),
    );
    if (others.length > 0) throw new TypeError('a rail’s accounts have one currency');
    const latest = told.toSorted((one, other) => (one.asOf < other.asOf ? 1 : -1))[0];
    if (!latest) throw new TypeError('a round has an answer');
    const { asOf } = latest;
    const figures = await ledger.asOf({ ...account, currency }, asOf);
    const { keyring, ids } = this.keys;
    const answers = told.map(({ shortCode, digest }) => ({ shortCode, digest }));
    const compared = await this.bus.execute(
      new CompareRailBalance(
        { ...account, currency, asOf, accounts, ...figures },
        {
          correlationId: ids.next(),
          actor: { kind: 'rail', id: account.channel },
          ...sealEvidence(keyring, { answers }),
        },
      ),
    );
    this.metrics.compared.inc({ ...account, outcome: compared.outcome });
    const isOpen = isOpenOutcome(compared.outcome);
    const { heldMinor, ledgerMinor, openingMinor, differenceMinor, outcome } = compared;
    const facts = { ...account, outcome, heldMinor, ledgerMinor, openingMinor, differenceMinor };
    const texts = Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [name, String(value)]),
    );
    if (outcome === 'differs')
      this.log.error({ msg: 'THE RAIL’S BALANCE DIFFERS from the ledger', ...texts });
    else this.log.log({ msg: 'the rail’s balance was compared', ...texts });
    await rounds.ended(account, isOpen ? this.pauseMs : options.balanceEveryMs);
  }

  private get pauseMs(): number {
    return Math.min(hourMs, this.sides.options.balanceEveryMs);
  }
}

function timeOf(told: readonly ToldBalance[]): number {
  return Math.max(...told.map(({ asOf }) => msFromInstant(asOf)));
}

function metricsIn(metrics: Metrics) {
  const labels = ['channel', 'mode', 'outcome'] as const;
  return {
    questions: metrics.counter({
      name: 'rail_balance_questions_total',
      help: 'Questions for the balance of the rail’s own accounts, by outcome',
      labels,
    }),
    compared: metrics.counter({
      name: 'rail_balance_compared_total',
      help: 'Comparisons of the rail’s balance with the ledger, by outcome',
      labels,
    }),
  };
}
