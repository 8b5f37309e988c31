import { Injectable, Logger } from '@nestjs/common';
import { type SealedMessage, SealedMessages } from '#domain/evidence';
import { Timer, within } from '#domain/kernel';
import { type RailReferenceClaim, ClaimedReferences } from '../inbox/rail-reference-claims.js';
import { Inbox } from '../inbox/inbox.js';
import { type SealedRailMessage } from '#shared/signing';

/** A callback on its way into the inbox. */
export interface ReceivedCallback extends SealedRailMessage {
  readonly channel: string;
  readonly stream: string;
  readonly sourceAddress: string;
  /** The purpose as the inbox stores it. */
  readonly purpose?: string;
  readonly fromRail: boolean;
}

/**
 * The most callbacks that are kept for one collection or payout from untrusted addresses. Each is retained for months,
 * and anyone who has the URL can send any number. The rail itself sends a few.
 */
const maxUntrusted = 64;

/**
 * The most receipts of untrusted notices that may be open. M-Pesa sends a notice once, so this has room for a week of
 * lost mornings with 137 payments each (C2B-8).
 */
const maxOpen = 1024;

/** After this time the callback is not acknowledged, so the rail sends it again. */
const deadlineMs = 3000;

/** Makes callbacks durable: stores the raw bytes of all, and puts those that could not be applied into the inbox. */
@Injectable()
export class CallbackRecords {
  private readonly log = new Logger('rail callbacks');

  constructor(
    private readonly messages: SealedMessages,
    private readonly inbox: Inbox,
    private readonly claims: ClaimedReferences,
    private readonly timer: Timer,
  ) {}

  /** True if one more callback of an untrusted sender may be stored; also true if the count is not known. */
  async hasRoomFor(stream: string): Promise<boolean> {
    return this.isBelow(maxUntrusted, this.inbox.keptOf(stream, maxUntrusted));
  }

  /** As `hasRoomFor`, and bounds how many names with the prefix may be open at once. */
  async hasRoomForOpen(prefix: string, stream: string): Promise<boolean> {
    const others = this.inbox.openBeside(prefix, stream, maxOpen);
    return (await this.isBelow(maxOpen, others)) && this.hasRoomFor(stream);
  }

  private async isBelow(max: number, counting: Promise<number>): Promise<boolean> {
    try {
      const kept = await within(this.timer, counting, deadlineMs);
      return kept === undefined || kept < max;
    } catch (error) {
      this.log.error({ msg: 'callbacks could not be counted', err: error });
      return true;
    }
  }

  /** @returns true if it is certain that the bytes are durable */
  async keepRaw(message: SealedMessage): Promise<boolean> {
    return this.isDurable(this.messages.keep(message));
  }

  /** @returns true if it is certain that the inbox has it */
  async putIntoInbox({ fromRail: trusted, ...entry }: ReceivedCallback): Promise<boolean> {
    return this.isDurable(this.inbox.add({ ...entry, trusted }));
  }

  /**
   * Claims a rail reference for the collection that the rail itself named with it. From then on, no other sender can
   * use it for another collection. If another collection has it already, a worker finds out.
   * @returns true if a claim, this one or the other, is certainly durable
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
