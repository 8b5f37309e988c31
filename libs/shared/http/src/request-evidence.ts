import { type Actor, type CommandMetadata } from '#domain/event-sourcing';
import { type MessageItem, type SealedMessage, SealedMessages } from '#domain/evidence';
import { DependencyUnavailable, Ids, Overloaded } from '#domain/kernel';
import { Keyring, newOwnKey, sealEvidence, sealMessage } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { type ProvedCaller } from './callers.js';

/** The subject of a request, and the bytes of its body. */
interface RequestBody {
  /** The stream of the collection, payout or batch. */
  readonly stream: string;
  /** Identifies the customer whose number is in the body; absent if there is none. */
  readonly phoneHmac?: string;
  /** The bytes as sent; empty if there was no body. */
  readonly bytes: Uint8Array;
  /** The items of a batch. */
  readonly items?: readonly Omit<MessageItem, 'id'>[];
}

/** A request as evidence: the caller, time and proof for its command, and its bytes for the records. */
export interface SealedRequest {
  readonly metadata: CommandMetadata;
  /** Durable before the command's first event, which names it. */
  readonly message: SealedMessage;
}

/** Seals requests for the commands that they cause. */
@Injectable()
export class RequestSeal {
  constructor(
    private readonly keyring: Keyring,
    private readonly ids: Ids,
  ) {}

  seal({ credential, ...asked }: ProvedCaller, body: RequestBody): SealedRequest {
    const { credentialId: id, holder } = credential;
    return this.sealOf({ kind: 'credential', id, holder }, asked, body);
  }

  /** As `seal`, for a caller that is no credential: a person and the form that they sent. */
  sealOf(
    actor: Actor,
    { requestId, evidence, traceparent }: Omit<ProvedCaller, 'credential'>,
    { bytes, items, ...about }: RequestBody,
  ): SealedRequest {
    const own = { messageId: this.ids.next(), ownKey: newOwnKey() };
    return {
      metadata: {
        correlationId: requestId,
        actor,
        ...sealEvidence(this.keyring, evidence, own),
        ...(traceparent !== undefined && { traceparent }),
      },
      message: {
        id: own.messageId,
        kind: 'request',
        ...about,
        ownKey: own.ownKey,
        ...sealMessage(this.keyring, own, bytes),
        ...(items && { items: items.map((item) => ({ id: this.ids.next(), ...item })) }),
      },
    };
  }
}

/** Requests whose bytes are written separately, because nothing else is written before their first event. */
@Injectable()
export class RetainedRequests {
  constructor(private readonly messages: SealedMessages) {}

  /**
   * Makes the bytes durable, then carries the request out.
   * @param recordedNothing returns true if the outcome recorded nothing of the request's own; its bytes are then
   *   removed
   * @throws DependencyUnavailable if nothing was carried out; also every error of `run`
   */
  async carryOut<T>(
    { message }: SealedRequest,
    run: () => Promise<T>,
    recordedNothing: (outcome: T) => boolean,
  ): Promise<T> {
    await this.messages.keep(message);
    try {
      const outcome = await run();
      if (recordedNothing(outcome)) await this.drop(message.id);
      return outcome;
    } catch (error) {
      if (error instanceof Overloaded) await this.drop(message.id);
      throw error;
    }
  }

  /** Removes the bytes. If the records do not answer, bytes stay that no event names. */
  private async drop(id: string): Promise<void> {
    try {
      await this.messages.drop(id);
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
    }
  }
}
