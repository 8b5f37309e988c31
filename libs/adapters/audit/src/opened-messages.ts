import { type CommandMetadata, type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { OpenEvidence } from '#domain/evidence';
import { ok, refuse, type Result } from '#domain/kernel';
import { digestOfMessages, findMessages } from '#records/evidence';
import { RetainedMessages } from '#edges/portal';
import { type Database } from '#infra/postgres';
import { type Keyring } from '#shared/signing';
import { type CommandBus } from '@nestjs/cqrs';
import { checkMessage, type CheckedMessage, publicKeysOf } from './checked-message.js';

/** More messages than any item has, unless it is under attack. */
export const maxMessages = 1000;

interface MessageParts {
  readonly database: Database;
  readonly store: EventStore;
  readonly bus: CommandBus;
  readonly keyring: Keyring;
}

/** Opens the messages of merchants and rails for a person who gives a reason. */
export class OpenedMessages extends RetainedMessages {
  constructor(private readonly parts: MessageParts) {
    super();
  }

  override async open(
    stream: string,
    metadata: CommandMetadata,
  ): Promise<Result<readonly CheckedMessage[], 'nothing_kept' | 'too_many'>> {
    const { database, store, bus, keyring } = this.parts;
    const messages = await findMessages(database, stream, maxMessages + 1);
    if (messages.length === 0) return refuse('nothing_kept');
    if (messages.length > maxMessages) return refuse('too_many');
    const note = { stream, messages: messages.length, digest: digestOfMessages(messages) };
    await bus.execute(new OpenEvidence(note, metadata));
    const events: RecordedEvent[] = [];
    // A batch's events name the request of its payouts.
    for (const each of new Set([stream, ...messages.map((message) => message.stream)]))
      events.push(...(await store.readStream(each)));
    const keys = { keyring, publicKeys: await publicKeysOf(store, events) };
    return ok(messages.map((message) => checkMessage(message, events, keys)));
  }
}
