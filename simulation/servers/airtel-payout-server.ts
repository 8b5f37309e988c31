import { Dice } from '../core/dice.js';
import { type World } from '../core/world.js';
import {
  airtelAnswer,
  type AirtelAnswer,
  airtelBalance,
  airtelCode,
  gatewayPage,
  tooManyRequests,
} from './airtel-bodies.js';
import { payoutFateOf, type RailAct } from './payout-fates.js';
import { type BookedOrder, type IncomingOrder } from './payout-server.js';

/** An order in Airtel's books. */
interface AirtelOrder extends BookedOrder {
  /** The digits of the code with which it declined, until it pays. */
  declinedWith?: string;
  /** True while it does not know itself what became of the order. */
  isAmbiguous: boolean;
}

/** Before the schedule's hostility is applied. */
const odds = {
  unclear: 0.08,
  busy: 0.08,
  page: 0.05,
  mute: 0.1,
  lie: 0.1,
  another: 0.1,
};

/** The codes that certainly refuse an order (AIR-11). */
const refusals = ['DP00900001007', 'ROUTER115', 'ROUTER116'] as const;
/** The code of a decline in a payout's fate that says nothing. */
const unknownCode = '7777';

/** Airtel's payouts, with books of what it really paid. It sends no results: it only answers enquiries (AIR-12). */
export class AirtelPayoutServer {
  readonly orders: AirtelOrder[] = [];

  constructor(
    private readonly world: World,
    private readonly onOrder: (order: BookedOrder) => void,
    public floatMinor: bigint,
  ) {}

  ordersOf(stream: string): readonly BookedOrder[] {
    return this.orders.filter((order) => order.stream === stream);
  }

  /** Takes an order, or refuses it. Its answer and its act may differ. */
  order(incoming: IncomingOrder): AirtelAnswer {
    const { world } = this;
    const order = this.#book(incoming);
    this.onOrder(order);
    const { stream, originatorConversationId: id, conversationId: moneyId } = order;
    const dice = new Dice(world.seed, `airtel answers the order for ${stream}`);
    if (order.isRefused) return airtelAnswer({ code: dice.pick(refusals), isSuccess: false });
    if (world.faults.happens(`order for ${stream}: unclear answer`, odds.unclear))
      return dice.pick([
        gatewayPage(),
        airtelAnswer({ id, code: airtelCode('payouts', '000'), isSuccess: false }),
        airtelAnswer({ id, code: airtelCode('payouts', '017'), isSuccess: false }),
      ]);
    return airtelAnswer({ id, state: 'TS', code: airtelCode('payouts', '001'), moneyId });
  }

  /**
   * Answers an enquiry at once. The answer may be unclear, wrong, or about another order.
   * @param onDecline called if the answer says that the payout failed
   */
  enquire(id: string, label: string, onDecline: (order: BookedOrder) => void): AirtelAnswer {
    const { faults, seed } = this.world;
    const happens = (what: keyof typeof odds): boolean =>
      faults.happens(`${label}: ${what}`, odds[what]);
    if (happens('busy')) return tooManyRequests();
    if (happens('page')) return gatewayPage();
    const order = this.orders.find((one) => one.originatorConversationId === id);
    if (!order) return airtelAnswer({ code: airtelCode('payouts', '015'), isSuccess: false });
    const dice = new Dice(seed, `${label}: open`);
    if (happens('mute')) return openAnswer(id, dice);
    const other = this.orders.find(({ stream }) => stream !== order.stream);
    if (other && happens('another')) return this.#answerAbout(other, dice);
    const isLie = happens('lie');
    if (!isLie && (order.declinedWith === undefined || order.paidMinor !== undefined))
      return this.#answerAbout(order, dice);
    onDecline(order);
    return isLie ? declined(id, '005') : this.#answerAbout(order, dice);
  }

  balance(): AirtelAnswer {
    return airtelBalance(this.floatMinor);
  }

  #answerAbout(order: AirtelOrder, dice: Dice): AirtelAnswer {
    const { originatorConversationId: id, receipt, paidMinor, declinedWith, isAmbiguous } = order;
    if (paidMinor !== undefined) {
      const code = airtelCode('payouts', '001');
      return airtelAnswer({ id, state: 'TS', code, moneyId: receipt });
    }
    if (declinedWith !== undefined) return declined(id, declinedWith);
    if (isAmbiguous) return openAnswer(id, dice);
    return airtelAnswer({ id, state: 'TIP', code: airtelCode('payouts', '006') });
  }

  #book({ stream, originatorConversationId, amountMinor, ...addresses }: IncomingOrder) {
    const number = this.orders.length + 1;
    const fate = payoutFateOf(this.world.seed, stream);
    const order: AirtelOrder = {
      stream,
      originatorConversationId,
      conversationId: `DI${String(number).padStart(8, '0')}`,
      receipt: `MO${String(number).padStart(8, '0')}`,
      amountMinor,
      addresses,
      fate,
      resultName: originatorConversationId,
      isRefused: fate.isRefused,
      hasFailed: false,
      declinedQuestions: new Set(),
      isPaymentReported: false,
      isAmbiguous: false,
    };
    this.orders.push(order);
    for (const act of fate.acts)
      this.#after(act.afterMs, () => {
        this.#act(order, act);
      });
    return order;
  }

  /** Airtel pays the ordered amount, never another. A decline after the payment does not change it. */
  #act(order: AirtelOrder, { does, code }: RailAct): void {
    const { world } = this;
    const { stream, amountMinor } = order;
    if (order.paidMinor !== undefined) return;
    if (does === 'pay' && amountMinor <= this.floatMinor) {
      [order.paidMinor, order.paidAtMs] = [amountMinor, world.nowMs];
      this.floatMinor -= amountMinor;
      world.tell(() => `Airtel pays ${amountMinor} for ${stream}`);
      return;
    }
    order.isAmbiguous = does === 'queue' || code === unknownCode;
    if (!order.isAmbiguous) order.declinedWith = does === 'pay' ? '007' : '013';
    world.tell(() => `Airtel does not pay ${stream} (${order.declinedWith ?? 'ambiguous'})`);
  }

  #after(ms: number, run: () => void): void {
    const { world } = this;
    const tie = new Dice(world.seed, `airtel pays ${world.nowMs}`).bits();
    world.scheduler.add({ dueMs: world.nowMs + ms, tie, run });
  }
}

function declined(id: string, digits: string): AirtelAnswer {
  return airtelAnswer({ id, state: 'TF', code: airtelCode('payouts', digits), isSuccess: false });
}

/** Returns an answer that releases nothing (AIR-12). */
function openAnswer(id: string, dice: Dice): AirtelAnswer {
  const [state, digits] = dice.pick<readonly [string, string]>([
    ['TA', '000'],
    ['TF', '000'],
    ['TF', '014'],
    ['TF', '017'],
  ]);
  return airtelAnswer({ id, state, code: airtelCode('payouts', digits), isSuccess: false });
}
