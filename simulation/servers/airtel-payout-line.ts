import { type Mode } from '#domain/kernel';
import { type PayoutOutcome } from '#domain/payouts';
import { type RailLimits } from '#domain/rails';
import { readOrderAnswer } from '#edges/rail-airtel';
import { type AnsweredAtOnce, type Asked, type RailPayouts } from '#edges/rails';
import { type Keyring } from '#shared/signing';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { type AirtelAnswer } from './airtel-bodies.js';
import { type AirtelPayoutServer } from './airtel-payout-server.js';
import { payoutIn } from './payout-line.js';
import { type BookedOrder } from './payout-server.js';
import { pushTimeoutMs } from './push-times.js';
import { limits } from './rail.js';

const enquiryTimeoutMs = 5000;
const odds = { lost: 0.05, answerLost: 0.08, late: 0.05, lateThere: 0.04 } as const;

type Order = Parameters<RailPayouts['pay']>[0];
type Question = Parameters<RailPayouts['askAboutPayout']>[0];

/** Airtel's payouts as one process reaches them, with the adapter's own readers of answers. */
export class SimulatedAirtelPayouts implements RailPayouts {
  constructor(
    protected readonly life: Life,
    private readonly server: AirtelPayoutServer,
    private readonly keyring: Keyring,
  ) {}

  payoutLimits(mode: Mode): RailLimits | undefined {
    return mode === 'demo' ? limits : undefined;
  }

  reverses(): boolean {
    return false;
  }

  perSecond(): number {
    return 10;
  }

  canPay(): Promise<boolean> {
    return Promise.resolve(!this.life.world.isDown('airtel', this.life.name));
  }

  /** Sends the order once, under our own name (AIR-11). The addresses of reports are not sent. */
  pay({ originatorConversationId: id, amountMinor, ...addresses }: Order): Promise<PayoutOutcome> {
    const { life } = this;
    const { world } = life;
    const { resultUrl, timeoutUrl } = addresses;
    const stream = payoutIn(this.keyring, resultUrl);
    const label = life.label(`orders ${stream}`);
    const dice = new Dice(world.seed, label);
    const happens = (what: keyof typeof odds): boolean =>
      world.faults.happens(`${label}: ${what}`, odds[what]);
    const [isLost, isAnswerLost] = [happens('lost'), happens('answerLost')];
    const thereMs = dice.fraction() * 100 + (happens('lateThere') ? dice.between(8000, 90_000) : 0);
    const backMs = dice.fraction() * 300 + (happens('late') ? dice.between(8000, 90_000) : 0);
    const tie = dice.bits();
    const order = { stream, originatorConversationId: id, amountMinor, resultUrl, timeoutUrl };
    return new Promise<PayoutOutcome>((resolve) => {
      life.later(pushTimeoutMs, tie, () => {
        resolve({ kind: 'unknown' });
      });
      if (isLost) {
        world.tell(() => `${life.name} orders ${stream}: it never gets there`);
        return;
      }
      const run = (): void => {
        const outcome: PayoutOutcome = world.isDown('airtel', life.name)
          ? { kind: 'refused', failureCode: 'rail_unavailable' }
          : outcomeOf(id, this.server.order(order));
        world.tell(() => `${life.name} orders ${stream}: ${outcome.kind}`);
        if (isAnswerLost) world.tell(() => `${life.name} never hears Airtel's answer`);
        else
          life.later(backMs, tie, () => {
            resolve(outcome);
          });
      };
      world.scheduler.add({ dueMs: world.nowMs + thereMs, tie, run });
    });
  }

  async askAboutPayout({
    originatorConversationId: id,
    ...addresses
  }: Question): Promise<Asked | AnsweredAtOnce> {
    const stream = payoutIn(this.keyring, addresses.timeoutUrl);
    const label = this.life.label(`enquires about ${stream}`);
    const declining: BookedOrder[] = [];
    const answer = await this.#call(`enquires about ${stream}`, () =>
      this.server.enquire(id, label, (order) => declining.push(order)),
    );
    // The answer has reached the asking process, which may act on it.
    for (const order of declining) order.declinedQuestions.add(label);
    return answer;
  }

  askForFloat(): Promise<Asked | AnsweredAtOnce> {
    return this.#call('asks Airtel for the float', () => this.server.balance());
  }

  async #call(what: string, serve: () => AirtelAnswer): Promise<Asked | AnsweredAtOnce> {
    try {
      const { status, body } = await this.life.call({
        server: 'airtel',
        what,
        serve: () => {
          const answer = serve();
          this.life.world.tell(() => `Airtel answers: ${answer.body}`);
          return answer;
        },
        deadlineMs: enquiryTimeoutMs,
        unavailable: (why) => new Error(why),
      });
      if (status === 429) return 'not_asked';
      return status === 200 ? { raw: Buffer.from(body) } : 'unanswered';
    } catch (error) {
      const isSent = error instanceof Error && error.message === 'no answer in time';
      return isSent ? 'unanswered' : 'not_asked';
    }
  }
}

function outcomeOf(id: string, { status, body }: AirtelAnswer): PayoutOutcome {
  const reading = readOrderAnswer(id, status, body);
  if (reading.kind !== 'answer') return { kind: 'unknown' };
  const { answer } = reading;
  return answer.kind === 'accepted'
    ? { kind: 'accepted', conversationId: answer.railReference }
    : answer;
}
