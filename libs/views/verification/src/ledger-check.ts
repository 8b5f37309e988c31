import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { isBalanced, type Leg } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';
import { type Difference, type Differences } from './difference.js';
import {
  beforeAllPositions,
  fieldEnd,
  fieldsOf,
  instantOf,
  lineOf,
  StoredLines,
} from './stored-lines.js';

/** A posting as the log has it; mode and currency are those of its collection. */
export interface Posting {
  readonly event: RecordedEvent;
  readonly legs: readonly Leg[];
  readonly mode: string;
  readonly currency: string;
}

const columns = [
  ...['position', 'leg', 'event_id', 'stream', 'mode', 'currency', 'account', 'amount_minor'],
  'recorded_at',
] as const;
const select = `
  select ${lineOf([...columns.slice(0, -1), instantOf('recorded_at')])} from ledger_entries
  where (position, leg) > ($1, $2)`;
const upTo = `${select} and position <= $3 order by position, leg`;
/** Entries that no event can have brought about yet. */
const beyond = `${select} and position > (select position from checkpoint) order by position, leg`;
const behind = (position: string): readonly string[] => [position, '32767'];

/** The ledger entries against the legs in the log: both in the order of position and leg, so one pass compares them. */
export class LedgerCheck {
  compared = 0;

  private lines: StoredLines;

  /** @param end the last position of the first part */
  constructor(
    private readonly database: Queryable,
    private readonly differences: Differences,
    end: Position,
  ) {
    this.lines = this.#part(beforeAllPositions, end);
  }

  /** The part is over, and the next one goes up to here: all of its entries are there now. */
  async goOn(after: Position, end: Position): Promise<void> {
    await this.#endPart();
    this.lines = this.#part(after.toString(), end);
  }

  /** Waits for nobody as long as the entries at hand are those that the log expects. */
  posted(posting: Posting): void | Promise<void> {
    if (!isBalanced(posting.legs)) this.#unbalanced(posting);
    for (const leg of posting.legs.keys()) {
      if (this.lines.atHand !== entryOf(posting, leg)) return this.#compareFrom(posting, leg);
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

  async #compareFrom(posting: Posting, first: number): Promise<void> {
    for (let leg = first; leg < posting.legs.length; leg += 1) await this.#compare(posting, leg);
  }

  async #compare(posting: Posting, leg: number): Promise<void> {
    this.compared += 1;
    const expected = entryOf(posting, leg);
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

/** The line that the log expects of a leg, in the order of `columns`. */
function entryOf({ event, legs, mode, currency }: Posting, leg: number): string {
  const of = legs[leg];
  if (!of) throw new RangeError(`the posting has no leg ${leg}`);
  return [
    event.position,
    leg,
    event.id,
    event.stream,
    mode,
    currency,
    of.account,
    of.amountMinor,
    event.recordedAt,
  ].join(fieldEnd);
}

/** Where the stored entry stands, seen from the one that the log expects next. */
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
