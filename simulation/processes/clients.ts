import { type CollectionDetails } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { Dice } from '../core/dice.js';
import { type Host } from '../core/host.js';
import { type World } from '../core/world.js';
import { account } from '../names.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Plan, type PlannedRequest } from '../plan.js';
import { carried } from '../servers/rail.js';
import { type Api } from './api.js';

const patienceMs = 20_000;
const maxTries = 6;

/** Merchants' programs: each sends a request until it has an answer, to whichever API it reaches. */
export class Clients {
  constructor(
    private readonly world: World,
    private readonly apis: readonly Host<Api>[],
    private readonly oracle: Oracle,
    private readonly plan: Plan,
  ) {}

  start(): void {
    for (const request of this.plan.requests) this.#send(request, request.atMs, 1);
  }

  #send(request: PlannedRequest, delayMs: number, attempt: number): void {
    const { world } = this;
    const label = `${request.label}, try ${attempt}`;
    const dice = new Dice(world.seed, label);
    const host = this.apis[attempt === 1 ? request.api : dice.between(0, 1)];
    const dueMs = world.nowMs + delayMs;
    world.scheduler.add({
      dueMs,
      tie: dice.bits(),
      run: () => {
        if (attempt === 1 && !world.faults.planned(request.label)) return;
        if (host) this.#meet(host, request, attempt, dice);
      },
    });
  }

  /** The request has reached the API. */
  #meet(host: Host<Api>, request: PlannedRequest, attempt: number, dice: Dice): void {
    const { world, oracle } = this;
    let isSettled = false;
    const again = (): void => {
      if (isSettled) return;
      isSettled = true;
      if (attempt < maxTries) this.#send(request, 500 + dice.fraction() * 4000, attempt + 1);
    };
    const { life } = host;
    if (life.isOver) {
      again();
      return;
    }
    world.tell(() => `a client asks ${host.name} for ${request.reference} (${request.label})`);
    const name = `${request.label}, try ${attempt}`;
    life.later(0, dice.bits(), () => {
      oracle.began(name, life);
      host.program.create(this.#details(request.reference), name).then(
        (result) => {
          oracle.answered(name, request.reference, result);
          isSettled = true;
        },
        (error: unknown) => {
          oracle.ended(name);
          if (!(error instanceof DependencyUnavailable)) oracle.defect(`${name}: ${String(error)}`);
          world.tell(() => `${host.name} answers 503 to ${request.label}`);
          again();
        },
      );
    });
    world.scheduler.add({ dueMs: world.nowMs + patienceMs, tie: dice.bits(), run: again });
  }

  #details(reference: string): CollectionDetails {
    return {
      account: account(this.plan.feeBasisPoints),
      phone: '254700000001',
      amountMinor: carried(this.plan.amountMinor),
      channel: 'mpesa',
      reference,
      origin: 'v4',
    };
  }
}
