import { Clock, concurrently, DependencyUnavailable } from '#domain/kernel';
import { payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { sha256Hex } from '#shared/signing';
import { type OpenPayout, openPayouts } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { PayoutsClient } from './payouts-client.js';

const maxAtOnce = 64;
const maxInFlight = 16;

/** Our own name for the payment: the same for the stream whoever sends, so that the rail itself refuses a second one. */
function conversationIdOf(stream: string): string {
  return `pp-${sha256Hex(stream).slice(0, 40)}`;
}

/**
 * Sends approved payouts, the oldest first; those that wait for the float are passed by and tried again in the next
 * round. Several workers may do it: each payout is started once.
 */
@Injectable()
export class PayoutSendStep {
  private readonly log = new Logger('payouts');
  private readonly sent;
  private after = 0n;

  constructor(
    private readonly database: Database,
    private readonly payouts: PayoutsClient,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter({
      name: 'payouts_sending_total',
      help: 'Approved payouts that a worker took up, by what became of them',
      labels: ['mode', 'outcome'],
    });
  }

  /** @throws DependencyUnavailable; nothing was sent then of what it came from */
  async step(): Promise<'idle' | 'busy'> {
    const { after } = this;
    const look = { step: 'approved', olderThanMs: 0, limit: maxAtOnce, after } as const;
    const open = await openPayouts(this.database, look);
    const isFull = open.length === maxAtOnce;
    this.after = isFull ? (open.at(-1)?.position ?? 0n) : 0n;
    let sent = 0;
    await concurrently(open, maxInFlight, async (payout) => {
      if ((await this.send(payout)) === 'sent') sent += 1;
    });
    // Where all of them wait for the float, nothing is gained by haste.
    return sent > 0 && (isFull || after > 0n) ? 'busy' : 'idle';
  }

  private async send({ stream, mode }: OpenPayout): Promise<string> {
    const key = payoutKeyOf(stream);
    if (!key) return 'no_payout';
    const sending = {
      originatorConversationId: conversationIdOf(stream),
      at: this.clock.now(),
    };
    try {
      const done = await this.payouts.send(key, sending);
      const outcome = done.ok ? done.value : done.refusal;
      // The view lags: what it still names is not counted again.
      if (outcome !== 'unchanged') this.sent.inc({ mode, outcome });
      if (outcome === 'sent') this.log.log({ msg: 'sent a payout', stream, ...sending });
      return outcome;
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be sent', stream, err: error });
      return 'defect';
    }
  }
}
