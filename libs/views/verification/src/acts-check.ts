import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { actOf, type ActRow } from '#views/acts';
import { type Differences } from './difference.js';
import {
  beforeAllPositions,
  field,
  fieldEnd,
  fieldsOf,
  instantOf,
  lineOf,
  StoredLines,
} from './stored-lines.js';

const columns = [
  ...['position', 'kind', 'type', 'recorded_at', 'actor', 'people'],
  ...['merchant_id', 'mode', 'stream', 'revision', 'reason', 'details'],
] as const;
const forms: Readonly<Record<string, string>> = {
  recorded_at: instantOf('recorded_at'),
  people: `array_to_string(people, ' ')`,
};
const select = `select ${lineOf(columns.map((name) => forms[name] ?? name))} from acts where position > $1`;
const upTo = `${select} and position <= $2 order by position`;
/** Acts that no event can have produced yet. */
const beyond = `${select} and position > (select position from checkpoint) order by position`;

/** Compares people's acts with the log: both are in the order of position, so one pass suffices. */
export class ActsCheck {
  #lines: StoredLines;

  /** @param end the last position of the first part */
  constructor(
    private readonly database: Queryable,
    private readonly differences: Differences,
    end: Position,
  ) {
    this.#lines = this.#part(beforeAllPositions, end);
  }

  /** Ends this part and begins the next: all of its acts now exist. */
  async goOn(after: Position, end: Position): Promise<void> {
    await this.#endPart();
    this.#lines = this.#part(after.toString(), end);
  }

  /** Does not wait as long as the acts in memory are those that the log expects. */
  observe(event: RecordedEvent): void | Promise<void> {
    const act = actOf(event);
    if (!act) return;
    const expected = lineOfAct(act);
    if (this.#lines.atHand !== expected) return this.#compare(act.position, expected);
    this.#lines.advance();
  }

  async finish(): Promise<void> {
    await this.#endPart();
    const lines = { select: beyond, after: [beforeAllPositions] };
    for await (const line of new StoredLines(this.database, lines).rest()) this.#tooMany(line);
  }

  #part(after: string, end: Position): StoredLines {
    return new StoredLines(this.database, { select: upTo, after: [after], values: [end] });
  }

  async #endPart(): Promise<void> {
    for await (const line of this.#lines.rest()) this.#tooMany(line);
  }

  async #compare(position: Position, expected: string): Promise<void> {
    for (;;) {
      const line = await this.#lines.peek();
      if (line === undefined || positionOf(line) > position) {
        const where = { table: 'acts', position: position.toString() };
        this.differences.add({ ...where, field: 'row', expected: 'a row', found: null });
        return;
      }
      this.#lines.advance();
      if (positionOf(line) === position) {
        this.#differing(expected, line);
        return;
      }
      this.#tooMany(line);
    }
  }

  #tooMany(line: string): void {
    const where = { table: 'acts', position: positionOf(line).toString() };
    this.differences.add({ ...where, field: 'row', expected: null, found: 'a row' });
  }

  #differing(expected: string, line: string): void {
    const where = { table: 'acts', position: positionOf(line).toString() };
    const [byLog, stored] = [fieldsOf(expected), fieldsOf(line)];
    for (const [index, name] of columns.entries()) {
      const [wanted = null, found = null] = [byLog[index], stored[index]];
      if (wanted !== found)
        this.differences.add({ ...where, field: name, expected: wanted, found });
    }
  }
}

/** The line that the log expects, in the order of `columns`. */
function lineOfAct(act: ActRow): string {
  const { position, kind, type, recorded_at: at, actor, people, revision, details } = act;
  return [
    ...[position.toString(), kind, type, at, actor, people.join(' ')],
    ...[act.merchant_id, act.mode, act.stream, revision.toString(), act.reason, details].map(field),
  ].join(fieldEnd);
}

function positionOf(line: string): bigint {
  return BigInt(line.slice(0, line.indexOf(fieldEnd)));
}
