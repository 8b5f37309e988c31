import { type Decider, type EventRecord, type Folded, type Pipeline } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type Merchant, merchantDecider, merchantStream } from '#domain/merchants';
import { type PayoutAge } from '../ports.js';
import { pausedOf, pausesDecider, pausesStream } from './pauses.js';

/** Merchants whose streams are remembered: of the others the whole stream is read. */
const maxRemembered = 1024;

/** What holds for a merchant's payouts of a mode, as the log has it at the moment of the call. */
export interface PayoutStops {
  readonly isPaused: boolean;
  readonly merchant: Merchant;
}

/**
 * Reads the two streams that can stop a payout (PAY-47). They are read for each payout, from the leader: a view may lag
 * for seconds, and a payout that is sent cannot be called back. Only what is new in them travels, and one read serves all
 * who asked before it began.
 */
export class PayoutStopsInLog {
  readonly #known = new Map<string, Folded<unknown>>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<unknown>>();

  constructor(
    private readonly pipeline: Pipeline,
    private readonly age: PayoutAge,
  ) {}

  get maxAgeMs(): number {
    return this.age.maxMs;
  }

  /** @throws EventStoreUnavailable: nothing may be sent then */
  async of({ merchantId, mode }: StopsOf): Promise<PayoutStops> {
    const [all, merchant] = await Promise.all([
      this.#shared(pausesStream, pausesDecider),
      this.#shared(merchantStream(merchantId), merchantDecider),
    ]);
    const isPaused = all.paused.includes(mode) || pausedOf(merchant).includes(mode);
    return { isPaused, merchant };
  }

  /** A read that began before the call may have missed what came before the call: it is waited for, and one more is made. */
  #shared<State, E extends EventRecord>(
    stream: string,
    decider: Decider<State, E>,
  ): Promise<State> {
    const waiting = this.#waiting.get(stream) as Promise<State> | undefined;
    if (waiting) return waiting;
    const running = this.#running.get(stream);
    if (!running) return this.#start(stream, decider);
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.#waiting.delete(stream);
        return this.#start(stream, decider);
      });
    this.#waiting.set(stream, next);
    return next;
  }

  #start<State, E extends EventRecord>(stream: string, decider: Decider<State, E>): Promise<State> {
    const reading = this.#read(stream, decider).finally(() => {
      if (this.#running.get(stream) === reading) this.#running.delete(stream);
    });
    this.#running.set(stream, reading);
    return reading;
  }

  async #read<State, E extends EventRecord>(
    stream: string,
    decider: Decider<State, E>,
  ): Promise<State> {
    const known = this.#known.get(stream) as Folded<State> | undefined;
    const read = await this.pipeline.follow({ decider, stream }, known);
    this.#known.delete(stream);
    this.#known.set(stream, read);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    return read.state;
  }
}

interface StopsOf {
  readonly merchantId: string;
  readonly mode: Mode;
}
