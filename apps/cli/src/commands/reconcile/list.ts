import { type Command } from 'commander';
import { Database } from '#infra/postgres';
import { type ListedReconciliation, listReconciliations } from '#views/reconciliations';
import { withApp } from '../../app.js';
import { parseDay } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';

const maxListed = 1_000;

interface ListOptions {
  readonly merchant?: string;
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: true;
}

export const list = plainCommand(
  'list',
  'lists the reconciled days, who reconciled them and the open lines, the newest first',
  'reconcile list --merchant M --from 2026-11-01 --to 2026-11-30',
)
  .option('--merchant <id>', 'the merchant’s id')
  .option('--account <number>', 'the merchant’s account')
  .option('--from <day>', 'reconciled days from this one on', parseDay)
  .option('--to <day>', 'up to this one', parseDay)
  .action(async (_options: ListOptions, command: Command) => {
    // The parent command has options of the same names, which may come before the subcommand.
    const { merchant, account, from, to, json } = command.optsWithGlobals<ListOptions>();
    if (from !== undefined && to !== undefined && from > to)
      throw new Refused(['--from is after --to']);
    const { reconciliations, more, withheld } = await withApp(async (app) => ({
      ...(await listReconciliations(app.get(Database), {
        ...(merchant === undefined ? {} : { merchantId: merchant }),
        ...(account === undefined ? {} : { accountNo: account }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        limit: maxListed,
      })),
      withheld: await withheldOf(app.get(Database), { merchant }),
    }));
    if (json) printJson({ reconciliations: reconciliations.map(listedJson), more });
    else printLines(textOf(reconciliations, more));
    refuseWithheld(withheld);
  });

function textOf(listed: readonly ListedReconciliation[], more: boolean): readonly string[] {
  const heading = `reconciliations: ${listed.length}${more ? ' and more; narrow the list' : ''}`;
  if (listed.length === 0) return [heading];
  const rows = listed.map((each) => [
    each.wasOver ? each.date : `${each.date}, not over`,
    each.accountNo,
    each.mode,
    each.channel,
    String(each.matched),
    String(each.open),
    each.operator,
    each.recordedAt,
    each.merchantId,
    each.id,
  ]);
  const headings = [
    'day',
    'account',
    'mode',
    'rail',
    'matched',
    'open',
    'by',
    'at',
    'merchant',
    'id',
  ];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}

export function listedJson(each: ListedReconciliation): object {
  return {
    id: each.id,
    merchant_id: each.merchantId,
    mode: each.mode,
    account_no: each.accountNo,
    currency: each.currency,
    channel: each.channel,
    date: each.date,
    day_was_over: each.wasOver,
    recorded_at: each.recordedAt,
    operator: each.operator,
    file_sha256: each.fileSha256,
    position: each.ledgerPosition,
    matched: each.matched,
    open: each.open,
  };
}
