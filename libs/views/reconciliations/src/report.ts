import { createHash } from 'node:crypto';
import {
  type Finding,
  isOpen,
  type LedgerItem,
  type ReconciledBy,
  type ReconciliationRecorded,
  type StatementReader,
  StatementRefused,
  Tallies,
} from '#domain/reconciliation';
import { type Database } from '#infra/postgres';
import { type AccountDay } from './account-day.js';
import {
  type PlainMatches,
  type Progress,
  reconcileDay,
  type ReconciledDay,
} from './reconcile-day.js';

/** A day as it was compared with a file. */
export interface Report extends ReconciledDay {
  readonly day: AccountDay;
  readonly by: ReconciledBy;
  readonly file: { readonly name: string; readonly sha256: string };
  readonly tallies: Tallies;
  /** What the statement says took place on the day; a line of another day may be about an item of this one. */
  readonly statement: { readonly inMinor: bigint; readonly outMinor: bigint };
  /** By the rail's time; of very many, the first. */
  readonly open: readonly Finding[];
  readonly otherDay: readonly LedgerItem[];
  /** The streams of what the statement shows as gone back, the whole of it. */
  readonly wentBack: ReadonlySet<string>;
  /** Of the day, by hours since its beginning: lines that need nobody, and open ones. */
  readonly hours: readonly { readonly settled: number; readonly open: number }[];
}

/** What is open is listed to the last line on all days but those on which everything is wrong. */
const maxListed = 10_000;
/** In the event. */
const maxRecorded = 500;
/** From so many own items on it is no accident that the file is about none of them (REC-13). */
const minToDoubt = 5;
const hourMs = 3_600_000;

/** A day, and the file that it is compared with. */
export interface Comparison {
  readonly day: AccountDay;
  readonly file: { readonly name: string; readonly chunks: AsyncIterable<Uint8Array> };
  readonly reader: StatementReader;
  readonly by: ReconciledBy;
  /** What a view may be old. */
  readonly maxAgeMs: number;
  readonly onProgress?: (done: Progress) => void;
}

/** @throws StatementRefused where the file is no statement of that day and account; TooManyUnmatched; DependencyUnavailable */
export async function compareWithFile(
  database: Database,
  { day, file: { name, chunks }, reader, by, maxAgeMs, onProgress }: Comparison,
): Promise<Report> {
  const digest = createHash('sha256');
  const gathered = new Gathered(day);
  const compared = await reconcileDay(database, {
    day,
    lines: reader.read(hashed(chunks, digest), day),
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
  const file = { name, sha256: digest.digest('hex') };
  const report = { ...compared, day, by, file, ...gathered.sorted() };
  requireOfDayAndAccount(report);
  return report;
}

/** The event of a report (REC-16). */
export function recordOf(report: Report): ReconciliationRecorded['data'] {
  const { day, file, lists, tallies, statement, open } = report;
  return {
    merchantId: day.merchantId,
    mode: day.mode,
    accountNo: day.accountNo,
    currency: day.currency,
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
    openNamed: open.slice(0, maxRecorded).map(({ name, line, item, about }) => {
      const of = item ?? about;
      return {
        finding: name,
        ...(line === undefined ? {} : { receipt: line.receipt }),
        ...(of === undefined ? {} : { stream: of.id, reference: of.reference }),
        amountMinor: line?.amountMinor ?? item?.amountMinor ?? 0n,
      };
    }),
    otherDay: report.otherDay.map(({ reference }) => reference).toSorted(),
    otherDayStreams: report.otherDay.map(({ id }) => id).toSorted(),
    by: report.by,
  };
}

/** Findings as they come: counted, and the open ones kept. */
class Gathered {
  readonly #tallies = new Tallies();
  readonly #statement = { inMinor: 0n, outMinor: 0n };
  readonly #open: Finding[] = [];
  readonly #otherDay: LedgerItem[] = [];
  readonly #wentBack = new Set<string>();
  readonly #hours: { settled: number; open: number }[];

  constructor(private readonly day: AccountDay) {
    const hours = Math.ceil((day.untilMs - day.fromMs) / hourMs);
    this.#hours = Array.from({ length: hours }, () => ({ settled: 0, open: 0 }));
  }

  add(finding: Finding): void {
    this.#tallies.add(finding);
    const { name, line, item, about, isAnother } = finding;
    if (line?.ofDay && line.completed) {
      if (line.amountMinor > 0n) this.#statement.inMinor += line.amountMinor;
      else this.#statement.outMinor -= line.amountMinor;
    }
    if (line?.kind === 'reversal' && about && !isAnother && line.amountMinor === -about.amountMinor)
      this.#wentBack.add(about.id);
    if (isOpen(finding) && this.#open.length < maxListed) this.#open.push(finding);
    if (name === 'other_day' && item && this.#otherDay.length < maxRecorded)
      this.#otherDay.push(item);
    const atMs = line?.ofDay ? line.atMs : item?.ofDay ? item.atMs : undefined;
    if (atMs === undefined || name === 'not_completed') return;
    const hour = this.#hours[Math.floor((atMs - this.day.fromMs) / hourMs)];
    if (hour) hour[isOpen(finding) ? 'open' : 'settled'] += 1;
  }

  addMatched(matches: PlainMatches): void {
    this.#tallies.addMatched(matches);
    this.#statement.inMinor += matches.inMinor;
    this.#statement.outMinor += matches.outMinor;
    const hour = this.#hours[matches.hour];
    if (hour) hour.settled += matches.count;
  }

  sorted(): Pick<Report, 'tallies' | 'statement' | 'open' | 'otherDay' | 'wentBack' | 'hours'> {
    return {
      tallies: this.#tallies,
      statement: this.#statement,
      open: this.#open.toSorted((one, other) => timeOf(one) - timeOf(other)),
      otherDay: this.#otherDay,
      wentBack: this.#wentBack,
      hours: this.#hours,
    };
  }
}

/** The rail's, where there is a line. */
export function timeOf({ line, item }: Finding): number {
  return line?.atMs ?? item?.atMs ?? 0;
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
      `of its ${lines} lines none took place on ${day.date} (${day.timezone}): is it the statement of another day?`,
    );
  const own = tallies.of('missing_there').items;
  const nobodys = tallies.of('missing_here').lines + tallies.of('other_merchant').lines;
  const met = tallies
    .entries()
    .some(([, { findings, lines: bearing, items }]) => bearing > 0 && items > 0 && findings > 0);
  if (!met && own >= minToDoubt && nobodys >= minToDoubt)
    throw new StatementRefused(
      `no line is about any of the account’s ${own} items of ${day.date}: is it the statement of another account?`,
    );
}
