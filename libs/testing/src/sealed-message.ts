import { randomBytes } from 'node:crypto';
import { type SealedMessage, SealedMessages } from '#domain/evidence';
import { UuidIds } from '#infra/runtime';

/** A message that was sealed elsewhere: no test opens it. */
export function sealedMessage(over: Partial<SealedMessage> = {}): SealedMessage {
  return {
    id: new UuidIds().next(),
    kind: 'request',
    stream: 'collection-demo:m:r',
    keyId: 'd2026-11.abcdef',
    ownKey: randomBytes(32),
    ciphertext: randomBytes(64),
    ...over,
  };
}

/** The messages of a process that keeps them in memory. */
export class MessagesInMemory extends SealedMessages {
  readonly kept = new Map<string, SealedMessage>();

  override keep(message: SealedMessage): Promise<Uint8Array> {
    const kept = this.kept.get(message.id) ?? message;
    this.kept.set(message.id, kept);
    return Promise.resolve(kept.ownKey);
  }

  override async keepSoon(message: SealedMessage): Promise<void> {
    await this.keep(message);
  }

  override drop(id: string): Promise<void> {
    this.kept.delete(id);
    return Promise.resolve();
  }
}
