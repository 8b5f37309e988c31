import {
  type PushAnswer,
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  type RailPayment,
} from '#domain/rails';
import { knowsId, readEnquiryAnswer, readPushAnswer } from '#edges/rail-airtel';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { VirtualTimer } from '../core/ports.js';
import { type AirtelAnswer } from './airtel-bodies.js';
import { type AirtelServer, type Enquired } from './airtel-server.js';
import { lateMs, pushTimeoutMs } from './push-times.js';

const enquiryTimeoutMs = 5000;
/** The values of libs/edges/rail-airtel. */
const learningPausesMs = [3000, 10_000, 25_000] as const;
const odds = { lost: 0.06, broken: 0.08, silent: 0.06, late: 0.06 } as const;

/** Airtel's collections as one process reaches them: AirtelAccount in virtual time, with its own readers of answers. */
export class SimulatedAirtel {
  constructor(
    private readonly life: Life,
    private readonly server: AirtelServer,
  ) {}

  /** Pushes once. If the answer is lost, it enquires about the id for as long as an answer may be late (AIR-8). */
  push(request: PushRequest): Promise<PushOutcome> {
    const { life } = this;
    const { world } = life;
    const label = life.label(`pushes for ${request.stream}`);
    const dice = new Dice(world.seed, label);
    const happens = (what: keyof typeof odds): boolean =>
      world.faults.happens(`${label}: ${what}`, odds[what]);
    const isLost = happens('lost');
    const [isBroken, isSilent] = [happens('broken'), happens('silent')];
    const slowMs = happens('late') ? dice.between(8000, 90_000) : 0;
    const id = request.accountReference;
    return new Promise<PushOutcome>((resolve) => {
      let hear: (answer: PushAnswer | undefined) => void = () => undefined;
      const late = new Promise<PushAnswer | undefined>((heard) => (hear = heard));
      life.later(pushTimeoutMs, dice.bits(), () => {
        resolve({ kind: 'unknown', late });
      });
      life.later(pushTimeoutMs + lateMs, dice.bits(), () => {
        hear(undefined);
      });
      const learn = (): void => {
        resolve({ kind: 'unknown', late });
        void this.#learnt(id).then(hear);
      };
      if (isLost) {
        world.tell(() => `${life.name} pushes for ${request.stream}: it never gets there`);
        return;
      }
      const arrive = (): void => {
        const isAway = world.isDown('airtel', life.name);
        const answer = isAway ? undefined : this.readPush(id, this.server.push(request));
        world.tell(() => `${life.name} pushes for ${request.stream}: ${answer?.kind ?? 'unclear'}`);
        if (isSilent) world.tell(() => `${life.name} never hears Airtel's answer`);
        else
          life.later(dice.fraction() * 300 + slowMs, dice.bits(), () => {
            if (isAway) {
              const refused = { kind: 'refused', failureCode: 'rail_unavailable' } as const;
              resolve(refused);
              hear(refused);
            } else if (isBroken || !answer) learn();
            else {
              resolve(answer);
              hear(answer);
            }
          });
      };
      world.scheduler.add({
        dueMs: world.nowMs + dice.fraction() * 100,
        tie: dice.bits(),
        run: arrive,
      });
    });
  }

  /** Enquires about an id. An unclear answer settles nothing: the worker asks again. */
  async query({ railReference: id }: RailPayment): Promise<QueryOutcome> {
    const { life } = this;
    const answer = await this.#enquire(id);
    if (typeof answer === 'string')
      return answer === 'unanswered'
        ? { kind: 'unanswered' }
        : { kind: 'not_asked', why: 'unreachable' };
    const outcome = this.readEnquiry(id, answer);
    life.world.tell(() => `${life.name} reads about ${id}: ${outcome.kind}`);
    return outcome;
  }

  protected readEnquiry(id: string, { status, body }: AirtelAnswer): QueryOutcome {
    const reading = readEnquiryAnswer(id, status, body);
    if (reading.kind === 'invalid_token') throw new TypeError('no token is simulated');
    return reading;
  }

  private readPush(id: string, { status, body }: AirtelAnswer): PushAnswer | undefined {
    const reading = readPushAnswer(id, status, body);
    return reading.kind === 'answer' ? reading.answer : undefined;
  }

  async #learnt(id: string): Promise<PushAnswer | undefined> {
    const timer = new VirtualTimer(this.life);
    for (const pauseMs of learningPausesMs) {
      await timer.sleep(pauseMs);
      const answer = await this.#enquire(id);
      if (typeof answer === 'object' && knowsId(id, answer.body))
        return { kind: 'accepted', railReference: id };
    }
    return undefined;
  }

  /** @returns `unanswered` if Airtel may have looked at it, `not_asked` if it certainly did not */
  async #enquire(id: string): Promise<AirtelAnswer | 'unanswered' | 'not_asked'> {
    const { life, server } = this;
    const label = life.label(`enquired about ${id}`);
    try {
      const enquired = await life.call<Enquired>({
        server: 'airtel',
        what: `enquires about ${id}`,
        serve: () => {
          const told = server.enquire(id, label);
          life.world.tell(() => `Airtel says of ${id}: ${told.says} (${told.answer.body})`);
          return told;
        },
        deadlineMs: enquiryTimeoutMs,
        unavailable: (why) => new Error(why),
      });
      server.heard(id, enquired);
      return enquired.answer;
    } catch (error) {
      const isSent = error instanceof Error && error.message === 'no answer in time';
      return isSent ? 'unanswered' : 'not_asked';
    }
  }
}
