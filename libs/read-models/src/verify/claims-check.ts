import { type CollectionIntentRecorded } from '#collections';
import { type RecordedEvent } from '#event-sourcing';
import { msFromInstant } from '#kernel';
import { type Queryable } from '#postgres';
import { type Differences } from './difference.js';
import { fieldEnd, lineOf, StoredLines } from './stored-lines.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Claims are deleted after 30 days (contract/decisions.md §3); an hour less, as a claim is older than its intent. */
const lookedForMs = 30 * dayMs - 60 * minuteMs;
/** A younger claim may be of a call that is at work. */
const atWorkMs = minuteMs;
/** Claims that wait for an intent, and intents that wait for a claim. */
const mostWaiting = 100_000;

const msOf = (instant: string): string => `floor(extract(epoch from ${instant}) * 1000)::bigint`;
const select = `
  select ${lineOf([msOf('claimed_at'), 'reference'])}
  from records.idempotency_claims order by claimed_at`;
const now = `select ${msOf('records.now_()')} as ms`;
const claimed = `
  select distinct reference from records.idempotency_claims where reference = any($1)`;
const collected = `select distinct reference from transactions where reference = any($1)`;

/** Claims of one reference that no intent has taken yet. */
interface Waiting {
  count: number;
  readonly claimedMs: number;
}

/**
 * The idempotency claims against the log. Of what a claim holds, only its reference can be held against the log: key
 * and fingerprint are keyed digests of what no event tells. A claim stands before its intent is appended, so each V4
 * intent of the last 30 days has a claim of its own. More claims than intents are legal: a repeat under another key,
 * or a call that ended between the two. Those whose reference no collection bears are counted, as a note.
 *
 * Both are read in the order of time, so that a pair is found within moments and few wait for the other half. Should
 * more than 100,000 claims wait, the oldest are forgotten, and a reference that any claim bears then counts as claimed;
 * should as many intents wait, the oldest are differences.
 */
export class ClaimsCheck {
  compared = 0;
  /** Claims older than a minute whose reference no collection bears; of those looked into. */
  withoutCollection = 0;
  /** Claims that could not be kept in mind. */
  forgotten = 0;
  readonly #claims = new Map<string, Waiting>();
  readonly #intents = new Map<string, string[]>();
  #lastIntentMs = 0;

  private constructor(
    private readonly transaction: Queryable,
    private readonly differences: Differences,
    private readonly lines: StoredLines,
    private readonly nowMs: number,
  ) {}

  static async begin(transaction: Queryable, differences: Differences): Promise<ClaimsCheck> {
    const lines = await StoredLines.open(transaction, 'claims', select);
    const [row] = await transaction.query<{ ms: bigint }>(now);
    return new ClaimsCheck(transaction, differences, lines, Number(row?.ms));
  }

  /** Waits for nobody as long as the claims up to the intent are at hand. */
  intended(event: RecordedEvent<CollectionIntentRecorded>): void | Promise<void> {
    const { origin } = event.data;
    const intentMs = msFromInstant(event.recordedAt);
    this.#lastIntentMs = intentMs;
    if (origin !== 'v4') return;
    if (!this.#readAtHand(intentMs))
      return this.#readClaims(intentMs).then(() => {
        this.#match(event, intentMs);
      });
    this.#match(event, intentMs);
  }

  #match(event: RecordedEvent<CollectionIntentRecorded>, intentMs: number): void {
    const { reference } = event.data;
    const isYoung = intentMs >= this.nowMs - lookedForMs;
    if (isYoung) this.compared += 1;
    if (this.#take(reference) || !isYoung) return;
    const streams = this.#intents.get(reference);
    if (streams) streams.push(event.stream);
    else this.#intents.set(reference, [event.stream]);
    if (this.#intents.size > mostWaiting) this.#giveUpOldestIntent();
  }

  /** @param isWhole whether the views hold all of the log, so that a claim of any age could have its collection */
  async finish(isWhole: boolean): Promise<void> {
    await this.#readClaims(Number.POSITIVE_INFINITY);
    if (this.forgotten > 0) await this.#forgiveForgotten();
    for (const [reference, streams] of this.#intents)
      for (const stream of streams) this.#unclaimed(reference, stream);
    const until = (isWhole ? this.nowMs : this.#lastIntentMs) - atWorkMs;
    this.withoutCollection = await this.#countWithoutCollection(until);
  }

  async #readClaims(untilMs: number): Promise<void> {
    while ((await this.lines.peek()) !== undefined) if (this.#readAtHand(untilMs)) return;
  }

  /** @returns whether a later claim was met; false where what is at hand is used up */
  #readAtHand(untilMs: number): boolean {
    for (let line = this.lines.atHand; line !== undefined; line = this.lines.atHand) {
      const at = line.indexOf(fieldEnd);
      const claimedMs = Number(line.slice(0, at));
      if (claimedMs > untilMs) return true;
      this.lines.advance();
      this.#claimed(line.slice(at + 1), claimedMs);
    }
    return false;
  }

  #claimed(reference: string, claimedMs: number): void {
    const streams = this.#intents.get(reference);
    if (streams) {
      streams.shift();
      if (streams.length === 0) this.#intents.delete(reference);
      return;
    }
    const waiting = this.#claims.get(reference);
    if (waiting) waiting.count += 1;
    else this.#claims.set(reference, { count: 1, claimedMs });
    if (this.#claims.size <= mostWaiting) return;
    for (const [oldest] of this.#claims) {
      this.#claims.delete(oldest);
      this.forgotten += 1;
      return;
    }
  }

  #take(reference: string): boolean {
    const waiting = this.#claims.get(reference);
    if (!waiting) return false;
    waiting.count -= 1;
    if (waiting.count === 0) this.#claims.delete(reference);
    return true;
  }

  #giveUpOldestIntent(): void {
    for (const [reference, streams] of this.#intents) {
      this.#intents.delete(reference);
      for (const stream of streams) this.#unclaimed(reference, stream);
      return;
    }
  }

  async #forgiveForgotten(): Promise<void> {
    for (const reference of await this.#among(claimed, [...this.#intents.keys()]))
      this.#intents.delete(reference);
  }

  async #countWithoutCollection(untilMs: number): Promise<number> {
    const old = [...this.#claims].filter(([, { claimedMs }]) => claimedMs <= untilMs);
    const references = old.map(([reference]) => reference);
    const known = new Set(await this.#among(collected, references));
    return old.reduce(
      (sum, [reference, { count }]) => (known.has(reference) ? sum : sum + count),
      0,
    );
  }

  async #among(statement: string, references: readonly string[]): Promise<string[]> {
    if (references.length === 0) return [];
    const rows = await this.transaction.query<{ reference: string }>(statement, [references]);
    return rows.map(({ reference }) => reference);
  }

  #unclaimed(reference: string, stream: string): void {
    const what = { table: 'idempotency_claims', stream, field: 'reference' };
    this.differences.add({ ...what, expected: reference, found: null });
  }
}
