import { type AppendResult } from '@eventstore/db-client';
import { type ClientDuplexStream } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { type GuardedClient } from './guarded-client.js';
import { errorOf } from './refusal.js';
import { encodeBatchAppend, type ProposedAppend } from './wire/batch-append-request.js';
import { type BatchAnswer, decodeBatchAnswer } from './wire/batch-append-response.js';

const path = '/event_store.client.streams.Streams/BatchAppend';

/** The package splits a longer append into several messages; such an append is left to it. */
const maxMessageBytes = 3 * 1024 * 1024;

/**
 * If more appends than this wait for their answers, new ones gather until all are answered, or for at most `gatherMs`.
 * They then share a write, and a flush of the server, which would not begin theirs before the current flush ends.
 */
const maxImmediateAppends = 4;
const gatherMs = 6;

interface InFlight {
  readonly append: ProposedAppend;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A client's only BatchAppend call; its messages are written and read by hand. It has its own table of appends in
 * flight, so that an answer that comes twice, or for an abandoned append, is dropped.
 */
export class BatchStream {
  readonly #guarded: GuardedClient;
  readonly #inFlight = new Map<string, InFlight>();
  #opening: Promise<void> | undefined;
  #supported = false;
  #call: ClientDuplexStream<readonly Buffer[], BatchAnswer> | undefined;
  /** Messages of this turn of the event loop, or gathered ones: they are sent together. */
  #leaving: Buffer[] = [];
  /** The timer while messages gather. */
  #gathering: NodeJS.Timeout | undefined;

  constructor(guarded: GuardedClient) {
    this.#guarded = guarded;
  }

  /** Opens the call unless it is open, or the server does not support it. Call it again after a failure. */
  async open(): Promise<void> {
    if (this.#call) return;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /**
   * Sends the append and resolves with its answer; rejects if the server refuses it or the call ends.
   * @returns undefined, with nothing sent, if the package must send it
   */
  append(append: ProposedAppend): Promise<AppendResult> | undefined {
    if (!this.#supported) return undefined;
    const call = this.#call;
    if (!call) return Promise.reject(ended());
    const correlationId = randomUUID();
    const message = encodeBatchAppend(append, correlationId);
    if (message.length > maxMessageBytes) return undefined;
    return new Promise((resolve, reject) => {
      this.#inFlight.set(correlationId, { append, resolve, reject });
      if (this.#leaving.push(message) > 1) return;
      if (this.#inFlight.size <= maxImmediateAppends) setImmediate(this.#send);
      else this.#gathering = setTimeout(this.#send, gatherMs);
    });
  }

  readonly #send = (): void => {
    const messages = this.#takeLeaving();
    // If the call has ended meanwhile, its messages were rejected with it.
    if (messages.length > 0) this.#call?.write(messages);
  };

  #takeLeaving(): readonly Buffer[] {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const messages = this.#leaving;
    this.#leaving = [];
    return messages;
  }

  async #open(): Promise<void> {
    this.#supported = await this.#guarded.supports(path);
    if (!this.#supported) return;
    this.#call = await this.#guarded.open({
      name: 'batchAppend',
      requiresLeader: true,
      begin: (grpc, metadata, options) => {
        const call = grpc.makeBidiStreamRequest(path, joined, decodeBatchAnswer, metadata, options);
        const end = (error?: Error): void => {
          if (this.#call === call) {
            this.#call = undefined;
            this.#takeLeaving();
          }
          this.#failAll(error ?? ended());
        };
        return call
          .on('data', (answer: BatchAnswer) => {
            this.#settle(answer);
          })
          .on('error', end)
          .on('end', end)
          .on('close', end);
      },
    });
  }

  #settle(answer: BatchAnswer): void {
    const { correlationId } = answer;
    const inFlight = this.#inFlight.get(correlationId);
    if (!inFlight) return;
    this.#inFlight.delete(correlationId);
    const isLastAnswered = this.#inFlight.size === this.#leaving.length;
    if (this.#gathering !== undefined && isLastAnswered) this.#send();
    const { append, resolve, reject } = inFlight;
    if (answer.kind === 'refusal') {
      reject(errorOf(answer, append));
      return;
    }
    const { revision, position } = answer;
    resolve({ success: true, nextExpectedRevision: revision, ...(position && { position }) });
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#inFlight.values()) reject(error);
    this.#inFlight.clear();
  }
}

const ended = (): Error => new Error('the batch stream ended');

/** The prefix in gRPC: a flag for compression, and the message's length. */
const prefixBytes = 5;

/**
 * Serializes several messages the way grpc-js serializes one. grpc-js reads the length, writes the prefix of a message
 * of that length, and has the bytes copied after it. Here the copying also overwrites that prefix with the first
 * message's own, and writes the rest with theirs.
 */
function joined(messages: readonly Buffer[]): Buffer {
  const [first] = messages;
  if (first !== undefined && messages.length === 1) return first;
  const length = messages.reduce((sum, message) => sum + prefixBytes + message.length, 0);
  const copy = (target: Buffer): void => {
    let at = 0;
    for (const message of messages) {
      target[at] = 0;
      target.writeUInt32BE(message.length, at + 1);
      target.set(message, at + prefixBytes);
      at += prefixBytes + message.length;
    }
  };
  return { length: length - prefixBytes, copy } as unknown as Buffer;
}
