import { Injectable } from '@nestjs/common';
import { CallbackKeys, sealCallbackToken } from '../callback/callback-keys.js';
import { ReferenceView } from '../inbox/rail-references.js';

type SharedAddress = Extract<ReturnType<CallbackKeys['readToken']>, { kind: 'shared' }>;

/** Finds the collections that callbacks at a shared address are about (AIR-7). */
@Injectable()
export class NamedPushes {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly references: ReferenceView,
  ) {}

  /**
   * Returns the token of the collection's own address, so that the callback counts as one that came there. If the push's
   * answer was lost, no collection has the rail's id yet, but the rail's id is our own reference (AIR-8).
   * @returns undefined if it is no callback, or names no push that the views know: a query finds out then
   * @throws DependencyUnavailable
   */
  async tokenFor({ rail, mode }: SharedAddress, bytes: Uint8Array): Promise<string | undefined> {
    const { channel } = rail;
    const railReference = rail.readCallback(bytes)?.railReference;
    if (railReference === undefined) return undefined;
    const payment = { channel, mode, railReference };
    const accepted = await this.references.knownStreamsWith(payment);
    const streams =
      accepted.length > 0 ? accepted : await this.references.knownStreamsNamed(payment);
    const [stream] = streams;
    return stream === undefined || streams.length > 1
      ? undefined
      : sealCallbackToken(this.keys.keyring, channel, stream);
  }
}
