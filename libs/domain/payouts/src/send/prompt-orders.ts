import { isTooLateToSend } from '#domain/rails';
import { type Clock, type Minor } from '#domain/kernel';
import { isPaidToNumber, type PayoutRequest } from '../payout.js';
import {
  type Payee,
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
   * Returns the receiver; undefined if the records lost the number.
   * @throws DependencyUnavailable
   */
  async payeeOf(stream: string, { refund, phoneHmac }: PayoutRequest): Promise<Payee | undefined> {
    if (refund?.reverses !== undefined) return { reverses: refund.reverses };
    if (phoneHmac === undefined) return undefined;
    const phone = await this.phones.find(stream, phoneHmac);
    return phone === undefined ? undefined : { phone };
  }

  /**
   * Returns the float of the rail's own account, as last reported; undefined if it is not known. A reversal is not paid
   * from it.
   */
  async floatFor(request: PayoutRequest): Promise<Minor | undefined> {
    if (!isPaidToNumber(request)) return undefined;
    return this.rail.floatOf(request.channel, request.mode);
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
