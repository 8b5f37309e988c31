import { Injectable } from '@nestjs/common';
import { type RailMessage, RailMessageWriter } from '#adapters/records';
import { Database } from '#infra/postgres';
import { RailMessages } from './rail-messages.js';

/** The rail's words as the records hold them; those of the same moment go in one statement. */
@Injectable()
export class RecordedRailMessages extends RailMessages {
  private readonly messages: RailMessageWriter;

  constructor(database: Database) {
    super();
    this.messages = new RailMessageWriter(database);
  }

  override keep({ id, stream, digest, keyId, ciphertext }: RailMessage): Promise<void> {
    return this.messages.add({ id, stream, digest, keyId, ciphertext });
  }
}
