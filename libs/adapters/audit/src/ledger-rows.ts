import { linkHash } from '#domain/audit';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Database } from '#infra/postgres';
import { sha256 } from '#shared/signing';
import { SectionComparison, type SectionRow, selectSections } from './ledger-sections.js';
import { type Leaf } from './places.js';

/** A ledger entry as text, exactly as Postgres returns it; hashes are hex. */
export interface EntryRow {
  readonly position: string;
  readonly leg: string;
  readonly event_id: string;
  readonly stream: string;
  readonly mode: string;
  readonly currency: string;
  readonly account: string;
  readonly amount_minor: string;
  readonly recorded_at: string;
  readonly leaf: string | null;
  readonly link: string | null;
}

export interface BalanceRow {
  readonly mode: string;
  readonly currency: string;
  readonly account: string;
  readonly credits_minor: string;
  readonly debits_minor: string;
  readonly link: string | null;
}

/** A snapshot of the ledger's views. */
export interface LedgerStanding {
  /** All entries up to here are present and linked; no event before it is quarantined. */
  readonly position: bigint;
  /** Balances as of that position; undefined if events are quarantined, since the balances then have no single position. */
  readonly balances: readonly BalanceRow[] | undefined;
  /** Sections that end at or before the position are complete. If no event is quarantined, the last one is complete, too. */
  readonly sections: readonly SectionRow[];
}

/** The rows of the ledger's views, for comparison with the log. */
export abstract class LedgerRows {
  abstract standing(): Promise<LedgerStanding>;
  /** In the order of position and leg. */
  abstract entries(upTo: bigint): AsyncIterable<EntryRow>;
  /** Entries after the position of the views: no event can have produced them yet. */
  abstract beyond(): AsyncIterable<EntryRow>;
}

const pageRows = 5000;
const recordedAt = `to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const selectStanding = `
  select c.position, c.unlinked,
    (select min(applied_to) from quarantines) as held_from,
    (select min(position) - 1 from ledger_entries where link is null) as linked_to
  from checkpoint c`;
const selectBalances = `
  select mode, currency, account, credits_minor::text, debits_minor::text, encode(link, 'hex') as link
  from balances`;
const selectEntries = `
  select position::text, leg::text, event_id::text, stream, mode, currency, account, amount_minor::text,
    ${recordedAt} as recorded_at, encode(leaf, 'hex') as leaf, encode(link, 'hex') as link
  from ledger_entries
  where (ledger_entries.position, ledger_entries.leg) > ($1::bigint, $2::smallint)`;
const inOrder = `order by ledger_entries.position, ledger_entries.leg limit ${pageRows}`;
const selectUpTo = `${selectEntries} and ledger_entries.position <= $3 ${inOrder}`;
const selectBeyond = `
  ${selectEntries} and ledger_entries.position > (select c.position from checkpoint c) ${inOrder}`;
/** A single statement reads all sections, and another all balances. Both may cover years. */
const standingTimeoutMs = 600_000;
/** Rows that somebody inserted by hand may have any position. */
const beforeAllPositions = (-(2n ** 63n)).toString();

/** The serving set of views. */
export class StoredLedger extends LedgerRows {
  /** @param database its search_path names the set */
  constructor(private readonly database: Database) {
    super();
  }

  override standing(): Promise<LedgerStanding> {
    return this.database.transaction(
      async (snapshot) => {
        const [row] = await snapshot.query<{
          readonly position: bigint;
          readonly unlinked: boolean;
          readonly held_from: bigint | null;
          readonly linked_to: bigint | null;
        }>(selectStanding);
        if (!row) throw new TypeError('the views have no checkpoint row');
        const sections = await snapshot.query<SectionRow>(selectSections);
        const bounds = [row.held_from, row.unlinked ? row.linked_to : null];
        const ends = bounds.filter((bound) => bound !== null);
        if (ends.length > 0) {
          const position = ends.reduce((least, end) => (end < least ? end : least), row.position);
          return { position, balances: undefined, sections };
        }
        return {
          position: row.position,
          balances: await snapshot.query<BalanceRow>(selectBalances),
          sections,
        };
      },
      { isolation: 'repeatable read', readOnly: true, statementTimeoutMs: standingTimeoutMs },
    );
  }

  override entries(upTo: bigint): AsyncGenerator<EntryRow, void, void> {
    return this.#pages(selectUpTo, [upTo]);
  }

  override beyond(): AsyncGenerator<EntryRow, void, void> {
    return this.#pages(selectBeyond, []);
  }

  async *#pages(select: string, values: readonly bigint[]): AsyncGenerator<EntryRow, void, void> {
    for (let after: readonly [string, string] = [beforeAllPositions, '-32768']; ;) {
      const page = await this.database.query<EntryRow>(select, [...after, ...values]);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageRows) return;
      after = [last.position, last.leg];
    }
  }
}

/** A wrong or missing row of the views. */
export interface RowFault {
  readonly table: 'ledger_entries' | 'ledger_sections' | 'balances';
  readonly position?: string;
  readonly stream?: string;
  readonly eventId?: string;
  readonly tells: string;
}

interface Sums {
  credits: bigint;
  debits: bigint;
  link: Buffer;
}

/** The ledger computed from the log and compared with the rows, entry by entry. Memory: one entry per account. */
export class LedgerComparison {
  readonly #accounts = new Map<string, Sums>();
  readonly #sections: SectionComparison;
  readonly #rows: AsyncIterator<EntryRow>;
  #next: EntryRow | undefined;
  #begun = false;
  entries = 0;

  constructor(
    private readonly stored: LedgerRows,
    private readonly standing: LedgerStanding,
    private readonly onFault: (fault: RowFault) => void,
  ) {
    this.#rows = stored.entries(standing.position)[Symbol.asyncIterator]();
    const { balances, position, sections } = standing;
    this.#sections = new SectionComparison({
      stored: sections,
      wholeUpTo: balances ? undefined : position,
      onFault: (tells) => {
        onFault({ table: 'ledger_sections', tells });
      },
    });
  }

  async posted(event: RecordedEvent, leaf: Leaf): Promise<void> {
    if (event.position > this.standing.position) return;
    for (const entry of this.#entriesOf(event, leaf)) await this.#compare(entry);
  }

  async finish(): Promise<void> {
    for (let row = await this.#peek(); row; row = await this.#take()) this.#tooMany(row);
    for await (const row of this.stored.beyond()) this.#tooMany(row);
    const { balances } = this.standing;
    this.#sections.finish();
    if (balances) this.#compareBalances(balances);
  }

  /** Yields each mode and currency whose legs do not sum to zero. */
  *unbalanced(): Generator<readonly [string, bigint], void, void> {
    const sums = new Map<string, bigint>();
    for (const [key, { credits, debits }] of this.#accounts) {
      const [mode = '', currency = ''] = key.split('\t');
      const of = `${mode} ${currency}`;
      sums.set(of, (sums.get(of) ?? 0n) + credits - debits);
    }
    for (const [of, sum] of sums) if (sum !== 0n) yield [of, sum];
  }

  #entriesOf(event: RecordedEvent, { posting, hash }: Leaf): EntryRow[] {
    return posting.legs.map((leg, index) => {
      const key = [posting.mode, posting.currency, leg.account].join('\t');
      const before = this.#accounts.get(key);
      const link = linkHash(sha256, before?.link, hash, leg) as Buffer;
      const sums = before ?? { credits: 0n, debits: 0n, link };
      if (leg.amountMinor >= 0n) sums.credits += leg.amountMinor;
      else sums.debits -= leg.amountMinor;
      sums.link = link;
      this.#accounts.set(key, sums);
      this.#sections.posted(event.position, key, leg.amountMinor);
      return {
        position: String(event.position),
        leg: String(index),
        event_id: event.id,
        stream: event.stream,
        mode: posting.mode,
        currency: posting.currency,
        account: leg.account,
        amount_minor: String(leg.amountMinor),
        recorded_at: event.recordedAt,
        leaf: index === 0 ? hash.toString('hex') : null,
        link: link.toString('hex'),
      };
    });
  }

  async #compare(expected: EntryRow): Promise<void> {
    this.entries += 1;
    for (;;) {
      const row = await this.#peek();
      const order = row ? orderOf(row, expected) : 1;
      if (!row || order > 0) {
        this.onFault({ ...placeOf(expected), tells: `leg ${expected.leg} is missing` });
        return;
      }
      await this.#take();
      if (order === 0) {
        this.#compareFields(row, expected);
        return;
      }
      this.#tooMany(row);
    }
  }

  #compareFields(row: EntryRow, expected: EntryRow): void {
    const wrong = (Object.keys(expected) as (keyof EntryRow)[]).filter(
      (name) => row[name] !== expected[name],
    );
    if (wrong.length > 0)
      this.onFault({
        ...placeOf(expected),
        tells: `leg ${expected.leg} has another ${wrong.join(', ')} than the log gives`,
      });
  }

  #tooMany(row: EntryRow): void {
    this.onFault({ ...placeOf(row), tells: `leg ${row.leg} is in no event of the log` });
  }

  #compareBalances(rows: readonly BalanceRow[]): void {
    const stored = new Map(
      rows.map((row) => [[row.mode, row.currency, row.account].join('\t'), row]),
    );
    for (const key of new Set([...stored.keys(), ...this.#accounts.keys()])) {
      const [row, sums] = [stored.get(key), this.#accounts.get(key)];
      const name = key.replaceAll('\t', ' ');
      const wrong = [
        ...(row?.credits_minor === sums?.credits.toString() ? [] : ['credits_minor']),
        ...(row?.debits_minor === sums?.debits.toString() ? [] : ['debits_minor']),
        ...((row?.link ?? null) === (sums?.link.toString('hex') ?? null) ? [] : ['link']),
      ];
      if (wrong.length > 0)
        this.onFault({
          table: 'balances',
          tells: `${name} has another ${wrong.join(', ')} than the log gives`,
        });
    }
  }

  async #peek(): Promise<EntryRow | undefined> {
    if (!this.#begun) {
      this.#begun = true;
      await this.#take();
    }
    return this.#next;
  }

  async #take(): Promise<EntryRow | undefined> {
    const next = await this.#rows.next();
    this.#next = next.done === true ? undefined : next.value;
    return this.#next;
  }
}

/** Returns a negative number if the row comes before the expected one. */
function orderOf(row: EntryRow, expected: EntryRow): number {
  const [one, other] = [BigInt(row.position), BigInt(expected.position)];
  if (one !== other) return one < other ? -1 : 1;
  return Number(row.leg) - Number(expected.leg);
}

function placeOf({ position, stream, event_id: eventId }: EntryRow) {
  return { table: 'ledger_entries', position, stream, eventId } as const;
}
