import { type Decider, type EventRecord, type Folded, type Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider, merchantStream } from '#domain/merchants';
import { payoutBatchStream } from '../batch/payout-batch.events.js';
import { batchCancelledDecider } from '../batch/payout-batch.js';
import { type PayoutRequest } from '../payout.js';
import { type PayoutAge } from '../ports.js';
import { pausedOf, pausesDecider, pausesStream } from './pauses.js';

/** The number of remembered streams. Any other stream is read as a whole. */
const maxRemembered = 1024;

/** The facts outside a payout's own history that can stop it, as the log has them at the call. */
export interface PayoutStops {
  readonly isPaused: boolean;
  /** True if the payout's batch was cancelled; the payout's own cancellation follows (PAY-46). */
  readonly isBatchCancelled: boolean;
  readonly merchant: Merchant;
}

/**
 * Reads the streams that can stop a payout: those of the pauses (PAY-47) and that of its batch (PAY-46). They are read
 * for each payout, from the leader, because a view may lag for seconds and a sent payout cannot be recalled. Only new
 * events are transferred, and one read serves all calls that came before it began.
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
  async of({ merchantId, mode, batch }: StopsOf): Promise<PayoutStops> {
    const [all, merchant, isBatchCancelled] = await Promise.all([
      this.#shared(pausesStream, pausesDecider),
      this.#shared(merchantStream(merchantId), merchantDecider),
      batch !== undefined &&
        this.#shared(
          payoutBatchStream({ merchantId, mode, reference: batch }),
          batchCancelledDecider,
        ),
    ]);
    const isPaused = all.paused.includes(mode) || pausedOf(merchant).includes(mode);
    return { isPaused, isBatchCancelled, merchant };
  }

  /**
   * A read that began before the call may lack events from before the call. So the call waits for it to end and shares
   * one more read.
   */
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

type StopsOf = Pick<PayoutRequest, 'merchantId' | 'mode' | 'batch'>;
