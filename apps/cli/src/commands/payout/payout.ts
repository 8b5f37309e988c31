import { Command } from 'commander';
import { showCase } from '../show.js';
import { look, type WhoseOptions, withWhose } from '../look.js';
import { decision } from './decide.js';
import { list } from './list.js';

const show = withWhose(
  look(
    'show',
    'a payout’s events, who asked and approved, what the rail was asked, and what happens next',
    'payout show OUT-1001 --merchant M --mode demo',
  ),
)
  .argument('<reference>', 'the merchant’s reference')
  .action((reference: string, options: WhoseOptions) =>
    showCase({ reference, ...options, type: 'payout' }, options),
  );

export const payout = new Command('payout')
  .description('money out: what waits, and for whom')
  .addCommand(list)
  .addCommand(show)
  .addCommand(decision('approve'))
  .addCommand(decision('reject'));
