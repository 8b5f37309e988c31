import { DependencyUnavailable } from '#domain/kernel';
import { Dice } from '../core/dice.js';
import { type Host } from '../core/host.js';
import { type World } from '../core/world.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Api } from './api.js';

const patienceMs = 20_000;
const maxTries = 6;

/** A request of a merchant's program to an API, until it has an answer. */
export interface Request<Answer> {
  readonly label: string;
  /** The API that receives it first, and the time. */
  readonly api: number;
  readonly atMs: number;
  /** For the trace: the subject of the request. */
  readonly what: string;
  readonly ask: (api: Api, name: string) => Promise<Answer>;
  /** Called with the answer, at the moment at which the API gives it. @returns `again` to ask again in a while */
  readonly told: (name: string, answer: Answer) => 'again' | 'done';
}

/** Sends requests until they have an answer, to any API that can be reached. */
export class Requests {
  constructor(
    private readonly world: World,
    private readonly apis: readonly Host<Api>[],
    private readonly oracle: Oracle,
  ) {}

  start<Answer>(request: Request<Answer>): void {
    this.#send(request, request.atMs, 1);
  }

  #send<Answer>(request: Request<Answer>, delayMs: number, attempt: number): void {
    const { world } = this;
    const dice = new Dice(world.seed, `${request.label}, try ${attempt}`);
    const host = this.apis[attempt === 1 ? request.api : dice.between(0, 1)];
    world.scheduler.add({
      dueMs: world.nowMs + delayMs,
      tie: dice.bits(),
      run: () => {
        if (attempt === 1 && !world.faults.planned(request.label)) return;
        if (host) this.#meet(host, request, attempt, dice);
      },
    });
  }

  /** Handles a request that has reached the API. */
  #meet<Answer>(host: Host<Api>, request: Request<Answer>, attempt: number, dice: Dice): void {
    const { world, oracle } = this;
    const { label, what } = request;
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
    world.tell(() => `a client asks ${host.name} ${what} (${label})`);
    const name = `${label}, try ${attempt}`;
    life.later(0, dice.bits(), () => {
      oracle.began(name, life);
      request.ask(host.program, name).then(
        (answer) => {
          oracle.ended(name);
          if (request.told(name, answer) === 'again') again();
          isSettled = true;
        },
        (error: unknown) => {
          oracle.ended(name);
          if (!(error instanceof DependencyUnavailable)) oracle.defect(`${name}: ${String(error)}`);
          world.tell(() => `${host.name} answers 503 to ${label}`);
          again();
        },
      );
    });
    world.scheduler.add({ dueMs: world.nowMs + patienceMs, tie: dice.bits(), run: again });
  }
}
