import { Injectable, Logger } from '@nestjs/common';
import { WrongExpectedRevision } from '#event-sourcing';
import { Clock, DependencyUnavailable } from '#kernel';
import { type DueInboxEntry } from '#postgres';
import { UnopenableCiphertext } from '#signing';
import { concurrently } from '../concurrently.js';
import { DoubtfulCallbacks } from './doubtful-callbacks.js';
import { Inbox } from './inbox.js';
import { longestAgeMs, nextTryAfterOutageMs, nextTryInMs } from './inbox-schedule.js';
import { type Try } from './opened-callback.js';
import { OpenedCallbacks } from './opened-callbacks.js';

/** All of them in flight at once: none waits, on its lease, for others. */
const mostAtOnce = 16;
/** Longer than a try may take, which waits for the event store, the rail's answer and the read model. */
const leaseMs = 60_000;

/** Applies the callbacks that could not be applied when they came. Several workers share the inbox. */
@Injectable()
export class InboxStep {
  private readonly log = new Logger('callback inbox');

  constructor(
    private readonly inbox: Inbox,
    private readonly callbacks: OpenedCallbacks,
    private readonly doubtful: DoubtfulCallbacks,
    private readonly clock: Clock,
  ) {}

  /** @throws DependencyUnavailable where the inbox is away; rows in hand come up again when their lease ends */
  async step(): Promise<'idle' | 'busy'> {
    const entries = await this.inbox.leaseDue({ leaseMs, most: mostAtOnce });
    await concurrently(entries, mostAtOnce, (entry) => this.tryEntry(entry));
    return entries.length === mostAtOnce ? 'busy' : 'idle';
  }

  private async tryEntry(entry: DueInboxEntry): Promise<void> {
    const ageMs = this.clock.nowMs() - entry.receivedAt.getTime();
    const result = await this.tryOnce(entry, ageMs);
    if (result.kind === 'done') {
      await this.inbox.conclude(entry.id, result.outcome);
      return;
    }
    const delayMs = result.inMs ?? nextTryInMs(entry.attempts, ageMs);
    if (delayMs === undefined)
      await this.inbox.conclude(entry.id, `left_for_review: ${result.why}`);
    else await this.inbox.reschedule({ id: entry.id, delayMs, outcome: result.why });
  }

  private async tryOnce(entry: DueInboxEntry, ageMs: number): Promise<Try> {
    try {
      const opened = await this.callbacks.open(entry, ageMs);
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
}
