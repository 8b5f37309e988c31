import { createHash } from 'node:crypto';
import {
  type Finding,
  isOpen,
  type LedgerItem,
  type ReconciledBy,
  type ReconciliationRecorded,
  type RecordedOpen,
  type StatementReader,
  type StatementLine,
  StatementRefused,
  Tallies,
} from '#domain/reconciliation';
import { type Database } from '#infra/postgres';
import { type AccountDay } from './account-day.js';
import { maxOtherDay } from './items.js';
import {
  type PlainMatches,
  type Progress,
  reconcileDay,
  type ReconciledDay,
} from './reconcile-day.js';

/** The result of comparing a day with one or more files. */
export interface Report extends ReconciledDay {
  readonly day: AccountDay;
  readonly by: ReconciledBy;
  /** For several files: their names, and the digest of their bytes in that order. */
  readonly file: { readonly name: string; readonly sha256: string };
  readonly tallies: Tallies;
  /** The day's money by the statement. A line of another day may be about an item of this one. */
  readonly statement: { readonly inMinor: bigint; readonly outMinor: bigint };
  /** In the order of the rail's time; if there are very many, only the first. */
  readonly open: readonly Finding[];
  readonly otherDay: readonly LedgerItem[];
  /** The day's sweeps to the bank (SWEEP-3). */
  readonly sweeps: readonly StatementLine[];
  /** The streams of items that the statement shows as returned in full. */
  readonly wentBack: ReadonlySet<string>;
}

/** All open findings are listed, except on a day on which everything is wrong. */
const maxListed = 10_000;
/** An organisation sweeps a few times a day. A file with more is refused, so that none is left out. */
const maxSweeps = 1_000;
/** Maximum number in the event, each with the details that people read. */
const maxRecorded = 500;
/**
 * Maximum number of items in the event that may explain a line: one shows a person where to look, and the event stays
 * below 1 MiB.
 */
const maxMayBe = 1;
/** With this many own items, it is no accident that the file is about none of them (REC-13). */
const minToDoubt = 5;

export interface StatementFile {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A day, and the files to compare it with: one for each short code that its money used (REC-9). */
export interface Comparison {
  readonly day: AccountDay;
  readonly files: readonly StatementFile[];
  readonly reader: StatementReader;
  readonly by: ReconciledBy;
  /** Maximum age of the views. */
  readonly maxAgeMs: number;
  readonly onProgress?: (done: Progress) => void;
}

/** @throws StatementRefused if a file is no statement of that day and account; TooManyUnmatched; DependencyUnavailable */
export async function compareWithFiles(
  database: Database,
  comparison: Comparison,
): Promise<Report> {
  const { day, files, by, maxAgeMs, onProgress } = comparison;
  const digest = createHash('sha256');
  const gathered = new Gathered();
  const compared = await reconcileDay(database, {
    day,
    lines: linesOf(comparison, digest),
    by,
    maxAgeMs,
    onMatched: (matches) => {
      gathered.addMatched(matches);
    },
    onFinding: (finding) => {
      gathered.add(finding);
    },
    ...(onProgress && { onProgress }),
  });
  const name = files.map((file) => file.name).join(', ');
  const file = { name, sha256: digest.digest('hex') };
  const report = { ...compared, day, by, file, ...gathered.sorted() };
  requireOfDayAndAccount(report);
  return report;
}

/** Returns the event of a report (REC-16). */
export function recordOf(report: Report): ReconciliationRecorded['data'] {
  const { day, file, lists, tallies, statement, open } = report;
  return {
    merchantId: day.merchantId,
    mode: day.mode,
    accountNo: day.accountNo,
    currency: day.currency,
    channel: day.channel,
    date: day.date,
    fileSha256: file.sha256,
    fileLines: report.lines,
    position: report.position.toString(),
    statementInMinor: statement.inMinor,
    statementOutMinor: statement.outMinor,
    collections: lists.collection.count,
    collectionsMinor: lists.collection.amountMinor,
    collectionFeesMinor: lists.collection.feesMinor,
    payouts: lists.payout.count,
    payoutsMinor: lists.payout.amountMinor,
    payoutFeesMinor: lists.payout.feesMinor,
    tallies: tallies
      .entries()
      .map(([finding, { findings: count, ...tally }]) => ({ finding, count, ...tally })),
    open: tallies.open,
    openNamed: open.slice(0, maxRecorded).map(recordedOpen),
    otherDay: report.otherDay
      .slice(0, maxRecorded)
      .map(({ reference }) => reference)
      .toSorted(),
    otherDayStreams: report.otherDay.map(({ id }) => id).toSorted(),
    by: report.by,
  };
}

function recordedOpen(finding: Finding): RecordedOpen {
  const { name, line, item, about, candidates, mayBeOthers } = finding;
  const of = item ?? about;
  const mayBe = candidates?.slice(0, maxMayBe).map(({ id }) => id);
  return {
    finding: name,
    ...(line === undefined ? {} : { receipt: line.receipt }),
    ...(of === undefined ? {} : { stream: of.id, reference: of.reference }),
    amountMinor: line?.amountMinor ?? item?.amountMinor ?? 0n,
    ...(mayBe && { mayBe }),
    ...(mayBeOthers && { mayBeOthers }),
  };
}

/** Counts findings as they arrive, and keeps the open ones. */
class Gathered {
  readonly #tallies = new Tallies();
  readonly #statement = { inMinor: 0n, outMinor: 0n };
  readonly #open: Finding[] = [];
  readonly #sweeps: StatementLine[] = [];
  readonly #otherDay: LedgerItem[] = [];
  readonly #wentBack = new Set<string>();

  add(finding: Finding): void {
    this.#tallies.add(finding);
    const { name, line, item, about, isAnother } = finding;
    if (line?.ofDay && line.completed) {
      if (line.amountMinor > 0n) this.#statement.inMinor += line.amountMinor;
      else this.#statement.outMinor -= line.amountMinor;
    }
    if (line?.kind === 'reversal' && about && !isAnother && line.amountMinor === -about.amountMinor)
      this.#wentBack.add(about.id);
    if (name === 'sweep' && line) this.#addSweep(line);
    if (isOpen(finding) && this.#open.length < maxListed) this.#open.push(finding);
    // An item that left suspense belongs to the day on which it came; its way back belongs to this one (REC-23).
    const isWayBack = name === 'refunded' && line?.kind === 'reversal' && about?.ofDay === false;
    const shown = name === 'other_day' ? item : isWayBack ? about : undefined;
    if (shown && this.#otherDay.length < maxOtherDay) this.#otherDay.push(shown);
  }

  #addSweep(line: StatementLine): void {
    this.#sweeps.push(line);
    if (this.#sweeps.length > maxSweeps)
      throw new StatementRefused(`it has more than ${maxSweeps} sweeps to the bank in one day`);
  }

  addMatched(matches: PlainMatches): void {
    this.#tallies.addMatched(matches);
    this.#statement.inMinor += matches.inMinor;
    this.#statement.outMinor += matches.outMinor;
  }

  sorted(): Pick<Report, 'tallies' | 'statement' | 'open' | 'otherDay' | 'sweeps' | 'wentBack'> {
    return {
      tallies: this.#tallies,
      sweeps: this.#sweeps,
      statement: this.#statement,
      open: this.#open.toSorted((one, other) => timeOf(one) - timeOf(other)),
      otherDay: this.#otherDay,
      wentBack: this.#wentBack,
    };
  }
}

/** The rail's time, if there is a line. */
export function timeOf({ line, item }: Finding): number {
  return line?.atMs ?? item?.atMs ?? 0;
}

/** The lines of the files, one file after the other; line numbers continue across files. @throws StatementRefused */
async function* linesOf(
  { files, reader, day }: Comparison,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<readonly StatementLine[]> {
  let before = 0;
  for (const { name, chunks } of files) {
    const prefix = files.length === 1 ? '' : `${name}: `;
    let [last, isOfDay] = [0, false];
    try {
      for await (const lines of reader.read(hashed(chunks, digest), day)) {
        last = lines.at(-1)?.line ?? last;
        isOfDay ||= lines.some(({ ofDay, completed }) => ofDay && completed);
        const base = before;
        yield base === 0 ? lines : lines.map((line) => ({ ...line, line: base + line.line }));
      }
    } catch (error) {
      throw error instanceof StatementRefused
        ? new StatementRefused(prefix + error.message)
        : error;
    }
    if (files.length > 1 && !isOfDay)
      throw new StatementRefused(`${prefix}none of its lines took place on ${day.date}`);
    before += last;
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
}

function requireOfDayAndAccount({ day, lines, completedOfDay, tallies }: Report): void {
  if (completedOfDay === 0)
    throw new StatementRefused(
      `none of its ${lines} lines took place on ${day.date} (${day.timezone}): is it the statement of another day?`,
    );
  const own = tallies.of('missing_there').items;
  const unowned = tallies.of('missing_here').lines + tallies.of('other_merchant').lines;
  const met = tallies
    .entries()
    .some(([, { findings, lines: bearing, items }]) => bearing > 0 && items > 0 && findings > 0);
  if (!met && own >= minToDoubt && unowned >= minToDoubt)
    throw new StatementRefused(
      `no line is about any of the account’s ${own} items of ${day.date}: is it the statement of another account?`,
    );
}
