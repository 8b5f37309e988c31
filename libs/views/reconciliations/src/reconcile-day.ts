import { type Position } from '#domain/event-sourcing';
import {
  type Finding,
  judgeReceipt,
  judgeRest,
  type LedgerItem,
  type ReconciledBy,
  type StatementLine,
  excludedFinding,
  WaysBack,
} from '#domain/reconciliation';
import { type Database, type Queryable } from '#infra/postgres';
import {
  type OwnServability,
  ownServability,
  requireNoQuarantine,
  requireOwnServable,
} from '#views/view-set';
import { type AccountDay } from './account-day.js';
import {
  bearersOfCodes,
  type Context,
  correctedItems,
  correctionsOfLines,
  isOfRail,
  type ItemRow,
  itemColumns,
  itemFrom,
  itemsWithoutLine,
  kindOfLine,
  listSums,
  type ListSums,
  reversedItems,
  sentBackLater,
  unreceiptedItems,
} from './items.js';
import { nameCandidates } from './candidates.js';
import { proposedCorrections, type ProposedCorrections } from './proposed.js';

/**
 * More lines or items match nothing, or have one receipt, than one account and day can have: it is another account's
 * statement.
 */
export class TooManyUnmatched extends Error {
  override readonly name = 'TooManyUnmatched';
}

/** The result of comparing a day. */
export interface ReconciledDay {
  /** The log position that the ledger's figures reflect (REC-2). */
  readonly position: Position;
  readonly lists: ListSums;
  /** The number of the file's lines, and of those of the day that took place. */
  readonly lines: number;
  readonly completedOfDay: number;
  readonly proposed: ProposedCorrections;
}

export interface Reconciling {
  readonly day: AccountDay;
  readonly lines: AsyncIterable<readonly StatementLine[]>;
  readonly by: ReconciledBy;
  /** Maximum age of the views. */
  readonly maxAgeMs: number;
  /** Called once, with the matches that need no further finding. */
  readonly onMatched: (matches: PlainMatches) => void;
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress?: (done: Progress) => void;
}

export interface Progress {
  readonly step: 'read' | 'compared';
  readonly lines: number;
}

/** Lines and items without a match are held in memory (REC-14). */
const maxRemaining = 100_000;
/** The lines of one receipt are held in memory as well. A payment has a handful of them. */
const maxOfReceipt = 1000;
const insertedAtOnce = 5_000;
const fetchedAtOnce = 5_000;
/** A statement of millions of lines takes a minute or two; a query that hangs ends. */
const statementTimeoutMs = 300_000;

/**
 * Compares a day with a statement, over one snapshot of the views. It reports findings one by one, except for plain
 * matches.
 * @throws TooManyUnmatched; DependencyUnavailable if the views may not answer; any error of reading the lines
 */
export function reconcileDay(database: Database, work: Reconciling): Promise<ReconciledDay> {
  return database.transaction((transaction) => compare(transaction, work), {
    isolation: 'repeatable read',
    statementTimeoutMs,
  });
}

async function compare(transaction: Queryable, work: Reconciling): Promise<ReconciledDay> {
  const { onFinding, onProgress } = work;
  // The file comes from a disk or a pipe, which may be slow.
  await transaction.query(`set local idle_in_transaction_session_timeout = '5min'`);
  const position = await servedPosition(transaction, work);
  const lists = await listSums(transaction, work.day);
  const proposed = await proposedCorrections(transaction, work.day);
  const { lines, completedOfDay } = await load(transaction, work);
  const compared = { position, lists, proposed, lines, completedOfDay };
  if (completedOfDay === 0) return compared;
  onProgress?.({ step: 'compared', lines: 0 });
  work.onMatched(await plainMatches(transaction, work.day));
  await transaction.query('analyze statement_judged');
  const day = { ...work.day, corrected: await correctedItems(transaction, work.day) };
  const corrections = await correctionsOfLines(transaction, day);
  const remaining: StatementLine[] = [];
  const waysBack = new WaysBack(onFinding);
  const taken = new Set<string>();
  const noteTaken = ({ line, item, about }: Finding): void => {
    const of = item ?? about;
    if (line && of && of.receipt === undefined) taken.add(of.id);
  };
  const take = (finding: Finding): void => {
    noteTaken(finding);
    // The organisation's way to its bank is nothing that a merchant can settle (SWEEP-4).
    const isOthers = work.by === 'merchant' && finding.name === 'withdrawal';
    waysBack.take(isOthers ? { ...finding, name: 'transfer' } : finding);
  };
  let judgedLines = 0;
  for await (const { bearing, items } of receiptsOf(transaction, day)) {
    const [{ receipt } = { receipt: '' }] = bearing;
    const judged = judgeReceipt(bearing, [...items, ...(corrections.get(receipt) ?? [])]);
    judged.findings.forEach(take);
    remaining.push(...judged.remaining);
    requireFew(remaining, 'lines of the statement match nothing in the ledger');
    judgedLines += bearing.length;
    if (judgedLines % fetchedAtOnce < bearing.length)
      onProgress?.({ step: 'compared', lines: judgedLines });
  }
  const own = await itemsWithoutLine(transaction, day, { by: work.by, limit: maxRemaining + 1 });
  requireFew(own, 'items of the ledger are not on the statement');
  const others = [
    ...(await bearersOfCodes(transaction, day, remaining)),
    ...(await unreceiptedItems(transaction, day, remaining)),
    ...(await reversedItems(transaction, day, remaining)),
    ...remaining.flatMap(({ linkedReceipt = '' }) => corrections.get(linkedReceipt) ?? []),
  ];
  const known = new Set(own.map(({ id }) => id));
  const meant = new Map(others.filter(({ id }) => !known.has(id)).map((item) => [item.id, item]));
  const findings = judgeRest(remaining, own, [...meant.values()]);
  findings.forEach(noteTaken);
  (await nameCandidates(transaction, day, { findings, taken })).forEach(take);
  waysBack.end(await sentBackLater(transaction, day, { by: work.by, streams: waysBack.unseen }));
  return compared;
}

async function servedPosition(
  transaction: Queryable,
  { day, maxAgeMs }: Reconciling,
): Promise<Position> {
  const whose = { merchant: '$1', mode: '$2' };
  const [row] = await transaction.query<OwnServability & { readonly position: Position }>(
    `select c.position, ${ownServability(whose)} from checkpoint c`,
    [day.merchantId, day.mode],
  );
  const { position } = requireOwnServable(row, { maxAgeMs });
  // A quarantined merchant's items are missing here: their lines would be reported, and recorded, as without an owner.
  await requireNoQuarantine(transaction, day.mode);
  return position;
}

const createLines = `
  create temporary table statement_lines (
    line integer not null,
    receipt text collate "C" not null,
    kind text not null,
    at_ms bigint not null,
    of_day boolean not null,
    amount_minor bigint not null,
    code text,
    party text,
    linked_receipt text
  ) on commit drop`;
// The lines form one text: the driver writes arrays element by element, which costs ten times as much. No cell contains
// a tab.
const insertLines = {
  name: 'statement-lines-insert',
  text: `
  insert into statement_lines
  select a[1]::int, a[2], a[3], a[4]::bigint, a[5]::boolean, a[6]::bigint,
    nullif(a[7], ''), nullif(a[8], ''), nullif(a[9], '')
  from (select string_to_array(row, E'\\t') as a from string_to_table($1, E'\\n') as row) as rows`,
};

/** Inserts the lines to be judged into a table, so that Postgres can sort them. @returns the number of the file's lines */
async function load(
  transaction: Queryable,
  work: Reconciling,
): Promise<Pick<ReconciledDay, 'lines' | 'completedOfDay'>> {
  const { lines, onFinding, onProgress } = work;
  await transaction.query(createLines);
  let pending: StatementLine[] = [];
  let completedOfDay = 0;
  let read = 0;
  const insert = async (): Promise<void> => {
    await transaction.query(insertLines, [pending.map(cellsOf).join('\n')]);
    pending = [];
  };
  for await (const some of lines) {
    for (const line of some) {
      const excluded = excludedFinding(line);
      if (line.ofDay && line.completed) completedOfDay += 1;
      if (excluded) onFinding(excluded);
      else pending.push(line);
    }
    read += some.length;
    if (pending.length >= insertedAtOnce) await insert();
    onProgress?.({ step: 'read', lines: read });
  }
  if (pending.length > 0) await insert();
  await transaction.query(
    'create temporary table statement_judged (receipt text collate "C" not null) on commit drop',
  );
  await transaction.query('analyze statement_lines');
  return { lines: read, completedOfDay };
}

function cellsOf(line: StatementLine): string {
  const {
    receipt,
    kind,
    atMs,
    ofDay,
    amountMinor,
    code = '',
    party = '',
    linkedReceipt = '',
  } = line;
  const known = [line.line, receipt, kind, atMs, ofDay, amountMinor];
  return [...known, code, party, linkedReceipt].join('\t');
}

// Nearly all lines of a good day are plain: one line and one item have the receipt, both of the day and of the same
// amount, and no correction is about either. Postgres counts these, since fetching a million rows costs the driver more
// than everything else. All other lines are judged by the pure rules (docs/adr/0036).
const countPlain = `
  with joined as materialized (
    select s.receipt, s.amount_minor, t.fee_minor,
      count(*) over (partition by s.receipt) = 1
        and s.of_day and t.receipt = s.receipt and t.status = 'completed'
        and t.merchant_id = $2 and t.account_no = $3 and l.paid_on = $4::date
        and s.kind = ${kindOfLine}
        and s.amount_minor = case t.type when 'payout' then - t.amount_minor else t.amount_minor end
        and s.receipt not in (select c.receipt from corrections c where c.mode = $1 and c.receipt is not null)
        and t.stream not in (select c.corrects from corrections c where c.mode = $1 and c.corrects is not null)
        as is_plain
    from statement_lines s
    left join receipts r on r.mode = $1 and r.receipt = s.receipt
    left join transactions t on t.position = r.position and ${isOfRail('$5')}
    left join transaction_listings l on l.position = t.position
  ),
  judged as (
    insert into statement_judged select distinct receipt from joined where is_plain is not true
  )
  select count(*)::int as count, coalesce(sum(greatest(amount_minor, 0)), 0)::text as came,
    coalesce(sum(greatest(- amount_minor, 0)), 0)::text as went, coalesce(sum(fee_minor), 0)::text as fees
  from joined where is_plain`;

/** The day's matches that need no further finding. */
export interface PlainMatches {
  readonly count: number;
  readonly inMinor: bigint;
  readonly outMinor: bigint;
  readonly feesMinor: bigint;
}

async function plainMatches(
  transaction: Queryable,
  { mode, merchantId, accountNo, date, channel }: AccountDay,
): Promise<PlainMatches> {
  const [row] = await transaction.query<{
    readonly count: number;
    readonly came: string;
    readonly went: string;
    readonly fees: string;
  }>(countPlain, [mode, merchantId, accountNo, date, channel]);
  if (!row) throw new TypeError('a count has one row');
  const { count, came, went, fees } = row;
  return { count, inMinor: BigInt(came), outMinor: BigInt(went), feesMinor: BigInt(fees) };
}

interface LineRow {
  readonly line: number;
  readonly receipt: string;
  readonly kind: StatementLine['kind'];
  readonly at_ms: bigint;
  readonly of_day: boolean;
  readonly line_amount_minor: bigint;
  readonly line_code: string | null;
  readonly line_party: string | null;
  readonly linked_receipt: string | null;
}

const declareReceipts = `
  declare statement_receipts no scroll cursor for
  select s.line, s.receipt, s.kind, s.at_ms, s.of_day, s.amount_minor as line_amount_minor,
    s.code as line_code, s.party as line_party, s.linked_receipt, ${itemColumns}
  from statement_judged j
  join statement_lines s on s.receipt = j.receipt
  left join receipts r on r.mode = $1 and r.receipt = s.receipt
  left join transactions t on t.position = r.position and ${isOfRail('$2')}
  left join transaction_listings l on l.position = t.position
  order by s.receipt`;
const fetchReceipts = {
  name: 'statement-receipts-fetch',
  text: `fetch ${fetchedAtOnce} from statement_receipts`,
};

/** The lines of each receipt, and every item for which the rail ever named it. */
async function* receiptsOf(
  transaction: Queryable,
  day: Context,
): AsyncGenerator<{
  readonly bearing: readonly StatementLine[];
  readonly items: readonly LedgerItem[];
}> {
  await transaction.query(declareReceipts, [day.mode, day.channel]);
  let lines = new Map<number, StatementLine>();
  let items = new Map<string, LedgerItem>();
  let receipt: string | undefined;
  for (;;) {
    const rows = await transaction.query<LineRow & ItemRow>(fetchReceipts);
    for (const row of rows) {
      if (row.receipt !== receipt) {
        if (receipt !== undefined)
          yield { bearing: [...lines.values()], items: [...items.values()] };
        ({ receipt } = row);
        lines = new Map();
        items = new Map();
      }
      if (!lines.has(row.line)) lines.set(row.line, lineFrom(row));
      if (lines.size > maxOfReceipt)
        throw new TooManyUnmatched(
          `more than ${maxOfReceipt} lines have the receipt ${row.receipt}: is it a statement as the portal exported it?`,
        );
      if (row.stream !== null && !items.has(row.stream))
        items.set(row.stream, itemFrom(row, day, [row.receipt]));
    }
    if (rows.length < fetchedAtOnce) break;
  }
  if (receipt !== undefined) yield { bearing: [...lines.values()], items: [...items.values()] };
}

function lineFrom(row: LineRow): StatementLine {
  return {
    line: row.line,
    receipt: row.receipt,
    kind: row.kind,
    completed: true,
    atMs: Number(row.at_ms),
    ofDay: row.of_day,
    amountMinor: row.line_amount_minor,
    ...(row.line_code === null ? {} : { code: row.line_code }),
    ...(row.line_party === null ? {} : { party: row.line_party }),
    ...(row.linked_receipt === null ? {} : { linkedReceipt: row.linked_receipt }),
  };
}

function requireFew(remaining: readonly unknown[], what: string): void {
  if (remaining.length > maxRemaining)
    throw new TooManyUnmatched(
      `more than ${maxRemaining} ${what}: is it the statement of another account or day?`,
    );
}
