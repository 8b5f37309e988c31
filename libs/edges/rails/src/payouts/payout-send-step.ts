import { concurrently, DependencyUnavailable, type Mode } from '#domain/kernel';
import { payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { sha256Hex } from '#shared/signing';
import { type ApprovedPayout, approvedPayouts } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { PayoutPace } from './payout-pace.js';
import { PayoutsClient } from './payouts-client.js';
import { accountName, type RailAccount } from './rail-floats.js';

const maxAtOnce = 64;
/** More than the number of payouts by which the view lags at the highest rate. */
const maxRemembered = 4096;

/**
 * Returns our own name for the payment. Every sender computes the same name for a stream, so the rail itself refuses a
 * second payment. It is as long as the names that M-Pesa makes, 32 letters and digits; longer ones are not known to be
 * allowed.
 */
function conversationIdOf(stream: string): string {
  return `pp${sha256Hex(stream).slice(0, 30)}`;
}

/** Reads the signal each time, because it may be aborted at any moment. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/**
 * Sends approved payouts, the oldest first, at each account's own pace. Payouts that wait for the float are skipped
 * until it covers them. Several workers may run this step: each payout is started once.
 */
@Injectable()
export class PayoutSendStep {
  private readonly log = new Logger('payouts');
  private readonly sent;
  /** The position where the next look starts, by rail and mode. */
  private readonly after = new Map<string, bigint>();
  /** The payouts that this process has sent and the view still lists for a while. They need not be read again. */
  private readonly gone = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly payouts: PayoutsClient,
    private readonly pace: PayoutPace,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter({
      name: 'payouts_sending_total',
      help: 'Approved payouts that a worker took up, by what became of them',
      labels: ['mode', 'outcome'],
    });
  }

  /**
   * @param mode limits the step to that mode's payouts; both modes if omitted
   * @param signal once it is aborted, no payout is begun: if the process ends before sending one, it needs two people
   * @throws DependencyUnavailable; the payout that caused it was not sent
   */
  async step(mode?: Mode, signal?: AbortSignal): Promise<'idle' | 'busy'> {
    const accounts = this.pace.accounts.filter((rail) => mode === undefined || rail.mode === mode);
    const states: string[] = [];
    await concurrently(accounts, accounts.length, async (rail) => {
      states.push(await this.stepOf(rail, signal));
    });
    return states.includes('busy') ? 'busy' : 'idle';
  }

  /** Sends at most one second's payouts at once: payouts that arrive meanwhile on other rails wait for as long. */
  private async stepOf(rail: RailAccount, signal?: AbortSignal): Promise<'idle' | 'busy'> {
    const name = accountName(rail);
    const after = this.after.get(name) ?? 0n;
    const limit = Math.min(maxAtOnce, Math.ceil(this.pace.perSecond(rail)));
    const floatMinor = await this.pace.floatOf(rail);
    const open = await approvedPayouts(this.database, rail, { after, limit, floatMinor });
    const isFull = open.length === limit;
    this.after.set(name, isFull ? (open.at(-1)?.position ?? 0n) : 0n);
    const outcomes: string[] = [];
    await concurrently(open, this.pace.inFlight(rail), async (payout) => {
      if (!this.gone.has(payout.stream)) outcomes.push(await this.send(payout, signal));
    });
    // The payouts that were skipped go first once the rail is back.
    if (outcomes.includes('rail_away') || isOver(signal)) this.after.set(name, 0n);
    // If all of them wait for the float, or the view is behind, haste gains nothing.
    return outcomes.includes('sent') && (isFull || after > 0n) ? 'busy' : 'idle';
  }

  private async send(
    { stream, channel, mode, wasOrdered }: ApprovedPayout,
    signal?: AbortSignal,
  ): Promise<string> {
    const key = payoutKeyOf(stream);
    if (!key) return 'no_payout';
    if (isOver(signal)) return 'stopping';
    const at = await this.pace.turn({ channel, mode }, signal);
    if (isOver(signal)) return 'stopping';
    if (!(await this.pace.canPay({ channel, mode }))) return 'rail_away';
    if (isOver(signal)) return 'stopping';
    const originatorConversationId = conversationIdOf(stream);
    try {
      const done = await this.payouts.send(key, { originatorConversationId, at, wasOrdered });
      const outcome = done.ok ? done.value : done.refusal;
      // An `unchanged` payout is not remembered: another event came first, and it may still have to be sent.
      if (outcome === 'sent' || outcome === 'too_late') this.remember(stream);
      // The view lags, so a payout that it still lists is not counted again.
      if (outcome !== 'unchanged') this.sent.inc({ mode, outcome });
      if (outcome === 'sent')
        this.log.log({ msg: 'sent a payout', stream, originatorConversationId, at });
      if (outcome === 'asked_about')
        this.log.warn({ msg: 'a payout is not sent again', stream, originatorConversationId });
      if (outcome === 'too_late')
        this.log.error({ msg: 'a payout was begun and not sent: time had passed', stream });
      if (outcome === 'expired')
        this.log.warn({ msg: 'a payout needs a new approval before it is sent', stream });
      return outcome;
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be sent', stream, err: error });
      return 'defect';
    }
  }

  private remember(stream: string): void {
    this.gone.add(stream);
    const [oldest] = this.gone;
    if (this.gone.size > maxRemembered && oldest !== undefined) this.gone.delete(oldest);
  }
}
