import { Injectable, Logger } from '@nestjs/common';
import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';

/** A callback that could not be applied at once: durable before it is acknowledged. */
export interface InboxEntry {
  readonly id: string;
  /** The rail that its token names. */
  readonly channel: string;
  /** The stream that its token names. */
  readonly stream: string;
  /** What a report about a payout is for, as its token has it; absent for collections' callbacks. */
  readonly purpose?: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** Whether it came from the rail's own addresses. */
  readonly trusted: boolean;
}

/** A payment as the rail told of it. */
export interface ToldPayment {
  readonly receipt?: string;
  readonly amountMinor?: Minor;
  readonly paidAt?: Instant;
}

export interface DueInboxEntry extends InboxEntry {
  readonly receivedAt: Date;
  /** Since then, by the clock that says when it is due: a worker's own may be days off, and would give it up. */
  readonly ageMs: number;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

/** Which callbacks wait to be applied: durable from `add` until the outcome is recorded. */
export abstract class Inbox {
  /** @throws DependencyUnavailable: the rail must then not be told that we have it */
  abstract add(entry: InboxEntry): Promise<void>;

  /** How many callbacks of the stream are kept, applied ones included; `max` stands for more. @throws DependencyUnavailable */
  abstract keptOf(stream: string, max: number): Promise<number>;

  /**
   * Entries that are due, in the order in which they are due, none of which another worker gets before `leaseMs` has
   * passed. Whoever takes one ends it by `conclude`, `reschedule` or `giveBack`.
   * @param options `mode`: whose entries; both unless given
   */
  abstract leaseDue(options: {
    readonly leaseMs: number;
    readonly max: number;
    readonly mode?: Mode | undefined;
  }): Promise<readonly DueInboxEntry[]>;

  /**
   * @param outcome a short code for people who read the inbox, such as `completed`, or `left_for_review: <why>`
   * @param told what a person must know of the payment, where nothing else holds it
   */
  abstract conclude(id: string, outcome: string, told?: ToldPayment): Promise<void>;

  /** @param entry its outcome says by a short code why it could not be applied yet */
  abstract reschedule(entry: {
    readonly id: string;
    readonly delayMs: number;
    readonly outcome: string;
  }): Promise<void>;

  /** Its try does not count, and it is due at once, in its old place: by the time at which it came. */
  abstract giveBack(id: string, outcome: string): Promise<void>;
}

/**
 * A try waits for the event store, the rail's answer and the read model, mostly for some milliseconds. One that takes
 * longer than its lease may be made by another worker, too, which history takes as a repetition; but what a
 * worker held that died must go on within ten seconds of its death, since customers watch their phones.
 */
const leaseMs = 8000;

/** The callbacks that this worker has leased, counted by outcome. */
@Injectable()
export class LeasedEntries {
  private readonly log = new Logger('callback inbox');
  private readonly concluded;

  constructor(
    private readonly inbox: Inbox,
    metrics: Metrics,
  ) {
    this.concluded = metrics.counter({
      name: 'callback_inbox_concluded_total',
      help: 'Callbacks that were taken out of the inbox, by outcome',
      labels: ['outcome'],
    });
  }

  lease(max: number, mode?: Mode): Promise<readonly DueInboxEntry[]> {
    return this.inbox.leaseDue({ leaseMs, max, mode });
  }

  async conclude(id: string, outcome: string, told?: ToldPayment): Promise<void> {
    await this.inbox.conclude(id, outcome, told);
    const [kind = outcome, why] = outcome.split(': ');
    this.concluded.inc({ outcome: kind });
    if (kind === 'left_for_review')
      this.log.warn({ msg: 'a callback is left for review', id, why });
  }

  reschedule(entry: Parameters<Inbox['reschedule']>[0]): Promise<void> {
    return this.inbox.reschedule(entry);
  }

  giveBack(id: string, why: string): Promise<void> {
    return this.inbox.giveBack(id, why);
  }
}
