import {
  type PushAnswer,
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  railAmount,
  type RailAmount,
  type RailLimits,
  type RailPayment,
} from '#domain/rails';
import { type Keyring, sealToken } from '#shared/signing';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { channels } from '../names.js';
import { SimulatedAirtel } from './airtel-line.js';
import { type AirtelServer } from './airtel-server.js';
import { lateMs, pushTimeoutMs } from './push-times.js';
import { type RailServer } from './rail-server.js';

const queryTimeoutMs = 5000;
const odds = { lost: 0.06, answerLost: 0.08, late: 0.06 } as const;

export const limits: RailLimits = { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] };

/** Checks the amount against the simulated rail's limits. @throws RangeError if the rail does not carry it */
export function carried(amountMinor: bigint): RailAmount {
  const amount = railAmount(limits, amountMinor, 'KES');
  if (!amount.ok) throw new RangeError(amount.refusal);
  return amount.value;
}

/** The servers of both rails. */
export interface RailServers {
  readonly rail: RailServer;
  readonly airtel: AirtelServer;
}

/**
 * Both rails as one process reaches them, with the promises of libs/edges/rails, unknown outcomes included. M-Pesa's part
 * is here.
 */
export class SimulatedRail extends Rail {
  protected readonly server: RailServer;

  constructor(
    protected readonly life: Life,
    servers: RailServers,
    private readonly keyring: Keyring,
    private readonly airtel = new SimulatedAirtel(life, servers.airtel),
  ) {
    super();
    this.server = servers.rail;
  }

  override channels(): readonly string[] {
    return channels;
  }

  override limits(): RailLimits {
    return limits;
  }

  override push(request: PushRequest): Promise<PushOutcome> {
    return request.channel === 'airtel' ? this.airtel.push(request) : this.#push(request);
  }

  override query(payment: RailPayment): Promise<QueryOutcome> {
    return payment.channel === 'airtel' ? this.airtel.query(payment) : this.ask(payment);
  }

  #push(request: PushRequest): Promise<PushOutcome> {
    const { life } = this;
    const { world } = life;
    const label = life.label(`pushes for ${request.stream}`);
    const dice = new Dice(world.seed, label);
    const isLost = world.faults.happens(`${label}: lost`, odds.lost);
    const isAnswerLost = world.faults.happens(`${label}: answer lost`, odds.answerLost);
    const slowMs = world.faults.happens(`${label}: answered late`, odds.late)
      ? dice.between(8000, 90_000)
      : 0;
    const token = sealToken(this.keyring, request.stream);
    return new Promise<PushOutcome>((resolve) => {
      let hear: (answer: PushAnswer | undefined) => void = () => undefined;
      const late = new Promise<PushAnswer | undefined>((heard) => (hear = heard));
      life.later(pushTimeoutMs, dice.bits(), () => {
        resolve({ kind: 'unknown', late });
      });
      life.later(pushTimeoutMs + lateMs, dice.bits(), () => {
        hear(undefined);
      });
      if (isLost) {
        world.tell(() => `${life.name} pushes for ${request.stream}: it never gets there`);
        return;
      }
      const arrive = (): void => {
        const answer: PushAnswer = world.isDown('rail', life.name)
          ? { kind: 'refused', failureCode: 'rail_unavailable' }
          : this.server.push(request, token);
        world.tell(() => `${life.name} pushes for ${request.stream}: ${answer.kind}`);
        if (isAnswerLost) world.tell(() => `${life.name} never hears the rail's answer`);
        else
          life.later(dice.fraction() * 300 + slowMs, dice.bits(), () => {
            resolve(answer);
            hear(answer);
          });
      };
      world.scheduler.add({
        dueMs: world.nowMs + dice.fraction() * 100,
        tie: dice.bits(),
        run: arrive,
      });
    });
  }

  protected ask({ railReference }: RailPayment): Promise<QueryOutcome> {
    const { life, server } = this;
    const label = life.label(`asked about ${railReference}`);
    return life
      .call<QueryOutcome>({
        server: 'rail',
        what: `asks the rail about ${railReference}`,
        serve: () => {
          const answer = server.query(railReference, label);
          life.world.tell(() => `the rail says of ${railReference}: ${answer.kind}`);
          return answer;
        },
        deadlineMs: queryTimeoutMs,
        unavailable: (why) => new Error(why),
      })
      .then((answer) => {
        server.heard(railReference, answer);
        return answer;
      })
      .catch((error: unknown): QueryOutcome => {
        const isSent = error instanceof Error && error.message === 'no answer in time';
        return isSent ? { kind: 'unanswered' } : { kind: 'not_asked', why: 'unreachable' };
      });
  }
}
