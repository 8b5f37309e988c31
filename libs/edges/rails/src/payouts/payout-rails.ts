import { type RailLimits } from '#domain/collections';
import { type Clock, type Ids, type Minor, type Mode, modes } from '#domain/kernel';
import {
  type PayoutOrder,
  type PayoutOutcome,
  PayoutRail,
  type RailPayoutName,
} from '#domain/payouts';
import { type Metrics } from '#infra/runtime';
import { type Keyring } from '#shared/signing';
import { purposeText, sealFloatToken, sealPayoutToken } from '../callback/callback-keys.js';
import {
  type AnsweredOrder,
  type Asked,
  type RailAdapter,
  type RailPayouts,
  type ReportAddresses,
} from '../rail-adapter.js';
import { type RailAnswers } from '../rail-answers.js';
import { accountRefusalsIn, isOfAccount } from './account-refusals.js';
import { accountName, type RailAccount, type RailFloats } from './rail-floats.js';

export interface PayoutRailsOptions {
  /** BASE_URL: what rails report to, without a trailing slash. */
  readonly baseUrl: string;
  readonly keyring: Keyring;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly floats: RailFloats;
  readonly metrics: Metrics;
  readonly answers: RailAnswers;
}

/** What this process has sent within a moment, so that it is not spent twice: a float of before is without it. */
interface Spent {
  readonly untilMs: number;
  minor: Minor;
}

/** An answer that every other order would get, too, is plainer than none, so it counts as several without one. */
const refusalWeight = 3;

/** What is sent within one is counted together. */
const momentMs = 250;
/** No float is older. */
const countedMs = 11 * 60_000;

/** The domain's rails for payments out: each order goes to its channel's adapter and is counted. */
export class PayoutRails extends PayoutRail {
  readonly #adapters: ReadonlyMap<string, RailPayouts>;
  readonly #spent = new Map<string, readonly Spent[]>();
  readonly #inVain = new Map<string, number>();
  readonly #given = new Map<string, number>();
  readonly #metrics;

  constructor(
    adapters: readonly RailAdapter[],
    private readonly options: PayoutRailsOptions,
  ) {
    super();
    this.#adapters = new Map(
      adapters.flatMap(({ channel, payouts }) => (payouts ? [[channel, payouts]] : [])),
    );
    this.#metrics = metricsIn(options.metrics);
  }

  /**
   * What this process can pay from. Payouts of another rail's mode stay approved: another process may have its settings,
   * and one that fails here was not declined by anybody.
   */
  get accounts(): readonly RailAccount[] {
    return [...this.#adapters].flatMap(([channel, payouts]) =>
      modes.filter((mode) => payouts.payoutLimits(mode)).map((mode) => ({ channel, mode })),
    );
  }

  /** How many payouts this process gives to the rail in a second, at most. */
  perSecond(channel: string, mode: Mode): number {
    return this.#adapters.get(channel)?.perSecond(mode) ?? 1;
  }

  /** Whether the rail could be given an order now. What would be refused for that alone would have failed for good. */
  async canPay({ channel, mode }: RailAccount): Promise<boolean> {
    return (await this.#of({ channel, mode })?.canPay(mode)) ?? false;
  }

  /**
   * How many orders in a row the rail's mode has left without an answer that tells what became of them; one that it
   * refused as it would refuse any counts as several.
   */
  inVain(account: RailAccount): number {
    return this.#inVain.get(accountName(account)) ?? 0;
  }

  /** How many orders this process has given to the rail's mode. */
  given(account: RailAccount): number {
    return this.#given.get(accountName(account)) ?? 0;
  }

  override payoutLimits(channel: string, mode: Mode): RailLimits | undefined {
    return this.#adapters.get(channel)?.payoutLimits(mode);
  }

  override async pay({ channel, stream, ...order }: PayoutOrder): Promise<PayoutOutcome> {
    const { mode, amountMinor } = order;
    const payouts = this.#of({ channel, mode });
    if (!payouts) return { kind: 'refused', failureCode: 'rail_unavailable' };
    this.#given.set(accountName({ channel, mode }), this.given({ channel, mode }) + 1);
    const end = this.#metrics.seconds.startTimer({ mode });
    const addresses = this.#addresses({ channel, stream }, purposeText({ kind: 'result' }));
    // Before the rail answers: those that are sent meanwhile must not count on the same money.
    const atMs = this.options.clock.nowMs();
    const spent = this.#spentNow({ channel, mode });
    spent.minor += amountMinor;
    // Nothing is waited for between the look at the clock and the order (PAY-41).
    const counted = this.options.floats.spend({ channel, mode }, amountMinor, atMs);
    const outcome = await payouts.pay({ ...order, ...addresses });
    end();
    await counted;
    this.#metrics.orders.inc({ mode, outcome: outcome.kind });
    if (outcome.kind === 'refused') {
      spent.minor -= amountMinor;
      await this.options.floats.spend({ channel, mode }, -amountMinor, atMs);
    }
    this.#count({ channel, mode }, outcome);
    if (outcome.kind === 'unknown') return { kind: 'unknown' };
    const { raw: bytes, ...answer } = outcome;
    const proof =
      bytes && (await this.options.answers.kept({ kind: 'order_answer', stream, bytes }));
    return proof ? { ...answer, proof } : answer;
  }

  #count(account: RailAccount, outcome: AnsweredOrder): void {
    const name = accountName(account);
    const weight = inVainBy(outcome);
    if (outcome.kind === 'refused' && isOfAccount(outcome.failureCode))
      this.#metrics.refusals.inc({ mode: account.mode, by: 'answer', why: outcome.failureCode });
    if (weight === 'answered') this.#inVain.delete(name);
    else if (weight > 0) this.#inVain.set(name, this.inVain(account) + weight);
  }

  /**
   * Asks the rail what became of the payment; its answer comes by callback.
   * @param attempt the question's number, which its answer brings back
   */
  async askAboutAgain(
    { channel, stream, ...name }: RailPayoutName,
    attempt: number,
  ): Promise<Asked> {
    const { mode } = name;
    const purpose = purposeText({ kind: 'answer', attempt }, this.options.ids.next());
    const addresses = this.#addresses({ channel, stream }, purpose);
    const asked = await this.#of({ channel, mode })?.askAboutPayout({ ...name, ...addresses });
    this.#metrics.questions.inc({ mode, outcome: asked ?? 'not_asked' });
    return asked ?? 'not_asked';
  }

  async askForFloat(account: RailAccount): Promise<Asked> {
    const { keyring, ids, clock } = this.options;
    const asked = { ...account, askedAtMs: clock.nowMs() };
    const url = this.#url(sealFloatToken(keyring, asked, ids.next()));
    const payouts = this.#of(account);
    // A time-out of the queue has no float in it, and is then read as nothing.
    const addresses = { resultUrl: url, timeoutUrl: url };
    return (await payouts?.askForFloat(account.mode, addresses)) ?? 'not_asked';
  }

  override async floatOf(channel: string, mode: Mode): Promise<Minor | undefined> {
    const float = await this.options.floats.of({ channel, mode });
    if (!float) return undefined;
    const name = accountName({ channel, mode });
    const since = this.#spentSince(name, float.asOfMs);
    this.#spent.set(name, since);
    const ownMinor = since.reduce((sum, { minor }) => sum + minor, 0n);
    const allMinor = await this.options.floats.spentSince({ channel, mode }, float.asOfMs);
    // What was sent while Redis was away is in its own sum alone.
    return float.minor - (allMinor > ownMinor ? allMinor : ownMinor);
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

  /** What is ahead of the clock was counted by one that was set back since. */
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

/** What never reached the rail was refused without bytes of its own, and says nothing of it. */
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
