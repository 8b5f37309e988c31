import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type CollectionKey, collectionKeyOf, ConfirmCollection } from '#collections';
import { DependencyUnavailable } from '#kernel';
import { withDeadline } from '#runtime';
import { openToken } from '#signing';
import { type Callback, readCallback } from './callback-body.js';
import { CallbackKeys } from './callback-keys.js';
import { CallbackRecords, type KeptCallback } from './callback-records.js';
import { RailAddresses } from './rail-addresses.js';
import { type Arrival, railMetadata, sealWord } from './raw-words.js';

/**
 * What became of a callback. `applied` and `inbox` are durable; `no_token` and `no_callback` changed nothing;
 * `lost` could not be kept, and the rail must not be told that it was.
 */
export type Reception = 'applied' | 'inbox' | 'no_token' | 'no_callback' | 'lost';

export interface IncomingCallback extends Arrival {
  readonly token: string;
  readonly correlationId: string;
}

/** The store answers within milliseconds; where it does not, the inbox takes over while the rail still listens. */
const applyDeadlineMs = 2000;

interface Told {
  readonly key: CollectionKey;
  readonly callback: Callback;
}

/** Takes callbacks in by the rules of trust of contract/decisions.md §3: durable before they are acknowledged. */
@Injectable()
export class CallbackReceiver {
  private readonly log = new Logger('rail callbacks');

  constructor(
    private readonly commands: CommandBus,
    private readonly keys: CallbackKeys,
    private readonly records: CallbackRecords,
    private readonly addresses: RailAddresses,
  ) {}

  async receive(incoming: IncomingCallback): Promise<Reception> {
    const stream = openToken(this.keys.keyring, incoming.token);
    const key = stream === undefined ? undefined : collectionKeyOf(stream);
    if (stream === undefined || !key) return 'no_token';
    const callback = readCallback(incoming.bytes);
    if (!callback) return 'no_callback';

    const { keyring, ids } = this.keys;
    const id = ids.next();
    const metadata = railMetadata(keyring, { ...incoming, id });
    const kept: KeptCallback = {
      ...sealWord(keyring, id, incoming.bytes),
      stream,
      sourceAddress: incoming.sourceAddress ?? 'unknown',
      fromRail: this.addresses.has(key.mode, incoming.sourceAddress),
    };
    const command = commandOf({ key, callback }, kept.fromRail, metadata);
    const [raw, applied] = await Promise.allSettled([
      this.records.keepRaw(kept),
      callback.isAmountUnreadable ? false : this.isApplied(command),
    ]);
    if (applied.status === 'rejected') this.logUnless(DependencyUnavailable, applied.reason);
    if (raw.status === 'fulfilled' && applied.status === 'fulfilled' && applied.value)
      return 'applied';
    return this.intoInbox(kept);
  }

  private async isApplied(command: ConfirmCollection): Promise<boolean> {
    const execution = this.commands.execute(command);
    const result = await withDeadline(execution, applyDeadlineMs, 'a callback was not applied');
    return result.ok;
  }

  /** Applied twice is applied once: the inbox repeats the same word, and history takes it as a repetition. */
  private async intoInbox(kept: KeptCallback): Promise<Reception> {
    try {
      await this.records.putIntoInbox(kept);
      return 'inbox';
    } catch (error) {
      this.log.error({ msg: 'a callback could not be kept', err: error });
      return 'lost';
    }
  }

  private logUnless(expected: typeof DependencyUnavailable, error: unknown): void {
    if (error instanceof expected) return;
    this.log.error({ msg: 'a callback could not be applied and waits in the inbox', err: error });
  }
}

function commandOf(
  { key, callback }: Told,
  fromRail: boolean,
  metadata: ConfirmCollection['metadata'],
): ConfirmCollection {
  const word = { by: 'callback', ...callback, fromRail, vouched: false } as const;
  return new ConfirmCollection(key, word, metadata);
}
