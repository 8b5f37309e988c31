import { type Dispatcher } from 'undici';

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

export type RailExchange =
  Settled | { readonly kind: 'waiting'; readonly late: Promise<LateSettled> };

export interface Patience {
  /** How long the caller waits, including the time to get a connection. */
  readonly answerWithinMs: number;
  /** How long to wait for the answer after the caller stopped waiting; 0 hangs up. */
  readonly lateWithinMs: number;
  /** The limit for the answer's body; 64 KiB if omitted. */
  readonly maxAnswerBytes?: number;
}

/** The rails' answers have some hundred bytes. */
const maxBody = 64 * 1024;

/** Sends one request, once; never rejects. */
export async function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { answerWithinMs, lateWithinMs, maxAnswerBytes = maxBody }: Patience,
): Promise<RailExchange> {
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
