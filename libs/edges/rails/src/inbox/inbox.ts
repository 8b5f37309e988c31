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

export interface DueInboxEntry extends InboxEntry {
  readonly receivedAt: Date;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

/** Which callbacks wait to be applied: durable from `add` until somebody says what became of them. */
export abstract class Inbox {
  /** @throws DependencyUnavailable: the rail must then not be told that we have it */
  abstract add(entry: InboxEntry): Promise<void>;

  /**
   * Entries that are due, in the order in which they are due, none of which another worker gets before `leaseMs` has
   * passed. Whoever takes one ends it by `conclude`, `reschedule` or `giveBack`.
   */
  abstract leaseDue(options: {
    readonly leaseMs: number;
    readonly max: number;
  }): Promise<readonly DueInboxEntry[]>;

  /** @param outcome a short code for people who read the inbox, such as `completed`, or `left_for_review: <why>` */
  abstract conclude(id: string, outcome: string): Promise<void>;

  /** @param entry its outcome says by a short code why it could not be applied yet */
  abstract reschedule(entry: {
    readonly id: string;
    readonly delayMs: number;
    readonly outcome: string;
  }): Promise<void>;

  /** Its try does not count, and it is due at once, in its old place: by the time at which it came. */
  abstract giveBack(id: string, outcome: string): Promise<void>;
}
