import { type SealedMessage } from '#domain/evidence';
import { type DueInboxEntry, extraGapMs, type InboxEntry, type ToldPayment } from '#edges/rails';
import { railQueryLease } from '#views/rail-queries';

/** A row of the inbox. */
export interface InboxRow extends InboxEntry {
  readonly receivedAtMs: number;
  attempts: number;
  nextAttemptAtMs: number;
  outcome: string | undefined;
  isApplied: boolean;
  told?: ToldPayment | undefined;
}

interface AttemptRow {
  attemptedAtMs: number;
  outcome: string;
}

/** The pause after a question that was given back, as in libs/adapters/rail-records. */
const againAfterMs = 2000;
/** Longer than any cause that makes two answers wrong at the same time, as in libs/adapters/rail-records. */
const apartMs = 60_000;

/** Postgres' records about callbacks and queries. Each method is one statement (libs/adapters/rail-records). */
export class RecordTables {
  readonly reports = new Map<string, SealedMessage>();
  readonly inbox = new Map<string, InboxRow>();
  /** The stream that has each rail reference, by channel, mode and reference. */
  readonly claims = new Map<string, string>();
  private readonly claimedAtMs = new Map<string, number>();
  /** The claims that the rail's own addresses brought. */
  private readonly brought = new Set<string>();
  readonly attempts = new Map<string, Map<number, AttemptRow>>();
  private readonly extras = new Map<string, { asked: number; askedAtMs: number }>();

  /** @param onHandedOut called when a worker gets a question, and when it is free again */
  constructor(
    private readonly nowMs: () => number,
    private readonly onHandedOut: (stream: string, attempt: number, isFree: boolean) => void,
  ) {}

  /** @returns the own key of the stored message */
  keepMessage(message: SealedMessage): Uint8Array {
    const kept = this.reports.get(message.id) ?? message;
    this.reports.set(message.id, kept);
    return kept.ownKey;
  }

  inboxOf(stream: string): number {
    return [...this.inbox.values()].filter((row) => row.stream === stream).length;
  }

  openBeside(prefix: string, stream: string): number {
    const open = [...this.inbox.values()].filter(
      ({ isApplied, outcome }) => !isApplied || outcome?.startsWith('left_for_review') === true,
    );
    const others = open.filter((row) => row.stream.startsWith(prefix) && row.stream !== stream);
    return new Set(others.map((row) => row.stream)).size;
  }

  addToInbox(entry: InboxEntry): void {
    if (this.inbox.has(entry.id)) return;
    const nowMs = this.nowMs();
    this.inbox.set(entry.id, {
      ...entry,
      receivedAtMs: nowMs,
      attempts: 0,
      nextAttemptAtMs: nowMs,
      outcome: undefined,
      isApplied: false,
    });
  }

  leaseInbox(leaseMs: number, max: number): DueInboxEntry[] {
    const nowMs = this.nowMs();
    const due = [...this.inbox.values()]
      .filter((row) => !row.isApplied && row.nextAttemptAtMs <= nowMs)
      .sort((a, b) => a.nextAttemptAtMs - b.nextAttemptAtMs)
      .slice(0, max);
    for (const row of due) {
      row.attempts += 1;
      row.nextAttemptAtMs = nowMs + leaseMs;
    }
    return due.map((row) => ({
      ...row,
      receivedAt: new Date(row.receivedAtMs),
      ageMs: nowMs - row.receivedAtMs,
    }));
  }

  concludeInbox(id: string, outcome: string, told?: ToldPayment): void {
    const row = this.inbox.get(id);
    if (!row || row.isApplied) return;
    row.isApplied = true;
    row.outcome = outcome;
    row.told = told;
  }

  rescheduleInbox(id: string, delayMs: number, outcome: string): void {
    const row = this.inbox.get(id);
    if (!row || row.isApplied) return;
    row.nextAttemptAtMs = this.nowMs() + delayMs;
    row.outcome = outcome;
  }

  giveBackInbox(id: string, outcome: string): void {
    const row = this.inbox.get(id);
    if (!row || row.isApplied) return;
    row.nextAttemptAtMs = row.receivedAtMs;
    row.attempts = Math.max(0, row.attempts - 1);
    row.outcome = outcome;
  }

  /** @returns the stream that has it, whether this claim is its first, and when it was made or renewed */
  claimReference(
    reference: string,
    stream: string,
    isBroughtNow = false,
  ): { stream: string; isNew: boolean; atMs: number; isBrought: boolean } {
    const owner = this.claims.get(reference);
    const wasBrought = this.brought.has(reference);
    if (owner !== undefined && owner !== stream)
      return { stream: owner, isNew: false, atMs: 0, isBrought: wasBrought };
    this.claims.set(reference, stream);
    if (isBroughtNow) this.brought.add(reference);
    const isBrought = wasBrought || isBroughtNow;
    return { stream, isNew: owner === undefined, atMs: this.renewClaim(reference), isBrought };
  }

  takeOverReference(
    reference: string,
    stream: string,
    from: { stream: string; ms: number; isBrought?: boolean | undefined },
  ): boolean {
    const isOld = (this.claimedAtMs.get(reference) ?? 0) <= this.nowMs() - from.ms;
    if (this.claims.get(reference) !== from.stream || !isOld) return false;
    if (this.brought.has(reference)) return false;
    this.claims.set(reference, stream);
    if (from.isBrought) this.brought.add(reference);
    this.renewClaim(reference);
    return true;
  }

  releaseReference(reference: string, stream: string, atMs: number): void {
    const isSame = this.claimedAtMs.get(reference) === atMs;
    if (this.claims.get(reference) !== stream || !isSame) return;
    this.claims.delete(reference);
    this.brought.delete(reference);
    this.claimedAtMs.delete(reference);
  }

  /** No two renewals have the same time, and times are whole milliseconds as in the records. */
  private renewClaim(reference: string): number {
    const before = this.claimedAtMs.get(reference) ?? 0;
    const atMs = Math.max(Math.floor(this.nowMs()), before + 1);
    this.claimedAtMs.set(reference, atMs);
    return atMs;
  }

  leaseAttempt(stream: string, attempt: number): boolean {
    const made = this.attempts.get(stream)?.get(attempt);
    const nowMs = this.nowMs();
    const { outcome, ms } = railQueryLease;
    if (made && (made.outcome !== outcome || made.attemptedAtMs > nowMs - ms)) return false;
    this.handOut(stream, attempt);
    return true;
  }

  /** Records that a worker has the question now, even if another had it before. */
  handOut(stream: string, attempt: number): void {
    this.onHandedOut(stream, attempt, false);
    const ofStream = this.attempts.get(stream) ?? new Map<number, AttemptRow>();
    ofStream.set(attempt, { attemptedAtMs: this.nowMs(), outcome: railQueryLease.outcome });
    this.attempts.set(stream, ofStream);
  }

  /** Returns the outcome of the last concluded attempt, whenever it was made. */
  lastOutcome(stream: string): string | undefined {
    return this.#lastMade(stream)?.outcome;
  }

  /** The same, if it was made at least a minute ago. */
  lastOutcomeApart(stream: string): string | undefined {
    const last = this.#lastMade(stream);
    return last && last.attemptedAtMs <= this.nowMs() - apartMs ? last.outcome : undefined;
  }

  #lastMade(stream: string): AttemptRow | undefined {
    let [last, found]: [number, AttemptRow | undefined] = [0, undefined];
    for (const [attempt, made] of this.attempts.get(stream) ?? [])
      if (attempt > last && made.outcome !== railQueryLease.outcome)
        [last, found] = [attempt, made];
    return found;
  }

  concludeAttempt(stream: string, attempt: number, outcome: string): void {
    const made = this.attempts.get(stream)?.get(attempt);
    if (made) made.outcome = outcome;
  }

  giveBackAttempt(stream: string, attempt: number): void {
    const made = this.attempts.get(stream)?.get(attempt);
    if (made?.outcome !== railQueryLease.outcome) return;
    made.attemptedAtMs = this.nowMs() - railQueryLease.ms + againAfterMs;
    this.onHandedOut(stream, attempt, true);
  }

  /** @returns 0 if it may be asked, else how long it has to wait */
  leaseExtra(stream: string): number {
    const { asked, askedAtMs } = this.extras.get(stream) ?? { asked: 0, askedAtMs: -Infinity };
    const { min, max } = extraGapMs;
    const gapMs = Math.min(max, min * 2 ** (Math.max(asked, 1) - 1));
    const nowMs = this.nowMs();
    if (askedAtMs + gapMs > nowMs) return askedAtMs + gapMs - nowMs;
    this.extras.set(stream, { asked: asked + 1, askedAtMs: nowMs });
    return 0;
  }

  giveBackExtra(stream: string): void {
    const made = this.extras.get(stream);
    if (made) this.extras.set(stream, { ...made, asked: Math.max(0, made.asked - 1) });
  }

  /** Returns when the inbox has its next due entry. */
  inboxDueMs(): number | undefined {
    let next: number | undefined;
    for (const { isApplied, nextAttemptAtMs } of this.inbox.values())
      if (!isApplied && (next === undefined || nextAttemptAtMs < next)) next = nextAttemptAtMs;
    return next;
  }
}
