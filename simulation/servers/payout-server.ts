import { type Asked, type ReportAddresses } from '#edges/rails';
import { type PayoutOrder, type PayoutOutcome } from '#domain/payouts';
import { Dice } from '../core/dice.js';
import { type World } from '../core/world.js';
import {
  floatBody,
  type ReportedPayment,
  payoutResultBody,
  payoutStatusBody,
  queueTimeoutBody,
  unknownPaymentBody,
} from './payout-bodies.js';
import { type PayoutFate, payoutFateOf, type RailAct } from './payout-fates.js';

/** An order that reached the rail, in the rail's own books. */
export interface BookedOrder {
  readonly stream: string;
  readonly originatorConversationId: string;
  readonly conversationId: string;
  readonly receipt: string;
  readonly amountMinor: bigint;
  readonly addresses: ReportAddresses;
  readonly fate: PayoutFate;
  /** The order's name in results. Sometimes it replaces ours, as in Daraja's samples; otherwise it is ours. */
  readonly resultName: string;
  isRefused: boolean;
  paidMinor?: bigint;
  paidAtMs?: number;
  hasFailed: boolean;
  /** The questions with a delivered answer that said that it failed. */
  readonly declinedQuestions: Set<string>;
  /** True if a report that says "paid" was acknowledged. Without one, no report tells of a payment after a decline. */
  isPaymentReported: boolean;
}

/** A report of the rail in transit. */
export interface PayoutReportSent {
  readonly url: string;
  readonly body: Buffer;
  readonly label: string;
  readonly onDelivered?: () => void;
  readonly onAcknowledged?: () => void;
}

/** An order as it arrives. */
export type IncomingOrder = Pick<
  PayoutOrder,
  'stream' | 'originatorConversationId' | 'amountMinor'
> &
  ReportAddresses;

/** Before the schedule's hostility is applied. */
const odds = {
  ownName: 0.5,
  muddled: 0.05,
  lost: 0.15,
  twice: 0.1,
  late: 0.1,
  crossed: 0.2,
  queued: 0.06,
  spike: 0.08,
  lie: 0.12,
  otherAmount: 0.03,
  otherReceipt: 0.03,
};

/**
 * The rail's payouts, with books of its own of what it really paid. Daraja refuses an order under a name that it has
 * already; this one pays it again.
 */
export class PayoutServer {
  readonly orders: BookedOrder[] = [];

  constructor(
    private readonly world: World,
    private readonly deliver: (sent: PayoutReportSent) => void,
    private readonly onOrder: (order: BookedOrder) => void,
    public floatMinor: bigint,
  ) {}

  ordersOf(stream: string): readonly BookedOrder[] {
    return this.orders.filter((order) => order.stream === stream);
  }

  /** Takes an order, or says that it does not. Its answer and its act may differ. */
  order(incoming: IncomingOrder): PayoutOutcome {
    const order = this.take(incoming);
    this.onOrder(order);
    if (order.isRefused) return { kind: 'refused', failureCode: 'rail_refused' };
    // Daraja's 500.002.1001 may mean anything.
    const number = this.orders.length;
    if (this.world.faults.happens(`order ${number} for ${order.stream}: muddled`, odds.muddled))
      return { kind: 'unknown' };
    return { kind: 'accepted', conversationId: order.conversationId };
  }

  /** Books an order, and plans the rail's acts. */
  take({
    stream,
    originatorConversationId,
    amountMinor,
    ...addresses
  }: IncomingOrder): BookedOrder {
    const { world } = this;
    const number = this.orders.length + 1;
    const order: BookedOrder = {
      stream,
      originatorConversationId,
      conversationId: `AG_${number}_${stream.slice(-2)}`,
      receipt: `P${String(number).padStart(9, '0')}`,
      amountMinor,
      addresses,
      fate: payoutFateOf(world.seed, stream),
      resultName: new Dice(world.seed, `rail names ${stream}`).chance(odds.ownName)
        ? `${29_000 + number}-${stream.length}-1`
        : originatorConversationId,
      isRefused: false,
      hasFailed: false,
      declinedQuestions: new Set(),
      isPaymentReported: false,
    };
    this.orders.push(order);
    order.isRefused = order.fate.isRefused;
    for (const act of order.fate.acts)
      this.#after(act.afterMs, () => {
        this.#act(order, act);
      });
    return order;
  }

  /** Takes the question, or has no time. The answer arrives by callback, and is sometimes wrong. */
  ask(originatorConversationId: string, addresses: ReportAddresses, label: string): Asked {
    const { faults } = this.world;
    if (faults.happens(`${label}: spike arrest`, odds.spike)) return 'not_asked';
    const dice = new Dice(this.world.seed, `${label}: answer`);
    this.#after(dice.fraction() * 1000, () => {
      this.#answer(originatorConversationId, addresses, label);
    });
    return 'taken';
  }

  askForFloat(url: string, label: string): Asked {
    this.#send({ url, body: floatBody(this.floatMinor), label: `${label}: answer` });
    return 'taken';
  }

  #answer(named: string, { resultUrl, timeoutUrl }: ReportAddresses, label: string): void {
    const { faults } = this.world;
    const order = this.orders.findLast((one) => one.originatorConversationId === named);
    if (!order) {
      this.#send({ url: resultUrl, body: unknownPaymentBody(), label: `answer to ${label}` });
      return;
    }
    const isLie = faults.happens(`${label}: says that it failed`, odds.lie);
    const status =
      isLie || (order.hasFailed && order.paidMinor === undefined)
        ? 'Failed'
        : order.paidMinor === undefined
          ? 'Pending'
          : 'Completed';
    const isQueued = faults.happens(`${label}: queue`, odds.queued);
    const onDelivered = (): void => {
      if (!isQueued && status === 'Failed') order.declinedQuestions.add(label);
    };
    const onAcknowledged = (): void => {
      if (!isQueued && status === 'Completed') order.isPaymentReported = true;
    };
    const body = isQueued ? queueTimeoutBody() : payoutStatusBody(this.#told(order, label), status);
    const url = isQueued ? timeoutUrl : resultUrl;
    const told = { onDelivered, onAcknowledged };
    this.#send({ url, body, label: `answer (${status}) to ${label}`, ...told });
  }

  #act(order: BookedOrder, { does, code }: RailAct): void {
    const { world } = this;
    const { stream, addresses } = order;
    if (does === 'queue') {
      const label = `queue time-out for ${stream}`;
      this.#send({ url: addresses.timeoutUrl, body: queueTimeoutBody(), label });
      return;
    }
    const paidMinor = order.amountMinor + order.fate.extraMinor;
    if (does === 'pay' && paidMinor <= this.floatMinor) {
      [order.paidMinor, order.paidAtMs] = [paidMinor, world.nowMs];
      this.floatMinor -= paidMinor;
      world.tell(() => `the rail pays ${paidMinor} for ${stream}`);
      const onAcknowledged = (): void => {
        order.isPaymentReported = true;
      };
      this.#report(order, { code: '0', what: 'payment', onAcknowledged });
      return;
    }
    // A result that contradicts the payment does not change it.
    const told = does === 'pay' ? '1' : code;
    if (told !== '7777') order.hasFailed = true;
    world.tell(() => `the rail declines ${stream} (${told})`);
    this.#report(order, { code: told, what: `decline at ${world.nowMs}` });
  }

  #report(
    order: BookedOrder,
    { code, what, ...hooks }: { code: string; what: string; onAcknowledged?: () => void },
  ): void {
    const label = `result (${what}) for ${order.stream}`;
    const { paid, ...told } = this.#told(order, label);
    const names = { ...told, originatorConversationId: order.resultName };
    const body = payoutResultBody(code === '0' && paid ? { ...names, paid } : names, code);
    this.#send({ url: order.addresses.resultUrl, body, label, ...hooks });
    // Another payment's result at this one's address says nothing about this one.
    const other = this.orders.findLast(({ stream }) => stream !== order.stream);
    if (other && this.world.faults.happens(`${label}: crossed`, odds.crossed))
      this.#send({ url: other.addresses.resultUrl, body, label: `${label} at ${other.stream}` });
  }

  /** Returns one report's facts about a payment, sometimes with another amount or receipt than the books have. */
  #told(order: BookedOrder, label: string): ReportedPayment {
    const told = reportOf(order);
    const { faults } = this.world;
    if (!told.paid) return told;
    const extraMinor = faults.happens(`${label}: another amount`, odds.otherAmount) ? 700n : 0n;
    const isOther = faults.happens(`${label}: another receipt`, odds.otherReceipt);
    const receipt = isOther ? `${told.receipt}X` : told.receipt;
    const { amountMinor, atMs } = told.paid;
    return { ...told, receipt, paid: { amountMinor: amountMinor + extraMinor, atMs } };
  }

  /**
   * Reports may be lost, arrive twice or arrive hours late. None is sent again because of a missing acknowledgement.
   */
  #send(sent: PayoutReportSent): void {
    const { faults, seed } = this.world;
    const { label } = sent;
    const dice = new Dice(seed, label);
    const lateMs = faults.happens(`${label}: late`, odds.late)
      ? dice.between(60_000, 10_800_000)
      : 0;
    // Its report may overtake the answer to the order itself.
    const afterMs = dice.fraction() * (dice.chance(0.2) ? 20 : 2000) + lateMs;
    const againMs = dice.chance(0.5) ? afterMs + dice.fraction() * 20 : dice.fraction() * 600_000;
    if (faults.happens(`${label}: lost`, odds.lost)) return;
    this.#after(afterMs, () => {
      this.deliver(sent);
    });
    if (faults.happens(`${label}: twice`, odds.twice))
      this.#after(againMs, () => {
        this.deliver({ ...sent, label: `${label}, again` });
      });
  }

  #after(ms: number, run: () => void): void {
    const { world } = this;
    const tie = new Dice(world.seed, `rail pays ${world.nowMs}`).bits();
    world.scheduler.add({ dueMs: world.nowMs + ms, tie, run });
  }
}

function reportOf(order: BookedOrder): ReportedPayment {
  const { originatorConversationId, conversationId, receipt, paidMinor, paidAtMs } = order;
  return {
    originatorConversationId,
    conversationId,
    receipt,
    ...(paidMinor === undefined || paidAtMs === undefined
      ? {}
      : { paid: { amountMinor: paidMinor, atMs: paidAtMs } }),
  };
}
