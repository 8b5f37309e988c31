import { type ComparedRange, TakenWindow, type WindowRefusal } from '#edges/rails';
import { type Instant, type Mode, msFromInstant } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type Command } from 'commander';
import { withApp } from '../../app.js';
import { modeOption, parsePaidAt } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { withRails } from '../../rail-app.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { missedJson, missedLines, type Missed, missedPayments } from './missed.js';

interface WindowOptions {
  readonly mode: Mode;
  readonly from: Instant;
  readonly to: Instant;
  readonly json?: true;
}

export const railWindow = plainCommand(
  'window',
  'asks the rail what it took in a time, settles what it can, and lists what the ledger lacks',
  'reconcile window --mode live --from 2026-11-20T14:05:00+03:00 --to 2026-11-20T14:20:00+03:00',
)
  .addOption(modeOption)
  .requiredOption('--from <time>', 'the beginning, with its zone', parsePaidAt)
  .requiredOption('--to <time>', 'the end, a minute ago or earlier', parsePaidAt)
  .action(async (options: WindowOptions, command: Command) => {
    const { json } = command.optsWithGlobals<{ readonly json?: true }>();
    if (options.from >= options.to) throw new Refused(['--from is not before --to']);
    const { compared, missing } = await withApp(async (app) => {
      const found = await compare(options);
      return { compared: found, missing: await stillMissing(app.get(Database), options, found) };
    });
    if (json) printJson(jsonOf(compared, missing));
    else printLines(linesOf(compared, missing));
    refuseOpen(compared, missing);
  });

const refusals: Readonly<Record<WindowRefusal, string>> = {
  not_listed:
    'no rail of this mode lists its payments: set RAIL_MPESA_LIVE_PULL=on if M-Pesa has registered the short code, or reconcile with its statement',
  forgotten:
    'the rail does not list the beginning of that time any more: take a later --from, and reconcile the rest with its statement',
  not_answered: 'the rail did not answer: try again in a minute',
};

async function compare({ mode, from, to }: WindowOptions): Promise<ComparedRange> {
  const range = { mode, fromMs: msFromInstant(from), untilMs: msFromInstant(to) };
  const result = await withRails((app) => app.get(TakenWindow).compare(range));
  if (!result.ok) throw new Refused([refusals[result.refusal]]);
  return result.value;
}

/** The payments as `reconcile missed` lists them; one that was corrected meanwhile is not among them. */
async function stillMissing(
  database: Database,
  { mode }: WindowOptions,
  { unmatched }: ComparedRange,
): Promise<readonly Missed[]> {
  const receipts = unmatched.map(({ receipt }) => receipt);
  if (receipts.length === 0) return [];
  return missedPayments(database, { mode, receipts, limit: maxListed });
}

/** More payments than a rail takes in 48 hours from one short code. */
const maxListed = 1_000_000;

function linesOf(
  { payments, unreadable, untoldDays }: ComparedRange,
  missing: readonly Missed[],
): readonly string[] {
  return [
    `payments that the rail took: ${payments}`,
    `missing in the ledger: ${missing.length}`,
    ...missedLines(missing),
    ...(unreadable === 0 ? [] : [`entries that cannot be read: ${unreadable}`]),
    ...untoldDays.map(
      (day) =>
        `${day}: the rail named no payment, which does not prove that there was none; look at its statement`,
    ),
  ];
}

function jsonOf(
  { payments, unreadable, untoldDays }: ComparedRange,
  missing: readonly Missed[],
): object {
  return {
    taken: payments,
    unreadable,
    untold_days: untoldDays,
    missing: missing.map(missedJson),
  };
}

function refuseOpen({ unreadable, untoldDays }: ComparedRange, missing: readonly Missed[]): void {
  const open = missing.length + unreadable;
  if (open > 0) throw new Refused([`${open} open`]);
  if (untoldDays.length > 0) throw new Refused(['the rail named no payment']);
}
