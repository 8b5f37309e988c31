import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readStatement, StatementRefused } from '#edges/rail-mpesa';
import { type Finding, isOpen, type ReconciliationRecorded, Tallies } from '#domain/reconciliation';
import { type Database } from '#infra/postgres';
import { type Settings } from '#infra/runtime';
import {
  type AccountDay,
  type PlainMatches,
  reconcileDay,
  type ReconciledDay,
  TooManyUnmatched,
} from '#views/reconciliations';
import { endProgress, showProgress } from '../print.js';
import { Refused } from '../refused.js';

/** A day as it was compared with a file. */
export interface Report extends ReconciledDay {
  readonly day: AccountDay;
  readonly file: { readonly name: string; readonly sha256: string };
  readonly tallies: Tallies;
  /** By the rail's time; of very many, the first. */
  readonly open: readonly Finding[];
  readonly otherDay: readonly string[];
  /** Of the day, by hours since its beginning: lines that need nobody, and open ones. */
  readonly hours: readonly { readonly settled: number; readonly open: number }[];
}

/** What is open is listed to the last line on all days but those on which everything is wrong. */
const maxListed = 10_000;
/** In the event. */
export const maxRecorded = 500;
/** From so many own items on it is no accident that the file is about none of them (REC-13). */
const minToDoubt = 5;
const hourMs = 3_600_000;

/** @throws Refused, and nothing is recorded, where the file is no statement of that day and account */
export async function compareWithFile(
  database: Database,
  {
    day,
    path,
    settings,
  }: { readonly day: AccountDay; readonly path: string; readonly settings: Settings },
): Promise<Report> {
  const digest = createHash('sha256');
  const gathered = new Gathered(day);
  const lines = readStatement(hashed(path, digest), {
    fromMs: day.fromMs,
    untilMs: day.untilMs,
    accountNo: day.accountNo,
    ...shortcodesOf(settings, day),
  });
  let compared: ReconciledDay;
  try {
    compared = await reconcileDay(database, {
      day,
      lines,
      maxAgeMs: settings.readModelMaxAgeMs,
      onMatched: (matches) => {
        gathered.addMatched(matches);
      },
      onFinding: (finding) => {
        gathered.add(finding);
      },
      onProgress: ({ step, lines: count }) => {
        showProgress(count === 0 ? 'comparing' : `${count.toLocaleString('en')} lines ${step}`);
      },
    });
  } catch (error) {
    throw refusalOf(error, path) ?? error;
  } finally {
    endProgress();
  }
  const file = { name: path, sha256: digest.digest('hex') };
  const report = { ...compared, day, file, ...gathered.sorted() };
  requireOfDayAndAccount(report);
  return report;
}

/** The event of a report (REC-16). */
export function recordOf(report: Report): ReconciliationRecorded['data'] {
  const { day, file, lists, tallies, open } = report;
  const statement = statementSums(tallies);
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
    otherDay: report.otherDay.slice(0, maxRecorded),
  };
}

/** What the statement says took place on the day. */
export function statementSums(tallies: Tallies): {
  readonly inMinor: bigint;
  readonly outMinor: bigint;
} {
  const counted = tallies
    .entries()
    .filter(([name]) => name !== 'not_completed' && name !== 'outside_day')
    .map(([, tally]) => tally);
  return {
    inMinor: counted.reduce((sum, { inMinor }) => sum + inMinor, 0n),
    outMinor: counted.reduce((sum, { outMinor }) => sum + outMinor, 0n),
  };
}

/** Findings as they come: counted, and the open ones kept. */
class Gathered {
  readonly #tallies = new Tallies();
  readonly #open: Finding[] = [];
  readonly #otherDay: string[] = [];
  readonly #hours: { settled: number; open: number }[];

  constructor(private readonly day: AccountDay) {
    const hours = Math.ceil((day.untilMs - day.fromMs) / hourMs);
    this.#hours = Array.from({ length: hours }, () => ({ settled: 0, open: 0 }));
  }

  add(finding: Finding): void {
    this.#tallies.add(finding);
    const { name, line, item } = finding;
    if (isOpen(finding) && this.#open.length < maxListed) this.#open.push(finding);
    if (name === 'other_day' && item && this.#otherDay.length < maxRecorded)
      this.#otherDay.push(item.reference);
    const atMs = line?.ofDay ? line.atMs : item?.ofDay ? item.atMs : undefined;
    if (atMs === undefined || name === 'not_completed') return;
    const hour = this.#hours[Math.floor((atMs - this.day.fromMs) / hourMs)];
    if (hour) hour[isOpen(finding) ? 'open' : 'settled'] += 1;
  }

  addMatched(matches: PlainMatches): void {
    this.#tallies.addMatched(matches);
    const hour = this.#hours[matches.hour];
    if (hour) hour.settled += matches.count;
  }

  sorted(): Pick<Report, 'tallies' | 'open' | 'otherDay' | 'hours'> {
    return {
      tallies: this.#tallies,
      open: this.#open.toSorted((one, other) => timeOf(one) - timeOf(other)),
      otherDay: this.#otherDay.toSorted(),
      hours: this.#hours,
    };
  }
}

/** The rail's, where there is a line. */
export function timeOf({ line, item }: Finding): number {
  return line?.atMs ?? item?.atMs ?? 0;
}

async function* hashed(
  path: string,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    digest.update(chunk);
    yield chunk;
  }
}

/** Those of the mode's rail; a mode without one may have any. */
function shortcodesOf(
  { rails }: Settings,
  { mode }: AccountDay,
): { readonly shortcodes?: readonly string[] } {
  const rail = rails.mpesa[mode];
  if (!rail) return {};
  const { shortcode, till, payouts } = rail;
  return { shortcodes: [shortcode, till, payouts?.shortcode].filter((code) => code !== undefined) };
}

function refusalOf(error: unknown, path: string): Refused | undefined {
  if (error instanceof StatementRefused || error instanceof TooManyUnmatched)
    return new Refused([`${path}: ${error.message}`]);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'
    ? new Refused([`${path} cannot be read: is it there, and a file?`])
    : undefined;
}

function requireOfDayAndAccount({ day, file, lines, linesOfDay, tallies }: Report): void {
  if (lines > 0 && linesOfDay === 0)
    throw new Refused([
      `${file.name}: none of its ${lines} lines is of ${day.date} (${day.timezone}): is it the statement of another day?`,
    ]);
  const own = tallies.of('missing_there').items;
  const nobodys = tallies.of('missing_here').lines + tallies.of('other_merchant').lines;
  const met = tallies
    .entries()
    .some(([, { findings, lines: bearing, items }]) => bearing > 0 && items > 0 && findings > 0);
  if (!met && own >= minToDoubt && nobodys >= minToDoubt)
    throw new Refused([
      `${file.name}: no line is about any of the account’s ${own} items of ${day.date}: is it the statement of another account?`,
    ]);
}
