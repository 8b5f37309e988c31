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
/** More than the view lags behind, at the highest rate. */
const maxRemembered = 4096;

/**
 * Our own name for the payment: the same for the stream whoever sends, so that the rail itself refuses a second one. As
 * long as the names that M-Pesa makes, which are not known to be allowed longer: 32 letters and digits.
 */
function conversationIdOf(stream: string): string {
  return `pp${sha256Hex(stream).slice(0, 30)}`;
}

/** Asked anew each time: it may be aborted at any moment. */
const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/**
 * Sends approved payouts, the oldest first, each rail's mode at its own pace; those that wait for the float are passed
 * by until it covers them. Several workers may do it: each payout is started once.
 */
@Injectable()
export class PayoutSendStep {
  private readonly log = new Logger('payouts');
  private readonly sent;
  /** Where the next look goes on, by rail and mode. */
  private readonly after = new Map<string, bigint>();
  /** What this process has sent, and the view still names for a while: it need not be read again. */
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
   * @param mode whose payouts; both unless given
   * @param signal once it is aborted, no payout is begun: one whose process ends before it is sent needs two people
   * @throws DependencyUnavailable; nothing was sent then of what it came from
   */
  async step(mode?: Mode, signal?: AbortSignal): Promise<'idle' | 'busy'> {
    const accounts = this.pace.accounts.filter((rail) => mode === undefined || rail.mode === mode);
    const states: string[] = [];
    await concurrently(accounts, accounts.length, async (rail) => {
      states.push(await this.stepOf(rail, signal));
    });
    return states.includes('busy') ? 'busy' : 'idle';
  }

  /** No more at once than a second's: what comes meanwhile on other rails waits for as long. */
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
    // What was passed by goes first once the rail is back.
    if (outcomes.includes('rail_away') || isOver(signal)) this.after.set(name, 0n);
    // Where all of them wait for the float, or the view is behind, nothing is gained by haste.
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
      // Not what is `unchanged`: where another event came first, it may still be to be sent.
      if (outcome === 'sent' || outcome === 'too_late') this.remember(stream);
      // The view lags: what it still names is not counted again.
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
