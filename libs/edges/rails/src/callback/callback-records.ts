import { Injectable, Logger } from '@nestjs/common';
import { type SealedMessage, SealedMessages } from '#domain/evidence';
import { Timer, within } from '#domain/kernel';
import { type RailReferenceClaim, ClaimedReferences } from '../inbox/rail-reference-claims.js';
import { Inbox } from '../inbox/inbox.js';
import { type SealedRailMessage } from './rail-messages.js';

/** A callback on its way into the inbox. */
export interface ReceivedCallback extends SealedRailMessage {
  readonly channel: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** As the inbox has it. */
  readonly purpose?: string;
  readonly fromRail: boolean;
}

/**
 * Callbacks of one collection or payout from untrusted addresses. Each is retained for months, and anyone with the URL can
 * send any number; the rail itself sends a few.
 */
const maxUntrusted = 64;

/** After this the callback is not acknowledged, so the rail sends it again. */
const deadlineMs = 3000;

/** Makes callbacks durable: the raw bytes of all, and in the inbox those that could not be applied. */
@Injectable()
export class CallbackRecords {
  private readonly log = new Logger('rail callbacks');

  constructor(
    private readonly messages: SealedMessages,
    private readonly inbox: Inbox,
    private readonly claims: ClaimedReferences,
    private readonly timer: Timer,
  ) {}

  /** Whether one more callback of an untrusted sender is stored; yes where the count is not known. */
  async hasRoomFor(stream: string): Promise<boolean> {
    try {
      const kept = await within(this.timer, this.inbox.keptOf(stream, maxUntrusted), deadlineMs);
      return kept === undefined || kept < maxUntrusted;
    } catch (error) {
      this.log.error({ msg: 'callbacks could not be counted', err: error });
      return true;
    }
  }

  /** @returns whether it is certain that the bytes are durable */
  async keepRaw(message: SealedMessage): Promise<boolean> {
    return this.isDurable(this.messages.keep(message));
  }

  /** @returns whether it is certain that the inbox has it */
  async putIntoInbox({ fromRail: trusted, ...entry }: ReceivedCallback): Promise<boolean> {
    return this.isDurable(this.inbox.add({ ...entry, trusted }));
  }

  /**
   * Claims a rail reference for the collection that the rail itself named with it: from then on no other sender can use it
   * for another one. Where another collection has it already, a worker finds out.
   * @returns whether a claim, this one or the other, is certainly durable
   */
  async claimReference(claim: RailReferenceClaim): Promise<boolean> {
    return this.isDurable(this.claims.claim({ ...claim, isBrought: true }));
  }

  private async isDurable(writing: Promise<unknown>): Promise<boolean> {
    const written = writing.then(() => true);
    try {
      if (await within(this.timer, written, deadlineMs)) return true;
      this.log.error({ msg: 'a callback was not written in time', deadlineMs });
    } catch (error) {
      this.log.error({ msg: 'a callback could not be written', err: error });
    }
    return false;
  }
}
