import {
  type handleBidiStreamingCall,
  type ServerDuplexStream,
  status,
  type StatusObject,
} from '@grpc/grpc-js';
import { type Outcome } from '../store/commands.js';
import { type GroupWriter } from '../store/group-writer.js';
import { type AppendOptions, correlationIdOf, decodeBatchAppend } from '../wire/append-requests.js';
import { type ActiveCalls } from './active-calls.js';
import { AppendParts } from './append-parts.js';
import { encodeAppended, encodeRefused } from './batch-replies.js';
import { type BadRequest, failure, invalidArgument, shuttingDownAppends } from './errors.js';
import { invalidStreamName } from './fields.js';

type Call = ServerDuplexStream<Buffer, readonly Buffer[]>;

/** The most appends of one call that may be in progress, in pieces or waiting for the disk, before reading pauses. */
const MAX_IN_FLIGHT = 1024;
const MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024;

/** Stands for the options of an append whose first message cannot be read. */
const UNKNOWN_OPTIONS: AppendOptions = {
  stream: Buffer.alloc(0),
  expected: 'any',
  deadline: undefined,
};

interface Partial {
  readonly options: AppendOptions;
  readonly parts: AppendParts;
}

/** One BatchAppend call: joins the chunks of each append and answers by correlation id. */
class BatchAppendCall {
  readonly #call: Call;
  readonly #writer: GroupWriter;
  readonly #partials = new Map<string, Partial>();
  #partialBytes = 0;
  #submitted = 0;
  #submittedBytes = 0;
  /** Answers that are not sent yet. Those of a group are sent together. */
  #answers: Buffer[] = [];
  #leaving = 0;
  #ended = false;
  #finished = false;

  constructor(call: Call, writer: GroupWriter) {
    this.#call = call;
    this.#writer = writer;
    call.on('data', (bytes: Buffer) => {
      this.#receive(bytes);
    });
    call.on('end', () => {
      this.#ended = true;
      this.#finish();
    });
  }

  #receive(bytes: Buffer): void {
    try {
      this.#accept(bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'the message cannot be read';
      const correlationId = correlationIdOf(bytes);
      if (correlationId === undefined) this.#fail(invalidArgument(why));
      else this.#reject(correlationId, why);
    }
  }

  /** Refuses one append. The others of the call continue. */
  #reject(correlationId: string, reason: string): void {
    const partial = this.#partials.get(correlationId);
    this.#partials.delete(correlationId);
    this.#partialBytes -= partial?.parts.occupiedBytes ?? 0;
    const options = partial?.options ?? UNKNOWN_OPTIONS;
    this.#answer(correlationId, options, { kind: 'bad-request', reason });
  }

  #accept(bytes: Buffer): void {
    const { correlationId, options, events, isFinal } = decodeBatchAppend(bytes);
    const partial = this.#partials.get(correlationId) ?? this.#begin(correlationId, options);
    // A later chunk of an append that was refused.
    if (partial === undefined) return;
    const before = partial.parts.occupiedBytes;
    for (const event of events) partial.parts.add(event);
    this.#partialBytes += partial.parts.occupiedBytes - before;
    if (isFinal) {
      this.#partials.delete(correlationId);
      this.#partialBytes -= partial.parts.occupiedBytes;
      void this.#submit(correlationId, partial);
    } else if (this.#partials.size > MAX_IN_FLIGHT || this.#partialBytes > MAX_IN_FLIGHT_BYTES) {
      this.#fail(failure(status.RESOURCE_EXHAUSTED, 'too many unfinished appends in one call'));
    }
    this.#regulate();
  }

  #begin(correlationId: string, options: AppendOptions | undefined): Partial | undefined {
    if (correlationId === '') throw new RangeError('the correlation id is missing');
    if (options === undefined) return undefined;
    const invalid = invalidStreamName(options.stream);
    if (invalid !== undefined) throw new RangeError(invalid);
    const partial = { options, parts: new AppendParts() };
    this.#partials.set(correlationId, partial);
    return partial;
  }

  async #submit(correlationId: string, { options, parts }: Partial): Promise<void> {
    const bytes = parts.occupiedBytes;
    this.#submitted++;
    this.#submittedBytes += bytes;
    const outcome: Outcome = parts.tooLarge
      ? { kind: 'too-large' }
      : await this.#writer.submit({ kind: 'append', ...options, events: parts.events });
    this.#submitted--;
    this.#submittedBytes -= bytes;
    if (outcome.kind === 'shutting-down') this.#fail(shuttingDownAppends());
    else this.#answer(correlationId, options, outcome);
    this.#finish();
  }

  #answer(
    correlationId: string,
    options: AppendOptions,
    outcome: Exclude<Outcome, { kind: 'shutting-down' }> | BadRequest,
  ): void {
    if (this.#finished) return;
    const answers = this.#answers.push(
      outcome.kind === 'written'
        ? encodeAppended(correlationId, outcome)
        : encodeRefused(correlationId, outcome, options.stream, options.expected),
    );
    if (answers === 1) {
      queueMicrotask(() => {
        if (this.#leaving === 0) this.#flush();
      });
    }
    this.#regulate();
  }

  #flush(): void {
    if (this.#answers.length === 0) return;
    this.#leaving = this.#answers.length;
    this.#call.write(this.#answers, () => {
      this.#leaving = 0;
      this.#flush();
      this.#regulate();
    });
    this.#answers = [];
  }

  /** Reads on only while the appends in progress and the answers that the client has not read stay bounded. */
  #regulate(): void {
    const busy =
      this.#submitted >= MAX_IN_FLIGHT ||
      this.#submittedBytes >= MAX_IN_FLIGHT_BYTES ||
      this.#answers.length + this.#leaving > MAX_IN_FLIGHT;
    if (busy) this.#call.pause();
    else if (this.#call.isPaused()) this.#call.resume();
  }

  #finish(): void {
    if (!this.#ended || this.#finished || this.#submitted > 0) return;
    this.#close();
    this.#call.end();
  }

  #fail(error: StatusObject): void {
    if (this.#finished) return;
    this.#close();
    this.#call.emit('error', error);
  }

  #close(): void {
    this.#finished = true;
    this.#flush();
  }

  /** Returns the status with which the call ends when the server stops. Existing answers are sent first. */
  shutDown(): StatusObject {
    this.#close();
    return shuttingDownAppends();
  }
}

export function batchAppend(
  writer: GroupWriter,
  calls: ActiveCalls,
): handleBidiStreamingCall<Buffer, readonly Buffer[]> {
  return (call) => {
    const appends = new BatchAppendCall(call, writer);
    calls.add(call, () => {
      call.emit('error', appends.shutDown());
    });
  };
}
