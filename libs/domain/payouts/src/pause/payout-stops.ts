import { type Decider, type EventRecord, type Folded, type Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider, merchantStream } from '#domain/merchants';
import { payoutBatchStream } from '../batch/payout-batch.events.js';
import { batchCancelledDecider } from '../batch/payout-batch.js';
import { type PayoutRequest } from '../payout.js';
import { type PayoutAge } from '../ports.js';
import { pausedOf, pausesDecider, pausesStream } from './pauses.js';

/** Streams that are remembered: of the others the whole stream is read. */
const maxRemembered = 1024;

/** The facts that can stop a payout beside its own history, as the log has them at the moment of the call. */
export interface PayoutStops {
  readonly isPaused: boolean;
  /** The payout's batch was cancelled: the payout is about to be (PAY-46). */
  readonly isBatchCancelled: boolean;
  readonly merchant: Merchant;
}

/**
 * Reads the streams that can stop a payout: those of the pauses (PAY-47) and that of its batch (PAY-46). They are read for
 * each payout, from the leader: a view may lag for seconds, and a payout that is sent cannot be called back. Only what is
 * new in them travels, and one read serves all who asked before it began.
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

type StopsOf = Pick<PayoutRequest, 'merchantId' | 'mode' | 'batch'>;
