import { Command } from 'commander';
import { withApp } from '../../app.js';
import { batchJson, batchLines } from '../../case/batch-text.js';
import { loadBatch } from '../../case/named.js';
import { printJson, printLines } from '../../print.js';
import { showCase } from '../show.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';
import { batchCancel, cancel } from './cancel.js';
import { batchList } from './batch-list.js';
import { batchDecision, decision } from './decide.js';
import { list } from './list.js';
import { pause, resume } from './pause.js';

const show = withMerchantAndMode(
  plainCommand(
    'show',
    'shows a payout’s events, who requested and approved it, the queries to the rail, and the next step',
    'payout show OUT-1001 --merchant M --mode demo',
  ),
)
  .argument('<reference>', 'the merchant’s reference')
  .action((reference: string, options: MerchantAndModeOptions) =>
    showCase({ reference, ...options, type: 'payout' }, options),
  );

const batchShow = withMerchantAndMode(
  plainCommand(
    'show',
    'shows a batch’s events, who requested and approved it, its payouts by status, and the next step',
    'payout batch show salaries-11 --merchant M --mode demo',
  ),
)
  .argument('<reference>', 'the merchant’s reference of the batch')
  .action(async (reference: string, options: MerchantAndModeOptions) => {
    const found = await withApp((app) => loadBatch(app, { reference, ...options }));
    if (options.json) printJson(batchJson(found));
    else printLines(batchLines(found));
  });

const batch = new Command('batch')
  .description('many payouts asked for in one request, and decided as one')
  .addCommand(batchList)
  .addCommand(batchShow)
  .addCommand(batchDecision('approve'))
  .addCommand(batchDecision('reject'))
  .addCommand(batchCancel);

export const payout = new Command('payout')
  .description('money out: what waits, and for whom')
  .addCommand(list)
  .addCommand(show)
  .addCommand(decision('approve'))
  .addCommand(decision('reject'))
  .addCommand(cancel)
  .addCommand(pause)
  .addCommand(resume)
  .addCommand(batch);
