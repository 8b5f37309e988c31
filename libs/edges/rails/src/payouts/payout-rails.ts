import { type RailLimits } from '#domain/rails';
import { type Clock, type Ids, type Minor, type Mode, modes } from '#domain/kernel';
import {
  type PayoutOrder,
  type PayoutOutcome,
  PayoutRail,
  type RailPayoutName,
} from '#domain/payouts';
import { type Metrics, tracing } from '#infra/runtime';
import { type Keyring } from '#shared/signing';
import { byChannel } from '../by-channel.js';
import { purposeText, sealFloatToken, sealPayoutToken } from '../callback/callback-keys.js';
import {
  type AnsweredAtOnce,
  type AnsweredOrder,
  type Asked,
  type PayoutReports,
  type RailAdapter,
  type RailPayouts,
  type ReportAddresses,
} from '../rail-adapter.js';
import { type RailAnswers } from '../rail-answers.js';
import { accountRefusalsIn, isOfAccount } from './account-refusals.js';
import { accountName, type RailAccount, type RailFloats } from './rail-floats.js';

export interface PayoutRailsOptions {
  /** BASE_URL: the rails' reports go to this address, without a trailing slash. */
  readonly baseUrl: string;
  readonly keyring: Keyring;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly floats: RailFloats;
  readonly metrics: Metrics;
  readonly answers: RailAnswers;
}

/**
 * The amount that this process sent within a moment, kept so that it is not spent twice. An earlier float does not
 * include it.
 */
interface Spent {
  readonly untilMs: number;
  minor: Minor;
}

/**
 * A refusal that every other order would get too is clearer than no answer, so it counts as several unanswered orders.
 */
const refusalWeight = 3;

/** Amounts that are sent within one moment are counted together. */
const momentMs = 250;
/** No float is older than this. */
const countedMs = 11 * 60_000;

/** The domain's rails for payouts. Gives each order to its channel's adapter and counts it. */
export class PayoutRails extends PayoutRail {
  readonly #adapters: ReadonlyMap<string, RailPayouts>;
  readonly #reports: ReadonlyMap<string, PayoutReports>;
  readonly #spent = new Map<string, readonly Spent[]>();
  readonly #inVain = new Map<string, number>();
  readonly #given = new Map<string, number>();
  readonly #metrics;

  constructor(
    adapters: readonly RailAdapter[],
    private readonly options: PayoutRailsOptions,
  ) {
    super();
    this.#adapters = byChannel(adapters, 'payouts');
    this.#reports = byChannel(adapters, 'payoutReports');
    this.#metrics = metricsIn(options.metrics);
  }

  /**
   * The accounts that this process can pay from. Payouts of other accounts stay approved: another process may have the
   * settings, and a payout that fails only here was never declined.
   */
  get accounts(): readonly RailAccount[] {
    return [...this.#adapters].flatMap(([channel, payouts]) =>
      modes.filter((mode) => payouts.payoutLimits(mode)).map((mode) => ({ channel, mode })),
    );
  }

  /** Returns the most payouts that this process gives to the rail in a second. */
  perSecond(channel: string, mode: Mode): number {
    return this.#adapters.get(channel)?.perSecond(mode) ?? 1;
  }

  /**
   * True if the rail could be given an order now. An order that is refused only because the rail is away would fail for
   * good.
   */
  async canPay({ channel, mode }: RailAccount): Promise<boolean> {
    return (await this.#of({ channel, mode })?.canPay(mode)) ?? false;
  }

  /**
   * Returns how many orders in a row the rail's mode left without a clear answer. A refusal that every order would get
   * counts as several.
   */
  inVain(account: RailAccount): number {
    return this.#inVain.get(accountName(account)) ?? 0;
  }

  /** Returns how many orders this process has given to the rail's mode. */
  given(account: RailAccount): number {
    return this.#given.get(accountName(account)) ?? 0;
  }

  override channels(mode: Mode): readonly string[] {
    return this.accounts.filter((account) => account.mode === mode).map(({ channel }) => channel);
  }

  override payoutLimits(channel: string, mode: Mode): RailLimits | undefined {
    return this.#adapters.get(channel)?.payoutLimits(mode);
  }

  override reverses(channel: string, mode: Mode): boolean {
    return this.#adapters.get(channel)?.reverses(mode) ?? false;
  }

  override async pay({
    channel,
    stream,
    traceparent,
    ...order
  }: PayoutOrder): Promise<PayoutOutcome> {
    const { mode, amountMinor } = order;
    const payouts = this.#of({ channel, mode });
    if (!payouts) return { kind: 'refused', failureCode: 'rail_unavailable' };
    this.#given.set(accountName({ channel, mode }), this.given({ channel, mode }) + 1);
    const end = this.#metrics.seconds.startTimer({ mode });
    const addresses = this.#addresses({ channel, stream }, purposeText({ kind: 'result' }));
    // A reversal takes its money from another account than the float.
    const fromFloat = 'reverses' in order ? undefined : this.#spend({ channel, mode }, amountMinor);
    const span = tracing?.continue('rail payout', 'client', traceparent);
    const outcome = await payouts.pay({ ...order, ...addresses });
    end();
    span?.end({
      'pesapost.rail': channel,
      'pesapost.mode': mode,
      'pesapost.outcome': outcome.kind,
    });
    await fromFloat?.counted;
    this.#metrics.orders.inc({ mode, outcome: outcome.kind });
    if (outcome.kind === 'refused') await fromFloat?.giveBack();
    this.#countRefusal(mode, outcome);
    // The initiator may lack the right to reverse, which says nothing about payments (REF-12).
    if (fromFloat) this.#count({ channel, mode }, outcome);
    if (outcome.kind === 'unknown') return { kind: 'unknown' };
    const { raw: bytes, ...answer } = outcome;
    const proof =
      bytes && (await this.options.answers.kept({ kind: 'order_answer', stream, bytes }));
    return proof ? { ...answer, proof } : answer;
  }

  #count(account: RailAccount, outcome: AnsweredOrder): void {
    const name = accountName(account);
    const weight = inVainBy(outcome);
    if (weight === 'answered') this.#inVain.delete(name);
    else if (weight > 0) this.#inVain.set(name, this.inVain(account) + weight);
  }

  #countRefusal(mode: Mode, outcome: AnsweredOrder): void {
    if (outcome.kind !== 'refused' || !isOfAccount(outcome.failureCode)) return;
    this.#metrics.refusals.inc({ mode, by: 'answer', why: outcome.failureCode });
  }

  /**
   * Asks the rail for the payment's outcome. The answer arrives by callback, unless the rail answers at once.
   * @param attempt the question's number, which its answer brings back
   */
  async askAboutAgain(
    { channel, stream, ...name }: RailPayoutName,
    attempt: number,
  ): Promise<Asked | (AnsweredAtOnce & { readonly purpose: string })> {
    const { mode } = name;
    const purpose = purposeText({ kind: 'answer', attempt }, this.options.ids.next());
    const addresses = this.#addresses({ channel, stream }, purpose);
    const asked = await this.#of({ channel, mode })?.askAboutPayout({ ...name, ...addresses });
    const outcome = typeof asked === 'object' ? 'taken' : (asked ?? 'not_asked');
    this.#metrics.questions.inc({ mode, outcome });
    return typeof asked === 'object' ? { ...asked, purpose } : outcome;
  }

  async askForFloat(account: RailAccount): Promise<Asked> {
    const { keyring, ids, clock } = this.options;
    const asked = { ...account, askedAtMs: clock.nowMs() };
    const url = this.#url(sealFloatToken(keyring, asked, ids.next()));
    const payouts = this.#of(account);
    // A queue timeout contains no float, so it is then ignored.
    const addresses = { resultUrl: url, timeoutUrl: url };
    const answer = await payouts?.askForFloat(account.mode, addresses);
    if (typeof answer !== 'object') return answer ?? 'not_asked';
    const minor = this.#reports.get(account.channel)?.readFloat(answer.raw);
    if (minor === undefined) return 'unanswered';
    await this.options.floats.tell(account, minor, asked.askedAtMs);
    return 'taken';
  }

  override async floatOf(channel: string, mode: Mode): Promise<Minor | undefined> {
    const float = await this.options.floats.of({ channel, mode });
    if (!float) return undefined;
    const name = accountName({ channel, mode });
    const since = this.#spentSince(name, float.asOfMs);
    this.#spent.set(name, since);
    const ownMinor = since.reduce((sum, { minor }) => sum + minor, 0n);
    const allMinor = await this.options.floats.spentSince({ channel, mode }, float.asOfMs);
    // Amounts that were sent while Redis was away are only in this process's own sum.
    return float.minor - (allMinor > ownMinor ? allMinor : ownMinor);
  }

  /**
   * Counts an amount before the rail answers: payouts that are sent meanwhile must not use the same money. Nothing is
   * awaited between the reading of the clock and the order (PAY-41).
   */
  #spend(
    account: RailAccount,
    amountMinor: Minor,
  ): { readonly counted: Promise<void>; readonly giveBack: () => Promise<void> } {
    const atMs = this.options.clock.nowMs();
    const spent = this.#spentNow(account);
    spent.minor += amountMinor;
    return {
      counted: this.options.floats.spend(account, amountMinor, atMs),
      giveBack: () => {
        spent.minor -= amountMinor;
        return this.options.floats.spend(account, -amountMinor, atMs);
      },
    };
  }

  #spentNow(account: RailAccount): Spent {
    const name = accountName(account);
    const nowMs = this.options.clock.nowMs();
    const spent = this.#spentSince(name, nowMs - countedMs);
    const last = spent.at(-1);
    if (last && last.untilMs > nowMs) return last;
    const next = { untilMs: nowMs + momentMs, minor: 0n };
    this.#spent.set(name, [...spent, next]);
    return next;
  }

  /**
   * Returns the amounts since that time. Entries ahead of the clock are dropped: they were counted before it was set
   * back.
   */
  #spentSince(name: string, sinceMs: number): readonly Spent[] {
    const aheadMs = this.options.clock.nowMs() + momentMs;
    const spent = this.#spent.get(name) ?? [];
    return spent.filter(({ untilMs }) => untilMs > sinceMs && untilMs <= aheadMs);
  }

  #of({ channel, mode }: RailAccount): RailPayouts | undefined {
    const payouts = this.#adapters.get(channel);
    return payouts?.payoutLimits(mode) ? payouts : undefined;
  }

  #addresses(
    of: { readonly channel: string; readonly stream: string },
    purpose: string,
  ): ReportAddresses {
    const { keyring } = this.options;
    const timeout = purposeText({ kind: 'timeout' });
    return {
      resultUrl: this.#url(sealPayoutToken(keyring, of, purpose)),
      timeoutUrl: this.#url(sealPayoutToken(keyring, of, timeout)),
    };
  }

  #url(token: string): string {
    return `${this.options.baseUrl}/rails/${token}`;
  }
}

/**
 * Returns the weight of an outcome. An order that never reached the rail was refused without bytes and says nothing
 * about it.
 */
function inVainBy(outcome: AnsweredOrder): number | 'answered' {
  switch (outcome.kind) {
    case 'accepted':
      return 'answered';
    case 'unknown':
      return outcome.isTaken ? 'answered' : 1;
    case 'refused':
      if (isOfAccount(outcome.failureCode)) return refusalWeight;
      return outcome.raw ? 'answered' : 0;
  }
}

function metricsIn(metrics: Metrics) {
  return {
    orders: metrics.counter({
      name: 'rail_payouts_total',
      help: 'Payments out that were given to the rail, by its answer',
      labels: ['mode', 'outcome'],
    }),
    seconds: metrics.histogram({
      name: 'rail_payout_seconds',
      help: 'Time until the rail answered a payment out, its own retries included',
      labels: ['mode'],
    }),
    refusals: accountRefusalsIn(metrics),
    questions: metrics.counter({
      name: 'rail_payout_queries_total',
      help: 'Status queries about payments out, by whether the rail took them',
      labels: ['mode', 'outcome'],
    }),
  };
}
