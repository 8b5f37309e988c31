import { userInfo } from 'node:os';
import { ConfirmReview, type ConfirmReviewRefusal } from '#domain/collections';
import { type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { look } from '../look.js';
import { explain, standing } from './refusals.js';

interface ConfirmOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly as: string;
  readonly proposal?: string;
  readonly reason?: string;
  readonly json?: true;
}

export const confirm = look(
  'confirm',
  'agrees to the decision that another operator proposed, which then takes effect',
  'review confirm INV-1001 --merchant M --mode live --as joseph',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .option('--proposal <id>', 'only this one, which review show showed')
  .option('--as <name>', 'who', parseForEver, userInfo().username)
  .option('--reason <text>', 'why; without it the proposer’s reason stands', parseForEver)
  .action(async (reference: string, options: ConfirmOptions) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const command = new ConfirmReview(key, options.proposal, operatorMetadata(options));
    const { proposal, view } = await withApp(async (app) => {
      const result = await app.get(CommandBus).execute(command);
      if (result.ok) return result.value;
      throw new Refused([reasons[result.refusal], ...(await standing(app, key))]);
    });
    const { decision } = proposal.ruling;
    if (options.json)
      printJson({
        outcome: 'decided',
        decision,
        status: view.status,
        amount_minor: view.amountMinor,
      });
    else printLines([`decided: ${decision}. ${reference} is ${view.status}`]);
  });

const reasons = {
  ...explain,
  no_proposal: 'no proposal waits: it was decided already, or review resolve must come first',
  proposal_replaced: 'another proposal waits now than this one: read it with review show first',
  overtaken: 'the rail’s report, or a decision, came first; the proposal is ended',
} as const satisfies Record<ConfirmReviewRefusal, string>;
