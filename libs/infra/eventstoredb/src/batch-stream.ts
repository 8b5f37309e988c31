import { type AppendResult } from '@eventstore/db-client';
import { type ClientDuplexStream } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { type GuardedClient } from './guarded-client.js';
import { errorOf } from './refusal.js';
import { encodeBatchAppend, type ProposedAppend } from './wire/batch-append-request.js';
import { type BatchAnswer, decodeBatchAnswer } from './wire/batch-append-response.js';

const path = '/event_store.client.streams.Streams/BatchAppend';

/** The package cuts what is longer into several messages; such an append is left to it. */
const maxMessageBytes = 3 * 1024 * 1024;

interface InFlight {
  readonly append: ProposedAppend;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The one BatchAppend call of a client, its messages written and read by hand. Its table of appends in flight is its
 * own, so that an answer that comes twice, or for an append that was given up, is dropped.
 */
export class BatchStream {
  readonly #guarded: GuardedClient;
  readonly #inFlight = new Map<string, InFlight>();
  #opening: Promise<void> | undefined;
  #supported = false;
  #call: ClientDuplexStream<Buffer, BatchAnswer> | undefined;

  constructor(guarded: GuardedClient) {
    this.#guarded = guarded;
  }

  /** Opens the call unless it is open, or the server has none. May be asked again after a failure. */
  async open(): Promise<void> {
    if (this.#call) return;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /**
   * Sends the append and resolves with its answer, or rejects where the server refuses it or the call ends.
   * @returns undefined, and nothing is sent, where the package must send it
   */
  append(append: ProposedAppend): Promise<AppendResult> | undefined {
    if (!this.#supported) return undefined;
    const call = this.#call;
    if (!call) return Promise.reject(ended());
    const correlationId = randomUUID();
    const message = encodeBatchAppend(append, correlationId, this.#guarded.serverDeadlineMs());
    if (message.length > maxMessageBytes) return undefined;
    return new Promise((resolve, reject) => {
      this.#inFlight.set(correlationId, { append, resolve, reject });
      call.write(message);
    });
  }

  async #open(): Promise<void> {
    this.#supported = await this.#guarded.supports(path);
    if (!this.#supported) return;
    this.#call = await this.#guarded.open({
      name: 'batchAppend',
      requiresLeader: true,
      begin: (grpc, metadata, options) => {
        const call = grpc.makeBidiStreamRequest(path, asIs, decodeBatchAnswer, metadata, options);
        const end = (error?: Error): void => {
          if (this.#call === call) this.#call = undefined;
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
const asIs = (message: Buffer): Buffer => message;
