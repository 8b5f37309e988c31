import { Injectable } from '@nestjs/common';
import { Database, type RailMessage, RailMessages } from '#infra/postgres';
import { RailWords } from './rail-words.js';

/** The rail's words as the records hold them; those of the same moment go in one statement. */
@Injectable()
export class RecordedRailWords extends RailWords {
  private readonly messages: RailMessages;

  constructor(database: Database) {
    super();
    this.messages = new RailMessages(database);
  }

  override keep({ id, stream, digest, keyId, ciphertext }: RailMessage): Promise<void> {
    return this.messages.add({ id, stream, digest, keyId, ciphertext });
  }
}
