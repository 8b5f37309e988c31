import { Injectable, Logger } from '@nestjs/common';
import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';

/** A callback that could not be applied at once. It is durable before it is acknowledged. */
export interface InboxEntry {
  readonly id: string;
  /** The rail that its token names. */
  readonly channel: string;
  /** The stream that its token names. */
  readonly stream: string;
  /** The purpose of a report about a payout, as its token names it; absent for collections' callbacks. */
  readonly purpose?: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** True if it came from the rail's own addresses. */
  readonly trusted: boolean;
}

/** A payment as the rail reported it. */
export interface ToldPayment {
  readonly receipt?: string;
  readonly amountMinor?: Minor;
  readonly paidAt?: Instant;
}

export interface DueInboxEntry extends InboxEntry {
  readonly receivedAt: Date;
  /**
   * Time since it was received, by the clock that decides when it is due. A worker's own clock may be days off, and the
   * worker would then give the callback up.
   */
  readonly ageMs: number;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

/** The callbacks that wait to be applied. Each is durable from `add` until its outcome is recorded. */
export abstract class Inbox {
  /** @throws DependencyUnavailable: the callback must then not be acknowledged to the rail */
  abstract add(entry: InboxEntry): Promise<void>;

  /**
   * Returns how many callbacks of the stream are kept, applied ones included; `max` means that many or more.
   * @throws DependencyUnavailable
   */
  abstract keptOf(stream: string, max: number): Promise<number>;

  /**
   * Returns how many other streams with the prefix have a callback that is unfinished or left for review. If there are
   * `max` or more, those whose receipt the ledger has by now do not count.
   * @throws DependencyUnavailable
   */
  abstract openBeside(prefix: string, stream: string, max: number): Promise<number>;

  /**
   * Leases the due entries in the order in which they are due. No other worker gets them before `leaseMs` has passed.
   * The worker that takes one ends it by `conclude`, `reschedule` or `giveBack`.
   * @param options `mode` limits the entries to that mode; both modes if omitted
   */
  abstract leaseDue(options: {
    readonly leaseMs: number;
    readonly max: number;
    readonly mode?: Mode | undefined;
  }): Promise<readonly DueInboxEntry[]>;

  /**
   * @param outcome a short code for people who read the inbox, such as `completed`, or `left_for_review: <why>`
   * @param told details of the payment that a person needs and that are stored nowhere else
   */
  abstract conclude(id: string, outcome: string, told?: ToldPayment): Promise<void>;

  /** @param entry its `outcome` is a short code that says why it could not be applied yet */
  abstract reschedule(entry: {
    readonly id: string;
    readonly delayMs: number;
    readonly outcome: string;
  }): Promise<void>;

  /**
   * Returns the entry to its old place, by the time at which it arrived. It is due at once, and its try does not count.
   */
  abstract giveBack(id: string, outcome: string): Promise<void>;
}

/**
 * A try waits for the event store, the rail's answer and the read model, usually for some milliseconds. If a try takes
 * longer than its lease, another worker may repeat it, and history treats that as a repetition. The lease is short
 * because customers watch their phones: entries of a dead worker must go on within ten seconds.
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
