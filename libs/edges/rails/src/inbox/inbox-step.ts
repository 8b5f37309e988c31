import { Injectable, Logger } from '@nestjs/common';
import { EventStoreUnavailable, WrongExpectedRevision } from '#domain/event-sourcing';
import { concurrently, DependencyUnavailable, type Mode } from '#domain/kernel';
import { UnopenableCiphertext } from '#shared/signing';
import { isAboutNotices } from '../notices/notice-entry.js';
import { Notices } from '../notices/notice-inbox.js';
import { PayoutInbox } from '../payouts/payout-inbox.js';
import { type DueInboxEntry, LeasedEntries } from './inbox.js';
import { OpenedCallbacks, type Tried, type Try } from './opened-callbacks.js';
import { UnverifiedCallbacks } from './unverified-callbacks.js';
import { maxAgeMs, nextTryAfterOutageMs, nextTryInMs } from './inbox-schedule.js';

/** Reports the inbox's entries to their collections and payouts, and notices to the accounts that they name. */
@Injectable()
export class InboxReports {
  constructor(
    private readonly callbacks: OpenedCallbacks,
    private readonly unverified: UnverifiedCallbacks,
    private readonly payouts: PayoutInbox,
    private readonly notices: Notices,
  ) {}

  /** @throws DependencyUnavailable, UnopenableCiphertext */
  async report(entry: DueInboxEntry, ageMs: number): Promise<Tried> {
    if (isAboutNotices(entry.purpose)) return this.notices.apply(entry);
    if (entry.purpose !== undefined)
      return { result: await this.payouts.apply(entry), reachedStore: true };
    const opened = await this.callbacks.open(entry, ageMs);
    if (opened) return { result: await this.unverified.report(opened), reachedStore: true };
    const outcome = 'left_for_review: no_callback';
    return { result: { kind: 'done', outcome }, reachedStore: false };
  }
}

/** All of these are in flight at once, so no entry waits for others while its lease runs. */
const maxAtOnce = 16;
/**
 * How many entries test whether the event store is back. More than one, so that no single entry can block the others.
 */
const maxWhileAway = 4;

/** An entry that could not be tried because the event store was away. This says nothing about its callback. */
interface Deferred {
  readonly entry: DueInboxEntry;
  readonly error: EventStoreUnavailable;
}

/**
 * Applies the callbacks that could not be applied on arrival, the oldest first. Several workers share the inbox. While
 * the event store is away, a few entries are tried and all keep their order. So an hour of callbacks does not overload
 * the store when it recovers.
 */
@Injectable()
export class InboxStep {
  private readonly log = new Logger('callback inbox');
  private isStoreAway = false;

  constructor(
    private readonly held: LeasedEntries,
    private readonly reports: InboxReports,
  ) {}

  /**
   * @param mode limits the step to that mode's callbacks; both modes if omitted
   * @throws DependencyUnavailable if Postgres or the event store is away; the loop backs off
   */
  async step(mode?: Mode): Promise<'idle' | 'busy'> {
    const max = this.isStoreAway ? maxWhileAway : maxAtOnce;
    const entries = await this.held.lease(max, mode);
    const deferred: Deferred[] = [];
    let reached = 0;
    await concurrently(entries, maxAtOnce, async (entry) => {
      const { ageMs } = entry;
      const tried = await this.tryOnce(entry, ageMs);
      if ('error' in tried) {
        deferred.push(tried);
        return;
      }
      if (tried.reachedStore) reached += 1;
      await this.conclude(entry, ageMs, tried.result);
    });
    await this.putBack(deferred, reached);
    return entries.length === max ? 'busy' : 'idle';
  }

  /**
   * Puts the deferred entries back. If other entries reached the store, it is not away, so each of these is tried again
   * later.
   */
  private async putBack(deferred: readonly Deferred[], reached: number): Promise<void> {
    const [first] = deferred;
    if (reached > 0 || !first) {
      if (reached > 0) this.isStoreAway = false;
      for (const { entry, error } of deferred)
        await this.conclude(entry, 0, {
          kind: 'again',
          why: error.name,
          inMs: nextTryAfterOutageMs(entry.attempts),
        });
      return;
    }
    this.isStoreAway = true;
    for (const { entry, error } of deferred) await this.held.giveBack(entry.id, error.name);
    throw first.error;
  }

  private async conclude(entry: DueInboxEntry, ageMs: number, result: Try): Promise<void> {
    if (result.kind === 'done') return this.held.conclude(entry.id, result.outcome, result.told);
    const delayMs = result.inMs ?? nextTryInMs(entry.attempts, ageMs);
    if (delayMs === undefined)
      return this.held.conclude(entry.id, `left_for_review: ${result.why}`);
    return this.held.reschedule({ id: entry.id, delayMs, outcome: result.why });
  }

  private async tryOnce(entry: DueInboxEntry, ageMs: number): Promise<Tried | Deferred> {
    try {
      return await this.reports.report(entry, ageMs);
    } catch (error) {
      if (error instanceof EventStoreUnavailable) return { entry, error };
      return { result: this.after(error, entry, ageMs), reachedStore: false };
    }
  }

  private after(error: unknown, entry: DueInboxEntry, ageMs: number): Try {
    if (error instanceof DependencyUnavailable || error instanceof WrongExpectedRevision)
      return { kind: 'again', why: error.name, inMs: nextTryAfterOutageMs(entry.attempts) };
    if (error instanceof UnopenableCiphertext) return this.unopenable(entry, ageMs, error);
    this.log.error({ msg: 'a callback cannot be applied', id: entry.id, err: error });
    return { kind: 'again', why: 'defect' };
  }

  /** While MASTER_KEY is rotated, a process may seal under a key that this one gets only at its next start. */
  private unopenable(entry: DueInboxEntry, ageMs: number, err: UnopenableCiphertext): Try {
    const isLeft = ageMs >= maxAgeMs;
    if (isLeft || entry.attempts === 1)
      this.log.error({ msg: 'a callback cannot be opened', id: entry.id, keyId: entry.keyId, err });
    return isLeft
      ? { kind: 'done', outcome: 'left_for_review: unopenable' }
      : { kind: 'again', why: 'unopenable', inMs: nextTryAfterOutageMs(entry.attempts) };
  }
}
