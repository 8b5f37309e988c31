import { type CollectionIntentRecorded } from '#domain/collections';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, msFromInstant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type Losses } from './losses.js';
import { listRanges } from './paged-rows.js';
import { fieldEnd, lineOf, StoredLines } from './stored-lines.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Claims are deleted after 30 days; this is an hour less, since a claim is older than its intent. */
const lookedForMs = 30 * dayMs - 60 * minuteMs;
/** A younger claim may belong to a call that is still running. */
const atWorkMs = minuteMs;
/** Maximum number of claims that wait for an intent, and of intents that wait for a claim. */
const maxWaiting = 250_000;
/**
 * After this time, no older claim appears. A claim is inserted within seconds. An unfinished claim that is set back, so
 * that it can be taken over, is set back by a minute.
 */
const settledMs = 90_000;

const msOf = (instant: string): string => `floor(extract(epoch from ${instant}) * 1000)::bigint`;
/** The first two fields are the key of its pages. */
const select = `
  select ${lineOf(['claimed_at', `encode(key_hash, 'hex')`, msOf('claimed_at'), 'reference'])}
  from records.idempotency_claims
  where (claimed_at, key_hash) > ($1::timestamptz, decode($2, 'hex')) and claimed_at < $3::timestamptz
  order by claimed_at, key_hash`;
const now = `
  select ${msOf('records.now_()')} as ms,
    (records.now_() - $1 * interval '1 millisecond')::text as settled`;
const claimed = `
  select distinct reference from records.idempotency_claims where reference = any($1)`;
const collected = `
  select distinct reference from transactions
  where reference = any($1) and position > $2 and position <= $3`;

interface Reference {
  readonly reference: string;
}

/** The current time by the database's clock. */
interface Present {
  readonly ms: number;
  /** Claims before this instant are settled. */
  readonly settled: string;
}

async function present(database: Queryable): Promise<Present> {
  const [row] = await database.query<{ ms: bigint; settled: string }>(now, [settledMs]);
  if (!row) throw new TypeError('the database does not say what time it is');
  return { ms: Number(row.ms), settled: row.settled };
}

/** An intent without a claim so far. */
interface Intent {
  /** The id of its event. */
  readonly id: string;
  readonly position: Position;
  readonly stream: string;
  readonly recordedAt: Instant;
  readonly intentMs: number;
}

/** Claims of one reference without an intent so far. */
interface Waiting {
  count: number;
  readonly claimedMs: number;
}

/**
 * Compares the idempotency claims with the log. Only a claim's reference can be compared: key and fingerprint are keyed
 * digests of data that no event contains. A claim is stored before its intent is appended, so each V4 intent of the
 * last 30 days has a claim of its own. More claims than intents are legal: a repeat under another key, or a call that
 * ended between the two. Claims whose reference no collection has are counted, as a note.
 *
 * Both are read in the order of time, so a pair is found within moments and few wait for the other half. If more than
 * 250,000 claims wait, the oldest are forgotten, and a reference with any claim then counts as claimed. If as many
 * intents wait, the oldest are differences.
 *
 * Claims arrive while they are read. The check first reads only settled claims. It reads the rest at the end of the
 * walk, when the claim of each relevant intent exists.
 */
export class ClaimsCheck {
  compared = 0;
  /** The number of intents whose claim is accepted as lost (AUD-32). */
  lost = 0;
  /** The number of checked claims older than a minute whose reference no collection has. */
  withoutCollection = 0;
  /** The number of claims that could not be kept in memory. */
  forgotten = 0;
  readonly #claims = new Map<string, Waiting>();
  readonly #intents = new Map<string, Intent[]>();
  #lastIntentMs = 0;
  #lines: StoredLines;

  private constructor(
    private readonly database: Queryable,
    private readonly losses: Losses,
    private readonly begun: Present,
  ) {
    const [after, values] = [['-infinity', ''], [begun.settled]];
    this.#lines = new StoredLines(database, { select, after, values });
  }

  static async begin(database: Queryable, losses: Losses): Promise<ClaimsCheck> {
    return new ClaimsCheck(database, losses, await present(database));
  }

  /** Does not wait as long as the claims up to the intent are in memory. */
  intended(event: RecordedEvent<CollectionIntentRecorded>): void | Promise<void> {
    const { origin } = event.data;
    const intentMs = msFromInstant(event.recordedAt);
    this.#lastIntentMs = intentMs;
    if (origin !== 'v4') return;
    if (!this.#readAtHand(intentMs))
      return this.#readClaims(intentMs).then(() => this.#match(event, intentMs));
    return this.#match(event, intentMs);
  }

  #match(event: RecordedEvent<CollectionIntentRecorded>, intentMs: number): void | Promise<void> {
    const { id, position, stream, recordedAt } = event;
    const { reference } = event.data;
    const isYoung = intentMs >= this.begun.ms - lookedForMs;
    if (!isYoung) {
      this.#take(reference);
      return;
    }
    this.compared += 1;
    const intent = { id, position, stream, recordedAt, intentMs };
    const isLost = this.losses.covers({ kind: 'claims', id, position });
    return isLost instanceof Promise
      ? isLost.then((is) => this.#matchYoung(reference, intent, is))
      : this.#matchYoung(reference, intent, isLost);
  }

  /** An intent whose claim is lost takes none: it would be that of another intent of its reference. */
  #matchYoung(reference: string, intent: Intent, isLost: boolean): void | Promise<void> {
    if (isLost) {
      this.lost += 1;
      return;
    }
    if (this.#take(reference)) return;
    const waiting = this.#intents.get(reference);
    if (waiting) waiting.push(intent);
    else this.#intents.set(reference, [intent]);
    if (this.#intents.size > maxWaiting) return this.#giveUpOldestIntent();
  }

  /** From here on, all claims of later intents, and of those that wait, exist. */
  async goOn(): Promise<void> {
    await this.#readClaims(Number.POSITIVE_INFINITY);
    const [after, values] = [[this.begun.settled, ''], ['infinity']];
    this.#lines = new StoredLines(this.database, { select, after, values });
  }

  /** @param isWhole true if the views contain the whole log, so that a claim of any age could have its collection */
  async finish(isWhole: boolean): Promise<void> {
    await this.#readClaims(Number.POSITIVE_INFINITY);
    if (this.forgotten > 0) await this.#forgiveForgotten();
    // A claim that has become old meanwhile may have been deleted.
    const { ms } = await present(this.database);
    for (const [reference, intents] of this.#intents)
      for (const intent of intents)
        if (intent.intentMs >= ms - lookedForMs) await this.#unclaimed(reference, intent);
    const until = (isWhole ? this.begun.ms : this.#lastIntentMs) - atWorkMs;
    this.withoutCollection = await this.#countWithoutCollection(until);
  }

  async #readClaims(untilMs: number): Promise<void> {
    while ((await this.#lines.peek()) !== undefined) if (this.#readAtHand(untilMs)) return;
  }

  /** @returns true if it reached a later claim; false if the claims in memory are used up */
  #readAtHand(untilMs: number): boolean {
    for (let line = this.#lines.atHand; line !== undefined; line = this.#lines.atHand) {
      const [, , ms, reference = ''] = line.split(fieldEnd);
      const claimedMs = Number(ms);
      if (claimedMs > untilMs) return true;
      this.#lines.advance();
      this.#claimed(reference, claimedMs);
    }
    return false;
  }

  #claimed(reference: string, claimedMs: number): void {
    const intents = this.#intents.get(reference);
    if (intents) {
      intents.shift();
      if (intents.length === 0) this.#intents.delete(reference);
      return;
    }
    const waiting = this.#claims.get(reference);
    if (waiting) waiting.count += 1;
    else this.#claims.set(reference, { count: 1, claimedMs });
    if (this.#claims.size <= maxWaiting) return;
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

  async #giveUpOldestIntent(): Promise<void> {
    for (const [reference, intents] of this.#intents) {
      this.#intents.delete(reference);
      for (const intent of intents) await this.#unclaimed(reference, intent);
      return;
    }
  }

  async #forgiveForgotten(): Promise<void> {
    const rows = await this.database.query<Reference>(claimed, [[...this.#intents.keys()]]);
    for (const { reference } of rows) this.#intents.delete(reference);
  }

  async #countWithoutCollection(untilMs: number): Promise<number> {
    const old = [...this.#claims].filter(([, { claimedMs }]) => claimedMs <= untilMs);
    const references = old.map(([reference]) => reference);
    const known = await this.#collected(references);
    return old.reduce(
      (sum, [reference, { count }]) => (known.has(reference) ? sum : sum + count),
      0,
    );
  }

  async #collected(references: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    if (references.length === 0) return known;
    for await (const { after, upTo } of listRanges(this.database)) {
      const values = [references, after, upTo];
      for (const { reference } of await this.database.query<Reference>(collected, values))
        known.add(reference);
    }
    return known;
  }

  #unclaimed(
    reference: string,
    { id, position, stream, recordedAt }: Intent,
  ): void | Promise<void> {
    const what = { table: 'idempotency_claims', stream, field: 'reference' };
    const difference = { ...what, expected: reference, found: null };
    return this.losses.add({ kind: 'claims', id, position, recordedAt }, difference);
  }
}
