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
 * Of one collection or payout, from other addresses than the rail's own: each is kept for months, and whoever has the
 * address can send any number. The rail itself sends a few.
 */
const maxUntrusted = 64;

/** Then the rail is told to come again, whatever the records are doing. */
const deadlineMs = 3000;

/** Where callbacks become durable: all as the rail's own bytes, and in the inbox those that could not be applied. */
@Injectable()
export class CallbackRecords {
  private readonly log = new Logger('rail callbacks');

  constructor(
    private readonly messages: SealedMessages,
    private readonly inbox: Inbox,
    private readonly claims: ClaimedReferences,
    private readonly timer: Timer,
  ) {}

  /** Whether one more of an untrusted sender is kept; so it is where that is not known. */
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
   * Notes for which collection the rail itself brought a rail reference: from then on no other sender's callback can have
   * it for another one. Where another collection has it already, a worker finds that out.
   * @returns whether it is certain that the claim, or the other one, is durable
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
