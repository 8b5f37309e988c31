import { Injectable, Logger } from '@nestjs/common';
import { collectionKeyOf } from '#collections';
import { WrongExpectedRevision } from '#event-sourcing';
import { Clock, DependencyUnavailable } from '#kernel';
import {
  Database,
  type DueInboxEntry,
  insertRailMessages,
  leaseDueInboxEntries,
  markInboxApplied,
  rescheduleInboxEntry,
} from '#postgres';
import { UnopenableCiphertext } from '#signing';
import { readCallback } from '../callback/callback-body.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { openWord, railMetadata, sealWord } from '../callback/raw-words.js';
import { concurrently } from '../concurrently.js';
import { DoubtfulCallbacks } from './doubtful-callbacks.js';
import { longestAgeMs, nextTryAfterOutageMs, nextTryInMs } from './inbox-schedule.js';
import { type OpenedCallback, type Try } from './opened-callback.js';

/** All of them in flight at once: none waits, on its lease, for others. */
const mostAtOnce = 16;
/** Longer than a try may take, which waits for the event store, the rail's answer and the read model. */
const leaseMs = 60_000;

/** Applies the callbacks that could not be applied when they came. Several workers share the inbox. */
@Injectable()
export class InboxStep {
  private readonly log = new Logger('callback inbox');

  constructor(
    private readonly database: Database,
    private readonly keys: CallbackKeys,
    private readonly doubtful: DoubtfulCallbacks,
    private readonly clock: Clock,
  ) {}

  /** @throws DependencyUnavailable where Postgres is away; rows in hand come up again when their lease ends */
  async step(): Promise<'idle' | 'busy'> {
    const entries = await leaseDueInboxEntries(this.database, { leaseMs, most: mostAtOnce });
    await concurrently(entries, mostAtOnce, (entry) => this.tryEntry(entry));
    return entries.length === mostAtOnce ? 'busy' : 'idle';
  }

  private async tryEntry(entry: DueInboxEntry): Promise<void> {
    const ageMs = this.clock.nowMs() - entry.receivedAt.getTime();
    const result = await this.tryOnce(entry, ageMs);
    if (result.kind === 'done') {
      await markInboxApplied(this.database, entry.id, result.outcome);
      return;
    }
    const delayMs = result.inMs ?? nextTryInMs(entry.attempts, ageMs);
    if (delayMs === undefined)
      await markInboxApplied(this.database, entry.id, `left_for_review: ${result.why}`);
    else await rescheduleInboxEntry(this.database, { id: entry.id, delayMs, outcome: result.why });
  }

  private async tryOnce(entry: DueInboxEntry, ageMs: number): Promise<Try> {
    try {
      const opened = await this.open(entry, ageMs);
      return opened
        ? await this.doubtful.bring(opened)
        : { kind: 'done', outcome: 'left_for_review: no_callback' };
    } catch (error) {
      if (error instanceof DependencyUnavailable || error instanceof WrongExpectedRevision)
        return { kind: 'again', why: error.name, inMs: nextTryAfterOutageMs(entry.attempts) };
      if (error instanceof UnopenableCiphertext) return this.unopenable(entry, ageMs, error);
      this.log.error({ msg: 'a callback cannot be applied', id: entry.id, err: error });
      return { kind: 'again', why: 'defect' };
    }
  }

  /** While MASTER_KEY is rotated, an edge may seal under a key that this process gets with its next start. */
  private unopenable(entry: DueInboxEntry, ageMs: number, err: UnopenableCiphertext): Try {
    const isLeft = ageMs >= longestAgeMs;
    if (isLeft || entry.attempts === 1)
      this.log.error({ msg: 'a callback cannot be opened', id: entry.id, keyId: entry.keyId, err });
    return isLeft
      ? { kind: 'done', outcome: 'left_for_review: unopenable' }
      : { kind: 'again', why: 'unopenable', inMs: nextTryAfterOutageMs(entry.attempts) };
  }

  /** Sees to it, too, that the raw words are kept: the first attempt may have failed on just that. */
  private async open(entry: DueInboxEntry, ageMs: number): Promise<OpenedCallback | undefined> {
    const { keyring } = this.keys;
    const { id, stream, sourceAddress } = entry;
    const bytes = openWord(keyring, entry);
    const key = collectionKeyOf(stream);
    const callback = readCallback(bytes);
    if (!key || !callback) return undefined;
    await insertRailMessages(this.database, [{ ...sealWord(keyring, id, bytes), stream }]);
    const metadata = railMetadata(keyring, { id, correlationId: id, bytes, sourceAddress });
    return { key, callback, entry, ageMs, metadata };
  }
}
