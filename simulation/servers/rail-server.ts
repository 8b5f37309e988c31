import { type PushAnswer, type PushRequest, type QueryOutcome } from '#collections';
import { Dice } from '../core/dice.js';
import { type World } from '../core/world.js';
import { callbackBody } from './callback-body.js';
import { type Fate, fateOf } from './customers.js';

/** A push that the rail took. */
export interface Prompt {
  readonly stream: string;
  readonly token: string;
  readonly checkoutId: string;
  /** Of the payment, should there be one. */
  readonly receipt: string;
  readonly amountMinor: bigint;
  readonly fate: Fate;
  readonly takenAtMs: number;
  declinedAtMs?: number;
  paidAtMs?: number;
  paidMinor?: bigint;
  /** Whether a callback that tells of the payment was acknowledged. */
  isTold: boolean;
}

/** A callback on its way: whoever sends it is told whether it was acknowledged. */
export type Deliver = (prompt: Prompt, body: Buffer, label: string) => void;

const odds = {
  refused: 0.06,
  lost: 0.08,
  twice: 0.1,
  late: 0.06,
  spike: 0.08,
  mute: 0.06,
  lie: 0.4,
};

/** The rail: what it took, what its customers do, what it tells whom. */
export class RailServer {
  readonly prompts: Prompt[] = [];

  constructor(
    private readonly world: World,
    private readonly deliver: Deliver,
    private readonly onPush: (request: PushRequest) => void,
  ) {}

  promptOf(stream: string): Prompt | undefined {
    return this.prompts.find((prompt) => prompt.stream === stream);
  }

  /** Takes a push, or refuses it so that no prompt is shown. */
  push(request: PushRequest, token: string): PushAnswer {
    const { world } = this;
    this.onPush(request);
    const { stream, amountMinor } = request;
    if (new Dice(world.seed, `refuses ${stream}`).chance(odds.refused))
      return { kind: 'refused', failureCode: '400.002.02' };
    const checkoutId = `ws_CO_${this.prompts.length + 1}_${stream.slice(-2)}`;
    const prompt: Prompt = {
      stream,
      token,
      checkoutId,
      receipt: `R${String(this.prompts.length + 1).padStart(9, '0')}`,
      amountMinor,
      fate: fateOf(world.seed, stream),
      takenAtMs: world.nowMs,
      isTold: false,
    };
    this.prompts.push(prompt);
    const { declinesAfterMs, paysAfterMs } = prompt.fate;
    if (declinesAfterMs !== undefined)
      this.#after(declinesAfterMs, () => {
        this.#decline(prompt);
      });
    if (paysAfterMs !== undefined)
      this.#after(paysAfterMs, () => {
        this.#pay(prompt);
      });
    return { kind: 'accepted', railReference: checkoutId, merchantRequestId: `m-${checkoutId}` };
  }

  /** @param label of the question; the rail may be too busy, not know yet, or deny what it told before */
  query(checkoutId: string, label: string): QueryOutcome {
    const { faults } = this.world;
    if (faults.happens(`${label}: spike arrest`, odds.spike))
      return { kind: 'not_asked', why: 'spike_arrest' };
    const prompt = this.prompts.find((one) => one.checkoutId === checkoutId);
    if (!prompt || faults.happens(`${label}: being processed`, odds.mute))
      return { kind: 'unresolved' };
    if (prompt.paidAtMs !== undefined) {
      // Seen in the sandbox: FAILED after a callback had said success (docs of Daraja tell of no such thing).
      if (prompt.isTold && faults.happens(`${label}: denies the payment`, odds.lie))
        return { kind: 'declined', failureCode: '1037' };
      return { kind: 'paid', resultCode: '0' };
    }
    if (prompt.declinedAtMs === undefined) return { kind: 'unresolved' };
    return { kind: 'declined', failureCode: prompt.fate.failureCode };
  }

  #decline(prompt: Prompt): void {
    prompt.declinedAtMs = this.world.nowMs;
    const { checkoutId, fate } = prompt;
    this.world.tell(() => `the customer of ${prompt.stream} does not pay (${fate.failureCode})`);
    this.#callBack(prompt, callbackBody({ checkoutId, resultCode: fate.failureCode }));
  }

  #pay(prompt: Prompt): void {
    const { world } = this;
    const paidMinor = prompt.amountMinor + prompt.fate.extraMinor;
    [prompt.paidAtMs, prompt.paidMinor] = [world.nowMs, paidMinor];
    world.tell(() => `the customer of ${prompt.stream} pays ${paidMinor}`);
    const paid = { amountMinor: paidMinor, receipt: prompt.receipt, paidAtMs: world.nowMs };
    this.#callBack(prompt, callbackBody({ checkoutId: prompt.checkoutId, resultCode: '0', paid }));
  }

  /**
   * Callbacks get lost, come twice, come hours late. Only money of which no query could tell (late, or another
   * amount) is told of until somebody listens.
   */
  #callBack(prompt: Prompt, body: Buffer): void {
    const { faults, seed } = this.world;
    const what = prompt.paidAtMs === undefined ? 'decline' : 'payment';
    const label = `callback of ${what} for ${prompt.stream}`;
    const dice = new Dice(seed, label);
    const isDue = what === 'payment' && mustBeTold(prompt);
    const lateMs = faults.happens(`${label}: late`, odds.late)
      ? dice.between(60_000, 10_800_000)
      : 0;
    const afterMs = dice.fraction() * 2000 + lateMs;
    const againMs = dice.chance(0.5) ? afterMs + dice.fraction() * 20 : dice.fraction() * 600_000;
    if (isDue || !faults.happens(`${label}: lost`, odds.lost))
      this.#after(afterMs, () => {
        this.deliver(prompt, body, label);
      });
    if (faults.happens(`${label}: twice`, odds.twice))
      this.#after(againMs, () => {
        this.deliver(prompt, body, `${label}, again`);
      });
  }

  #after(ms: number, run: () => void): void {
    const { world } = this;
    const tie = new Dice(world.seed, `rail ${world.nowMs}`).bits();
    world.scheduler.add({ dueMs: world.nowMs + ms, tie, run });
  }
}

/** Whether no query would ever tell of the money, or not of its amount. */
export function mustBeTold({ fate, declinedAtMs }: Prompt): boolean {
  return declinedAtMs !== undefined || fate.extraMinor !== 0n;
}
