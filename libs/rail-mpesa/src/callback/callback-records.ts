import { Injectable } from '@nestjs/common';
import { CallbackInbox, RailMessages } from '#postgres';
import { type DigestedWord } from './raw-words.js';

/** A callback on its way into the records. */
export interface KeptCallback extends DigestedWord {
  readonly stream: string;
  readonly sourceAddress: string;
  readonly fromRail: boolean;
}

/** Where callbacks become durable: all of them as raw words, those that could not be applied in the inbox, too. */
@Injectable()
export class CallbackRecords {
  constructor(
    private readonly messages: RailMessages,
    private readonly inbox: CallbackInbox,
  ) {}

  /** @throws DependencyUnavailable */
  async keepRaw({ id, stream, digest, keyId, ciphertext }: KeptCallback): Promise<void> {
    await this.messages.add({ id, stream, digest, keyId, ciphertext });
  }

  /** @throws DependencyUnavailable */
  async putIntoInbox(callback: KeptCallback): Promise<void> {
    const { id, stream, keyId, ciphertext, sourceAddress, fromRail } = callback;
    await this.inbox.add({ id, stream, keyId, ciphertext, sourceAddress, trusted: fromRail });
  }
}
