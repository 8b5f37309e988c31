import { userInfo } from 'node:os';
import {
  type ConfirmedReview,
  ConfirmReview,
  type ConfirmReviewRefusal,
} from '#domain/collections';
import { type Mode, refuse, type Result } from '#domain/kernel';
import {
  type ConfirmedPayoutReview,
  ConfirmPayoutReview,
  type ConfirmPayoutReviewRefusal,
} from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { findItem, type ItemType, typeOption } from '../../case/item.js';
import { operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { look } from '../look.js';
import { explain, explainPayout, standing } from './refusals.js';

interface ConfirmOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly type?: ItemType;
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
  .addOption(typeOption)
  .option('--proposal <id>', 'only this one, which review show showed')
  .option('--as <name>', 'who', parseForEver, userInfo().username)
  .option('--reason <text>', 'why; without it the proposer’s reason stands', parseForEver)
  .action(async (reference: string, options: ConfirmOptions) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const metadata = operatorMetadata(options);
    const { proposal, view } = await withApp(async (app) => {
      const { type = 'collection' } = (await findItem(app, key, options.type)) ?? options;
      const bus = app.get(CommandBus);
      const result =
        type === 'payout'
          ? await confirmPayout(bus, new ConfirmPayoutReview(key, options.proposal, metadata))
          : await confirmCollection(bus, new ConfirmReview(key, options.proposal, metadata));
      if (result.ok) return result.value;
      throw new Refused([result.refusal, ...(await standing(app, { type, key }))]);
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

/** What came of it, or why not in words. */
async function confirmCollection(
  bus: CommandBus,
  command: ConfirmReview,
): Promise<Result<ConfirmedReview, string>> {
  const result = await bus.execute(command);
  return result.ok ? result : refuse(reasons[result.refusal]);
}

async function confirmPayout(
  bus: CommandBus,
  command: ConfirmPayoutReview,
): Promise<Result<ConfirmedPayoutReview, string>> {
  const result = await bus.execute(command);
  return result.ok ? result : refuse(payoutReasons[result.refusal]);
}

const reasons = {
  ...explain,
  no_proposal: 'no proposal waits: it was decided already, or review resolve must come first',
  proposal_replaced: 'another proposal waits now than this one: read it with review show first',
  overtaken: 'the rail’s report, or a decision, came first; the proposal is ended',
} as const satisfies Record<ConfirmReviewRefusal, string>;

const payoutReasons = {
  ...explainPayout,
  no_proposal: reasons.no_proposal,
  proposal_replaced: reasons.proposal_replaced,
  overtaken: reasons.overtaken,
} as const satisfies Record<ConfirmPayoutReviewRefusal, string>;
