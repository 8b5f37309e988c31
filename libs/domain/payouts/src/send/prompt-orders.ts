import { isTooLateToSend } from '#domain/collections';
import { type Clock, type Minor, type Mode } from '#domain/kernel';
import {
  type PayoutOrder,
  type PayoutOutcome,
  type PayoutPhones,
  type PayoutRail,
} from '../ports.js';

/** Where the rail was given nothing, and nothing will be. */
const notGiven: PayoutOutcome = { kind: 'refused', failureCode: 'rail_unavailable' };

/** The rail, for orders that are given at once or never (PAY-41). */
export class PromptOrders {
  constructor(
    private readonly rail: PayoutRail,
    private readonly clock: Clock,
    private readonly phones: Pick<PayoutPhones, 'find'>,
  ) {}

  /** The number to be paid; undefined if the records lost it. @throws DependencyUnavailable */
  phoneOf(stream: string, phoneHmac: string): Promise<string | undefined> {
    return this.phones.find(stream, phoneHmac);
  }

  /** What the rail's own account holds, as lately told; undefined where it is not known. */
  floatOf(channel: string, mode: Mode): Promise<Minor | undefined> {
    return this.rail.floatOf(channel, mode);
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** True if whatever was read at that time is too old to send by. */
  isTooLate(fromMs: number): boolean {
    return isTooLateToSend(fromMs, this.nowMs());
  }

  /**
   * The rail is asked about a payout from 75 s on, and whoever decides on it later decides on what is settled.
   * @param fromMs before the reads and the append that give the right to order
   */
  async give(
    fromMs: number,
    order: PayoutOrder,
  ): Promise<{ readonly isGiven: boolean; readonly outcome: PayoutOutcome }> {
    if (this.isTooLate(fromMs)) return { isGiven: false, outcome: notGiven };
    return { isGiven: true, outcome: await this.rail.pay(order) };
  }
}
