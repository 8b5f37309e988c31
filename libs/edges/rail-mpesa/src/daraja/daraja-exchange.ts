import { type Dispatcher } from 'undici';
import { type Clock, type Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';

/**
 * The end of a request to the rail. `not_sent` is certain: not one byte left this machine. `lost` and `waiting` are
 * uncertain: the request was sent in part or in full, and its outcome is unknown.
 */
export type Settled =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'not_sent'; readonly why: 'no_connection' | 'circuit_open' | 'queue_full' }
  | { readonly kind: 'lost'; readonly why: 'connection' | 'timeout' | 'too_large' };

/** The late outcome of a request that was sent. `not_sent` is impossible here, because it is settled earlier. */
export type LateSettled = Exclude<Settled, { readonly kind: 'not_sent' }>;

export type DarajaExchange =
  Settled | { readonly kind: 'waiting'; readonly late: Promise<LateSettled> };

export interface Patience {
  /** How long the caller waits, including the time to get a connection. */
  readonly answerWithinMs: number;
  /** How long to wait for the answer after the caller stopped waiting; 0 hangs up. */
  readonly lateWithinMs: number;
  /** The limit for the answer's body; 64 KiB if omitted. */
  readonly maxAnswerBytes?: number;
}

/** Daraja's answers have some hundred bytes. */
const maxBody = 64 * 1024;

/** Sends one request, once; never rejects. */
export async function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { answerWithinMs, lateWithinMs, maxAnswerBytes = maxBody }: Patience,
): Promise<DarajaExchange> {
  const call = new Call(maxAnswerBytes);
  dispatcher.dispatch(request, call);
  const inTime = await within(call.settled, answerWithinMs);
  if (inTime) return inTime;
  if (!call.started) {
    call.hangUp();
    return { kind: 'not_sent', why: 'no_connection' };
  }
  const late = within(call.settled, lateWithinMs).then((answer) => {
    // The request was started, so it cannot turn out as `not_sent`.
    if (answer && answer.kind !== 'not_sent') return answer;
    call.hangUp();
    return { kind: 'lost', why: 'timeout' } as const;
  });
  return lateWithinMs === 0 ? late : { kind: 'waiting', late };
}

/**
 * One request on the wire. The dispatcher calls `onRequestStart` when it has a connection and is about to write. If it
 * never called it, nothing was sent.
 */
class Call implements Dispatcher.DispatchHandler {
  readonly settled: Promise<Settled>;
  #settle!: (settled: Settled) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isGivenUp = false;
  #status = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly maxBytes: number) {
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get started(): boolean {
    return this.#controller !== undefined;
  }

  /** Gives up. A request that still waits for a connection is not sent any more. */
  hangUp(): void {
    this.#isGivenUp = true;
    this.#controller?.abort(new Error('given up'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isGivenUp) controller.abort(new Error('given up'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#settle({ kind: 'lost', why: 'too_large' });
    controller.abort(new Error('the answer is too large'));
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#settle({ kind: 'answered', status: this.#status, body });
  }

  onResponseError(): void {
    this.#settle(
      this.started
        ? { kind: 'lost', why: 'connection' }
        : { kind: 'not_sent', why: 'no_connection' },
    );
  }
}

/** Returns the promise's value, or undefined if it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of one try. `again_*` is certain: the rail did not take the request, so it may be sent again. */
export type Attempt<Outcome> =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | {
      readonly kind: 'again_at_once' | 'again_later';
      readonly failureCode: string;
      /** The outcome if no later try is done. If omitted, the outcome is `refused` with the failure code. */
      readonly orElse?: Outcome;
    };

const maxAttempts = 6;
const firstPauseMs = 200;
const maxPauseMs = 2000;

/** There was no token or no connection. */
export const unavailable = { kind: 'again_later', failureCode: 'rail_unavailable' } as const;

export interface Tries {
  readonly clock: Clock;
  readonly timer: Timer;
  /** The limit for the whole, pauses and a new token included. */
  readonly timeoutMs: number;
}

/** Returns the time that is left for the tries; 0 or less if they are over. */
export type TimeLeft = () => number;

/** More than a clock is ever set forward by. */
const suspendedMs = 30_000;

/**
 * Counts the time left by the timer and by the clock. While a machine is suspended its timers stop, but its clock goes
 * on. A request for which no caller waits any more is not sent after the machine resumes (PAY-41).
 */
function timeLeft({ clock, timeoutMs }: Tries): TimeLeft {
  const endAt = performance.now() + timeoutMs;
  const endAtMs = clock.nowMs() + timeoutMs + suspendedMs;
  return () => (clock.nowMs() > endAtMs ? 0 : endAt - performance.now());
}

/**
 * Tries until one attempt is done, within the time. It repeats at once only the first time (with a new token), and
 * later after growing pauses. If the tries or the time are used up, nothing was taken, so the result is a refusal.
 */
export async function tryUntilDone<Outcome>(
  tries: Tries,
  tryOnce: (leftMs: TimeLeft) => Promise<Attempt<Outcome>>,
): Promise<Outcome | { readonly kind: 'refused'; readonly failureCode: string }> {
  const leftMs = timeLeft(tries);
  let failureCode: string = unavailable.failureCode;
  let orElse: Outcome | undefined;
  let hasNewToken = false;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const result = await tryOnce(leftMs);
    if (result.kind === 'done') return result.outcome;
    ({ failureCode, orElse = orElse } = result);
    if (result.kind === 'again_at_once') {
      if (hasNewToken) break;
      hasNewToken = true;
      continue;
    }
    const pauseMs = backoffMs(attempt, firstPauseMs, maxPauseMs);
    if (attempt === maxAttempts || leftMs() <= pauseMs) break;
    await tries.timer.sleep(pauseMs);
  }
  return orElse ?? { kind: 'refused', failureCode };
}
