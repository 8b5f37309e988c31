import { isTooLateToSend } from '#domain/rails';
import { type Clock, type Minor, type Mode } from '#domain/kernel';
import {
  type PayoutOrder,
  type PayoutOutcome,
  type PayoutPhones,
  type PayoutRail,
} from '../ports.js';

/** The outcome if the rail was given nothing, and nothing will be. */
const notGiven: PayoutOutcome = { kind: 'refused', failureCode: 'rail_unavailable' };

/** Gives orders to the rail at once or never (PAY-41). */
export class PromptOrders {
  constructor(
    private readonly rail: PayoutRail,
    private readonly clock: Clock,
    private readonly phones: Pick<PayoutPhones, 'find'>,
  ) {}

  /**
   * Returns the number to pay; undefined if the records lost it.
   * @throws DependencyUnavailable
   */
  phoneOf(stream: string, phoneHmac: string): Promise<string | undefined> {
    return this.phones.find(stream, phoneHmac);
  }

  /** Returns the float of the rail's own account, as last reported; undefined if it is not known. */
  floatOf(channel: string, mode: Mode): Promise<Minor | undefined> {
    return this.rail.floatOf(channel, mode);
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** True if data read at that time are too old to send by. */
  isTooLate(fromMs: number): boolean {
    return isTooLateToSend(fromMs, this.nowMs());
  }

  /**
   * Gives the order to the rail, unless it is too late: the rail is queried about a payout after 75 s, and later
   * decisions need a settled state.
   * @param fromMs a time before the reads and the append that permit the order
   */
  async give(
    fromMs: number,
    order: PayoutOrder,
  ): Promise<{ readonly isGiven: boolean; readonly outcome: PayoutOutcome }> {
    if (this.isTooLate(fromMs)) return { isGiven: false, outcome: notGiven };
    return { isGiven: true, outcome: await this.rail.pay(order) };
  }
}
