import { Injectable } from '@nestjs/common';
import { type CollectionKey, collectionKeyOf } from '#domain/collections';
import { Ids } from '#domain/kernel';
import { Keyring, readToken, sealToken } from '#shared/signing';
import { type RailCallbacks } from '../rail-adapter.js';
import { RailTable } from '../rail-table.js';

/** The first rail: its tokens hold the stream alone. */
const firstChannel = 'mpesa';
/** A stream's name has a colon before any space. */
const withChannel = /^([a-z0-9-]+) (.+)$/s;

/** The token in the URL that a rail calls back about a stream. It is no other rail's. */
export function sealCallbackToken(keyring: Keyring, channel: string, stream: string): string {
  return sealToken(keyring, channel === firstChannel ? stream : `${channel} ${stream}`);
}

/** Whose callback a token announces. */
interface Addressee {
  readonly kind: 'addressee';
  readonly rail: RailCallbacks;
  readonly stream: string;
  readonly key: CollectionKey;
}

type TokenReading = Exclude<ReturnType<typeof readToken>, { readonly kind: 'stream' }> | Addressee;

/** What names callbacks and seals them. */
@Injectable()
export class CallbackKeys {
  constructor(
    readonly keyring: Keyring,
    readonly ids: Ids,
    readonly rails: RailTable,
  ) {}

  /** Reads what `sealCallbackToken` made, for a rail of this process. */
  readToken(token: string): TokenReading {
    const reading = readToken(this.keyring, token);
    if (reading.kind !== 'stream') return reading;
    const found = withChannel.exec(reading.stream);
    const [, channel = firstChannel, stream = reading.stream] = found ?? [];
    const rail = this.rails.of(channel);
    const key = collectionKeyOf(stream);
    return rail && key ? { kind: 'addressee', rail, stream, key } : { kind: 'none' };
  }

  /** What to answer a callback with: what its rail expects, or the first one where the token names none. */
  acknowledgementOf(token: string): object {
    if (this.rails.only) return this.rails.only.acknowledgement;
    const reading = this.readToken(token);
    const rail = reading.kind === 'addressee' ? reading.rail : this.rails.all[0];
    return rail.acknowledgement;
  }
}
