import { instantFromMs } from '#domain/kernel';
import { type Finding, isOpen } from '#domain/reconciliation';
import { nextStep } from '#desk/words';
import { type StatementSweep } from '#desk/operators';
import { railNameOf } from '#shared/glossary';
import { type Report, timeOf } from '#views/reconciliations';
import { money } from '../money.js';
import { section, table } from '../table.js';

/** Names of findings for people. */
export const findingWords = {
  matched: 'matched',
  other_day: 'matched, counted on another day',
  refunded: 'refunded or reversed',
  not_sent_back: 'not sent back yet',
  in_suspense: 'in suspense',
  amount_differs: 'amount differs',
  missing_here: 'missing here',
  missing_there: 'missing there',
  duplicate_there: 'twice on the statement',
  duplicate_here: 'posted twice here',
  paid_twice: 'paid twice',
  other_account: 'another account’s',
  other_merchant: 'another merchant’s',
  not_completed: 'not completed at the rail',
  charge: 'charges of the rail',
  sweep: 'swept to the bank',
  withdrawal: 'withdrawn to a bank, not posted',
  transfer: 'own transfers',
  outside_day: 'on other days',
} as const satisfies Record<Finding['name'], string>;

/** A day's report. `isOver` is false if the day was not over when it was made, so that more may follow. */
export interface ComparedDay extends Report {
  readonly isOver: boolean;
}

/** A day that is recorded, and its sweeps to the bank. */
export interface RecordedDay extends ComparedDay {
  readonly recorded: string;
  readonly posted: readonly StatementSweep[];
}

/** A note for the report of a day that is not over. */
const notOver =
  'The day is not over: what comes until its end is not in this report. Reconcile it again then.';

/** A note for a recorded report of such a day. */
export const wasNotOver =
  'It was recorded before the day was over: what came later is not in it. Reconcile the day again.';

/** The report for a terminal. */
export function reportLines(report: ComparedDay): readonly string[] {
  const { day, file, tallies, open } = report;
  const { currency } = day;
  return [
    `${day.name}, account ${day.accountNo} (${day.mode}), ${day.date} ${day.timezone}`,
    `${railNameOf(day.channel)} statement ${file.name}: ${report.lines} lines, sha256 ${file.sha256}`,
    `ledger as of position ${report.position}`,
    ...(report.isOver ? [] : [notOver]),
    '',
    ...sumLines(report),
    '',
    ...table(
      ['finding', 'lines', 'in', 'out', 'items', 'amount', 'fees', ''],
      tallies
        .entries()
        .map(([name, tally]) => [
          findingWords[name],
          String(tally.lines),
          money(tally.inMinor, currency),
          money(tally.outMinor, currency),
          String(tally.items),
          money(tally.itemsMinor, currency),
          money(tally.feesMinor, currency),
          isOpen({ name }) ? 'open' : '',
        ]),
    ),
    ...section(
      'open',
      open.flatMap((finding) => openLines(finding, report)),
    ),
    ...(tallies.open > open.length ? [`  … and ${tallies.open - open.length} more`] : []),
  ];
}

const sweepWords: Readonly<Record<StatementSweep['outcome'], string>> = {
  posted: 'posted to the bank',
  posted_before: 'was posted before',
  receipt_taken: 'another posting has this receipt, so nothing was posted: npx pesapost find',
  amount_differs: 'was posted with ANOTHER AMOUNT: see npx pesapost events, and correct it',
};

/** The sweeps of a recorded day for a terminal; none if there is none. */
export function sweepLines({ day: { currency }, posted }: RecordedDay): readonly string[] {
  return section(
    'sweeps to the bank',
    posted.map(
      ({ receipt, amountMinor, outcome }) =>
        `${receipt}  ${money(amountMinor, currency)}  ${sweepWords[outcome]}`,
    ),
  );
}

function sumLines({ day: { currency }, lists, statement }: Report): readonly string[] {
  const { inMinor, outMinor } = statement;
  const { collection, payout } = lists;
  return table(
    ['', 'statement', 'ledger', 'fees', 'items'],
    [
      [
        'in',
        money(inMinor, currency),
        money(collection.amountMinor, currency),
        money(collection.feesMinor, currency),
        String(collection.count),
      ],
      [
        'out',
        money(outMinor, currency),
        money(payout.amountMinor, currency),
        money(payout.feesMinor, currency),
        String(payout.count),
      ],
    ],
  );
}

function openLines(finding: Finding, report: Report): readonly string[] {
  const { what, commands } = nextStep(finding, report);
  const told = openFacts(finding, report.day.currency);
  return [
    [findingWords[finding.name], ...told].join('  '),
    `  ${what}`,
    ...commands.map((command) => `    ${command}`),
  ];
}

function openFacts(finding: Finding, currency: string): readonly string[] {
  const { line, item, about } = finding;
  const of = item ?? about;
  return [
    instantFromMs(timeOf(finding)),
    ...(line === undefined
      ? []
      : [`row ${line.line}`, line.receipt, money(line.amountMinor, currency), line.party ?? '']),
    ...(of === undefined ? [] : [`${of.type} ${of.reference}`, money(of.amountMinor, currency)]),
  ].filter((text) => text !== '');
}

/** The report as one JSON object. */
export function reportJson(report: RecordedDay): object {
  const { day, file, lists, tallies, open } = report;
  const { inMinor, outMinor } = report.statement;
  const ofList = (of: 'collection' | 'payout') => ({
    count: lists[of].count,
    amount_minor: lists[of].amountMinor,
    fee_minor: lists[of].feesMinor,
  });
  return {
    id: report.recorded,
    merchant_id: day.merchantId,
    mode: day.mode,
    account_no: day.accountNo,
    currency: day.currency,
    channel: day.channel,
    date: day.date,
    timezone: day.timezone,
    day_is_over: report.isOver,
    position: report.position,
    file: { name: file.name, sha256: file.sha256, lines: report.lines },
    statement: { in_minor: inMinor, out_minor: outMinor },
    ledger: { collections: ofList('collection'), payouts: ofList('payout') },
    findings: Object.fromEntries(
      tallies.entries().map(([name, tally]) => [
        name,
        {
          open: isOpen({ name }),
          count: tally.findings,
          lines: tally.lines,
          in_minor: tally.inMinor,
          out_minor: tally.outMinor,
          items: tally.items,
          amount_minor: tally.itemsMinor,
          fee_minor: tally.feesMinor,
        },
      ]),
    ),
    sweeps: report.posted.map(({ receipt, amountMinor, outcome }) => ({
      receipt,
      amount_minor: amountMinor,
      outcome,
    })),
    open: tallies.open,
    open_listed: open.map((finding) => openJson(finding, report)),
  };
}

function openJson(finding: Finding, report: Report): object {
  const { name, line, item, about, by, candidates = [], mayBeOthers = false } = finding;
  const of = item ?? about;
  const { what, commands } = nextStep(finding, report);
  return {
    finding: name,
    by: by ?? null,
    row: line?.line ?? null,
    receipt: line?.receipt ?? null,
    at: instantFromMs(timeOf(finding)),
    line_minor: line?.amountMinor ?? null,
    party: line?.party ?? null,
    type: of?.type ?? null,
    reference: of?.reference ?? null,
    state: of?.state ?? null,
    item_minor: of?.amountMinor ?? null,
    candidates: candidates.map(({ type, reference, state }) => ({ type, reference, state })),
    may_be_others: mayBeOthers,
    what,
    commands,
  };
}
