import { type PushAnswer, type PushRequest, type QueryOutcome } from '#domain/rails';
import { Dice } from '../core/dice.js';
import { type World } from '../core/world.js';
import { callbackBody } from './callback-body.js';
import { type Fate, fateOf, unknownCode } from './customers.js';

/** A push that a rail took, in the rail's own books. */
export interface TakenPush {
  readonly stream: string;
  /** The receipt of the payment, if there is one. */
  readonly receipt: string;
  readonly amountMinor: bigint;
  paidAtMs?: number;
  paidMinor?: bigint;
  /** True if a callback that reports the payment was acknowledged. Only a callback ever reports its amount. */
  isReported: boolean;
  /** Answers that reached the asking process: the number that said that it failed, and the time of the last one. */
  heardDeclines: number;
  heardAtMs?: number;
}

/** A push that the rail took. */
export interface Prompt extends TakenPush {
  readonly token: string;
  readonly checkoutId: string;
  readonly fate: Fate;
  readonly takenAtMs: number;
  /** The result code with which the rail refuses, until the customer pays. */
  declinedWith?: string;
}

/** A callback in transit. */
export interface Sent {
  readonly prompt: Prompt;
  readonly body: Buffer;
  readonly isPayment: boolean;
  readonly label: string;
}

/** Before the schedule's hostility is applied. */
const odds = {
  refused: 0.06,
  lost: 0.15,
  twice: 0.1,
  late: 0.1,
  spike: 0.08,
  mute: 0.06,
  lie: 0.25,
};

/** A time in which the rail takes no question. */
export interface BusyTime {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The rail: the pushes that it took, its customers' acts, and its reports. */
export class RailServer {
  readonly prompts: Prompt[] = [];
  busy: BusyTime | undefined;

  constructor(
    private readonly world: World,
    private readonly deliver: (sent: Sent) => void,
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
      isReported: false,
      heardDeclines: 0,
    };
    this.prompts.push(prompt);
    const { declines, paysAfterMs } = prompt.fate;
    for (const { afterMs, code } of declines)
      this.#after(afterMs, () => {
        this.#decline(prompt, code);
      });
    if (paysAfterMs !== undefined)
      this.#after(paysAfterMs, () => {
        this.#pay(prompt);
      });
    return { kind: 'accepted', railReference: checkoutId, merchantRequestId: `m-${checkoutId}` };
  }

  /**
   * Answers a query. The rail may be too busy, may not know yet, or may say that a payment failed, before the customer
   * has paid and after.
   * @param label of the question
   */
  query(checkoutId: string, label: string): QueryOutcome {
    const { faults } = this.world;
    if (this.#isBusy() || faults.happens(`${label}: spike arrest`, odds.spike))
      return { kind: 'not_asked', why: 'spike_arrest' };
    const prompt = this.prompts.find((one) => one.checkoutId === checkoutId);
    if (!prompt || faults.happens(`${label}: being processed`, odds.mute))
      return { kind: 'unresolved' };
    if (faults.happens(`${label}: says that it failed`, odds.lie))
      return { kind: 'declined', failureCode: '1037' };
    if (prompt.paidAtMs !== undefined) return { kind: 'paid', resultCode: '0' };
    const { declinedWith } = prompt;
    return declinedWith === undefined || declinedWith === unknownCode
      ? { kind: 'unresolved' }
      : { kind: 'declined', failureCode: declinedWith };
  }

  /** Records that the answer has reached the asking process. */
  heard(checkoutId: string, { kind }: QueryOutcome): void {
    const prompt = this.prompts.find((one) => one.checkoutId === checkoutId);
    if (!prompt || kind === 'not_asked' || kind === 'unanswered') return;
    prompt.heardAtMs = this.world.nowMs;
    if (kind === 'declined') prompt.heardDeclines += 1;
  }

  #isBusy(): boolean {
    const { nowMs } = this.world;
    return this.busy !== undefined && this.busy.fromMs <= nowMs && nowMs < this.busy.untilMs;
  }

  #decline(prompt: Prompt, code: string): void {
    if (prompt.paidAtMs !== undefined) return;
    prompt.declinedWith = code;
    this.world.tell(() => `the customer of ${prompt.stream} does not pay (${code})`);
    const body = callbackBody({ checkoutId: prompt.checkoutId, resultCode: code });
    this.#callBack(prompt, body, `decline at ${this.world.nowMs}`);
  }

  #pay(prompt: Prompt): void {
    const { world } = this;
    const paidMinor = prompt.amountMinor + prompt.fate.extraMinor;
    [prompt.paidAtMs, prompt.paidMinor] = [world.nowMs, paidMinor];
    world.tell(() => `the customer of ${prompt.stream} pays ${paidMinor}`);
    const paid = { amountMinor: paidMinor, receipt: prompt.receipt, paidAtMs: world.nowMs };
    const body = callbackBody({ checkoutId: prompt.checkoutId, resultCode: '0', paid });
    this.#callBack(prompt, body, 'payment');
  }

  /**
   * Callbacks may be lost, arrive twice or arrive hours late. None is sent again because of a missing acknowledgement.
   */
  #callBack(prompt: Prompt, body: Buffer, what: string): void {
    const { faults, seed } = this.world;
    const label = `callback of ${what} for ${prompt.stream}`;
    const dice = new Dice(seed, label);
    const isPayment = what === 'payment';
    const lateMs = faults.happens(`${label}: late`, odds.late)
      ? dice.between(60_000, 10_800_000)
      : 0;
    const afterMs = dice.fraction() * 2000 + lateMs;
    const againMs = dice.chance(0.5) ? afterMs + dice.fraction() * 20 : dice.fraction() * 600_000;
    if (faults.happens(`${label}: lost`, odds.lost)) return;
    this.#after(afterMs, () => {
      this.deliver({ prompt, body, isPayment, label });
    });
    if (faults.happens(`${label}: twice`, odds.twice))
      this.#after(againMs, () => {
        this.deliver({ prompt, body, isPayment, label: `${label}, again` });
      });
  }

  #after(ms: number, run: () => void): void {
    const { world } = this;
    const tie = new Dice(world.seed, `rail ${world.nowMs}`).bits();
    world.scheduler.add({ dueMs: world.nowMs + ms, tie, run });
  }
}
