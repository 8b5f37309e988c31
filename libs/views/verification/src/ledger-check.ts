import { hash } from 'node:crypto';
import { leafHash, leafText, type LegsPlace, linkHash, postingOf } from '#domain/audit';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { isBalanced, type Leg } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';
import { type Difference, type Differences } from './difference.js';
import {
  beforeAllPositions,
  field,
  fieldEnd,
  fieldsOf,
  instantOf,
  lineOf,
  StoredLines,
} from './stored-lines.js';

/** A posting in the log; merchant, mode and currency are those of its collection. */
export interface Posting extends LegsPlace {
  readonly event: RecordedEvent;
  readonly legs: readonly Leg[];
}

const columns = [
  ...['position', 'leg', 'event_id', 'stream', 'mode', 'currency', 'account', 'amount_minor'],
  ...['recorded_at', 'leaf', 'link'],
] as const;
const select = `
  select ${lineOf(columns.map((name) => (name === 'recorded_at' ? instantOf(name) : name)))} from ledger_entries
  where (position, leg) > ($1, $2)`;
const upTo = `${select} and position <= $3 order by position, leg`;
/** Entries that no event can have produced yet. */
const beyond = `${select} and position > (select position from checkpoint) order by position, leg`;
const behind = (position: string): readonly string[] => [position, '32767'];

/** The position up to which entries are compared at once. */
export interface LedgerPart {
  readonly end: Position;
  /** From here on entries have no links yet, since an event before them is quarantined. */
  readonly unlinkedFrom: Position | undefined;
}

/** Compares the ledger entries with the legs in the log: both are in the order of position and leg, so one pass suffices. */
export class LedgerCheck {
  compared = 0;
  readonly chains = new Chains();

  private lines: StoredLines;

  /** @param part the first one */
  constructor(
    private readonly database: Queryable,
    private readonly differences: Differences,
    private part: LedgerPart,
  ) {
    this.lines = this.#part(beforeAllPositions, part.end);
  }

  /** Ends this part and begins the next: all of its entries now exist. */
  async goOn(after: Position, part: LedgerPart): Promise<void> {
    await this.#endPart();
    this.part = part;
    this.lines = this.#part(after.toString(), part.end);
  }

  /** Does not wait as long as the entries in memory are those that the log expects. */
  posted(posting: Posting): void | Promise<void> {
    if (!isBalanced(posting.legs)) this.#unbalanced(posting);
    const { unlinkedFrom } = this.part;
    const isLinked = unlinkedFrom === undefined || posting.event.position < unlinkedFrom;
    const expected = this.chains.entriesOf(posting, isLinked);
    for (const [leg, entry] of expected.entries()) {
      if (this.lines.atHand !== entry) return this.#compareFrom(posting, expected, leg);
      this.compared += 1;
      this.lines.advance();
    }
  }

  async finish(): Promise<void> {
    await this.#endPart();
    const after = behind(beforeAllPositions);
    for await (const line of new StoredLines(this.database, { select: beyond, after }).rest())
      this.#tooMany(line);
  }

  #part(after: string, end: Position): StoredLines {
    return new StoredLines(this.database, { select: upTo, after: behind(after), values: [end] });
  }

  async #endPart(): Promise<void> {
    for await (const line of this.lines.rest()) this.#tooMany(line);
  }

  async #compareFrom(posting: Posting, expected: readonly string[], first: number): Promise<void> {
    for (const [leg, entry] of expected.entries())
      if (leg >= first) await this.#compare(posting, entry, leg);
  }

  async #compare(posting: Posting, expected: string, leg: number): Promise<void> {
    this.compared += 1;
    for (;;) {
      const line = await this.lines.peek();
      const order = line === undefined ? 'after' : orderOf(line, posting.event.position, leg);
      if (line === undefined || order === 'after') {
        this.#missing(posting, expected);
        return;
      }
      this.lines.advance();
      if (order === 'before') this.#tooMany(line);
      else {
        if (line !== expected) this.#differing(posting, expected, line);
        return;
      }
    }
  }

  #missing(posting: Posting, expected: string): void {
    const { account, amount } = shown(expected);
    const where = { ...placeOf(posting), account };
    this.differences.add({ ...where, field: 'row', expected: amount, found: null });
  }

  #tooMany(line: string): void {
    const { position, stream, account, amount } = shown(line);
    const where = { table: 'ledger_entries', position, stream, account };
    this.differences.add({ ...where, field: 'row', expected: null, found: amount });
  }

  #differing(posting: Posting, expected: string, line: string): void {
    const where = { ...placeOf(posting), account: shown(expected).account };
    const [byLog, stored] = [fieldsOf(expected), fieldsOf(line)];
    for (const [index, name] of columns.entries()) {
      const [wanted = null, found = null] = [byLog[index], stored[index]];
      if (wanted !== found)
        this.differences.add({ ...where, field: name, expected: wanted, found });
    }
  }

  #unbalanced({ event, legs }: Posting): void {
    const sum = legs.reduce((total, { amountMinor }) => total + amountMinor, 0n);
    this.differences.add({
      table: 'events',
      position: event.position.toString(),
      stream: event.stream,
      field: 'legs',
      expected: '0',
      found: sum.toString(),
    });
  }
}

/** The last links of all accounts by the log. Memory: one entry per account. */
export class Chains {
  /** By mode, currency and account. */
  readonly last = new Map<string, Buffer>();

  /** The lines that the log expects for a posting's legs, in the order of `columns`; updates the accounts' chains. */
  entriesOf(posting: Posting, isLinked: boolean): readonly string[] {
    const bound = postingOf(posting.event, posting);
    if (!bound) throw new TypeError(`event ${posting.event.id} is no posting`);
    const { event, mode, currency } = posting;
    const leaf = leafHash(sha256, leafText(bound)) as Buffer;
    const place = [event.id, event.stream, mode, currency].join(fieldEnd);
    return bound.legs.map((leg, index) =>
      [
        ...[event.position, index, place, leg.account, leg.amountMinor, event.recordedAt],
        field(index === 0 ? bytea(leaf) : null),
        field(isLinked ? this.#link(accountOf(posting, leg), leaf, leg) : null),
      ].join(fieldEnd),
    );
  }

  #link(account: string, leaf: Buffer, leg: Leg): string {
    const link = linkHash(sha256, this.last.get(account), leaf, leg) as Buffer;
    this.last.set(account, link);
    return bytea(link);
  }
}

/** Returns the key of a leg's account. */
export function accountOf({ mode, currency }: LegsPlace, { account }: Leg): string {
  return [mode, currency, account].join(fieldEnd);
}

function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Formats bytes as Postgres writes them. */
export function bytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** The place of the stored entry relative to the one that the log expects next. */
function orderOf(line: string, position: bigint, leg: number): 'before' | 'same' | 'after' {
  const [at = '', storedLeg = ''] = line.split(fieldEnd, 2);
  const storedAt = BigInt(at);
  if (storedAt !== position) return storedAt < position ? 'before' : 'after';
  if (Number(storedLeg) === leg) return 'same';
  return Number(storedLeg) < leg ? 'before' : 'after';
}

function placeOf({ event }: Posting): Pick<Difference, 'table' | 'position' | 'stream'> {
  return { table: 'ledger_entries', position: event.position.toString(), stream: event.stream };
}

function shown(line: string): {
  position: string;
  stream: string;
  account: string;
  amount: string;
} {
  const [position = '', , , stream = '', , , account = '', amount = ''] = line.split(fieldEnd);
  return { position, stream, account, amount };
}
