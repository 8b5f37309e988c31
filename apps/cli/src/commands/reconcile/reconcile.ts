import { Clock } from '#domain/kernel';
import { firstChannel } from '#domain/merchants';
import { RecordReconciliation } from '#domain/reconciliation';
import { postSweeps } from '#desk/operators';
import { Database } from '#infra/postgres';
import { knownChannels } from '#shared/glossary';
import { type AccountDay, findAccountDay, recordOf } from '#views/reconciliations';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { parseDay } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import {
  type RecordedDay,
  reportJson,
  reportLines,
  sweepLines,
} from '../../reconcile/report-text.js';
import { compareWithPaths } from '../../reconcile/compare.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { list } from './list.js';
import { missed } from './missed.js';
import { show } from './show.js';
import { railWindow } from './window.js';

interface ReconcileOptions {
  readonly merchant?: string;
  readonly account?: string;
  readonly date?: string;
  readonly channel: string;
  readonly statement?: readonly string[];
  readonly as: string;
  readonly isSignedIn?: true;
  /** True for a person who may do this only for their own merchant. */
  readonly isMerchants?: true;
  readonly json?: true;
}

/** These are not `requiredOption`s, because the subcommands need none of them. */
const needed = ['merchant', 'account', 'date', 'statement'] as const;

export const reconcile = new Command('reconcile')
  .description('compares a day of an account with the rail’s statement, and records what is open')
  .option('--merchant <id>', 'the merchant’s id')
  .option('--account <number>', 'the merchant’s account')
  .option('--date <day>', 'a day of the merchant’s time zone, as 2026-11-20', parseDay)
  .addOption(
    new Option('--channel <name>', 'the rail whose statement it is')
      .choices(knownChannels)
      .default(firstChannel),
  )
  .option(
    '--statement <file...>',
    'the portal’s export of that day, CSV; of each short code, where payouts have their own',
  )
  .addOption(whoOption())
  .option('--json', 'the answer as one JSON object')
  .addHelpText(
    'after',
    '\nExample:\n  npx pesapost reconcile --merchant M --account 1000000001 --date 2026-11-20 --statement export.csv\n' +
      '  npx pesapost reconcile --merchant M --account 1000000001 --date 2026-11-20 --channel airtel --statement airtel.csv',
  )
  .addCommand(list)
  .addCommand(missed)
  .addCommand(show)
  .addCommand(railWindow)
  .action(async (options: ReconcileOptions, command: Command) => {
    const missing = needed.find((name) => options[name] === undefined);
    if (missing !== undefined)
      command.error(`error: required option '--${missing}' not specified`, { exitCode: 2 });
    const report = await withApp((app) => compareAndRecord(app, options as Given));
    if (options.json) printJson(reportJson(report));
    else
      printLines([
        ...reportLines(report),
        ...sweepLines(report),
        '',
        `recorded as ${report.recorded}`,
      ]);
    const differing = report.posted.filter(({ outcome }) => outcome === 'amount_differs');
    const open = report.tallies.open + differing.length;
    if (open > 0) throw new Refused([`${open} open`]);
  });

type Given = ReconcileOptions &
  Readonly<Record<Exclude<(typeof needed)[number], 'statement'>, string>> &
  Pick<Required<ReconcileOptions>, 'statement'>;

async function compareAndRecord(app: INestApplicationContext, given: Given): Promise<RecordedDay> {
  const database = app.get(Database);
  const day = await dayOf(database, given);
  const nowMs = app.get<Clock>(Clock).nowMs();
  if (day.fromMs > nowMs) throw new Refused([`${day.date} has not begun in ${day.timezone}`]);
  const settings = settingsOrRefused();
  const { statement: paths, isMerchants } = given;
  const by = isMerchants ? 'merchant' : 'platform';
  const compared = await compareWithPaths(database, { day, paths, by, settings });
  const report = { ...compared, isOver: day.untilMs <= nowMs };
  const bus = app.get(CommandBus);
  const metadata = operatorMetadata(given);
  const posted = await postSweeps(bus, report, metadata);
  const { id } = await bus.execute(new RecordReconciliation(recordOf(report), metadata));
  return { ...report, posted, recorded: id };
}

async function dayOf(
  database: Database,
  { merchant, account, date, channel }: Given,
): Promise<AccountDay> {
  const day = await findAccountDay(database, account, { date, channel });
  if (day?.merchantId !== merchant)
    throw new Refused([
      `merchant ${merchant} has no account ${account}: npx pesapost merchant show`,
    ]);
  return day;
}
