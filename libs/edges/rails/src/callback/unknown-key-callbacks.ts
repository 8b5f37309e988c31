import { Injectable, Logger } from '@nestjs/common';
import { Timer, within } from '#domain/kernel';
import { readToken } from '#shared/signing';
import { CallbackKeys } from './callback-keys.js';
import { type Keeping, type UnopenedCallback, UnopenedCallbacks } from '#records/rails';
import { sealUnopened } from './unopened-callbacks.js';
import { isPayoutReport } from '../payouts/read-payout-report.js';
import { type RailCallbacks } from '../rail-adapter.js';
import { type IncomingCallback } from './callback-receiver.js';

/** Several times the size of a rail's callback. Anyone may name a key that this process does not know. */
const maxBytes = 4096;
/** After this time the rail is asked to send the callback again, whatever the records are doing. */
const deadlineMs = 3000;

/** A stray token is one that this installation never made, like a token that does not open (RAIL-6). */
const outcomes = { kept: 'unopened', stray: 'no_token', full: 'lost' } as const satisfies Record<
  Keeping,
  string
>;

/**
 * Keeps callbacks whose token this process cannot open. While a new master key is rolled out, other replicas may
 * already make tokens under it. The callbacks are stored encrypted for a worker that has the key.
 */
@Injectable()
export class UnknownKeyCallbacks {
  private readonly log = new Logger('rail callbacks');

  constructor(
    private readonly unopened: UnopenedCallbacks,
    private readonly keys: CallbackKeys,
    private readonly timer: Timer,
  ) {}

  /**
   * @returns `unopened` if it is durable; `lost` if it is not, or if the sender's kind has used up its limit; `no_token`
   *   if an untrusted sender names a key under which no process of this installation made tokens
   */
  async keep(
    incoming: IncomingCallback,
  ): Promise<'unopened' | 'no_token' | 'no_callback' | 'lost'> {
    const { token, bytes, sourceAddress } = incoming;
    const { keyring, ids } = this.keys;
    const reading = readToken(keyring, token);
    if (reading.kind !== 'unknown_key') return 'no_token';
    if (bytes.length > maxBytes) return 'no_callback';
    // Only the token says which rail is called. So an address is trusted only if every rail that could have sent the
    // body trusts it.
    const readers = this.keys.rails.all.filter((rail) => isReport(rail, bytes));
    if (readers.length === 0) return 'no_callback';
    const id = ids.next();
    const fromRail = {
      live: readers.every((rail) => rail.isOwnAddress('live', sourceAddress)),
      demo: readers.every((rail) => rail.isOwnAddress('demo', sourceAddress)),
    };
    return this.insert({
      ...sealUnopened(keyring, id, { token, bytes, fromRail }),
      id,
      tokenKeyId: reading.keyId,
      sourceAddress: sourceAddress ?? 'unknown',
      fromRail: fromRail.live || fromRail.demo,
    });
  }

  private async insert(callback: UnopenedCallback): Promise<(typeof outcomes)[Keeping]> {
    try {
      const kept = await within(this.timer, this.unopened.keep(callback), deadlineMs);
      if (kept === undefined)
        this.log.error({ msg: 'a callback was not written in time', deadlineMs });
      return kept === undefined ? 'lost' : outcomes[kept];
    } catch (error) {
      this.log.error({ msg: 'a callback could not be written', err: error });
      return 'lost';
    }
  }
}

function isReport(rail: RailCallbacks, bytes: Uint8Array): boolean {
  return (
    rail.readCallback(bytes) !== undefined ||
    isPayoutReport(rail, bytes) ||
    rail.notices?.read(bytes) !== undefined
  );
}
