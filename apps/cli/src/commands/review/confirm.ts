import { type ConfirmedReview, ConfirmReview } from '#domain/collections';
import { type Mode, renameRefusal, type Result } from '#domain/kernel';
import { type ConfirmedPayoutReview, ConfirmPayoutReview } from '#domain/payouts';
import { type ItemType } from '#desk/operators';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { findItem, standing, typeOption } from '../../case/named.js';
import { confirmPayoutRefusals, confirmRefusals } from '../../desk/refusals.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { merchantOption, modeOption, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

interface ConfirmOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly type?: ItemType;
  readonly as: string;
  readonly isSignedIn?: true;
  readonly proposal?: string;
  readonly reason?: string;
  readonly json?: true;
}

export const confirm = plainCommand(
  'confirm',
  'confirms the decision that another operator proposed, and carries it out',
  'review confirm INV-1001 --merchant M --mode live --proposal ID',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .addOption(typeOption)
  .option('--proposal <id>', 'the proposal that you read; required once you have signed in')
  .addOption(whoOption())
  .option('--reason <text>', 'why; without it, the proposer’s reason is used', parseForEver)
  .action(async (reference: string, options: ConfirmOptions) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const metadata = operatorMetadata(options);
    // Otherwise the proposer could replace the proposal after the second operator has read it (REV-6).
    if (options.isSignedIn && options.proposal === undefined)
      throw new Refused([
        `add --proposal ID of the proposal that you agree to: npx pesapost review show ${reference} shows it`,
      ]);
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

/** The outcome, or the refusal in words. */
async function confirmCollection(
  bus: CommandBus,
  command: ConfirmReview,
): Promise<Result<ConfirmedReview, string>> {
  return renameRefusal(await bus.execute(command), confirmRefusals);
}

async function confirmPayout(
  bus: CommandBus,
  command: ConfirmPayoutReview,
): Promise<Result<ConfirmedPayoutReview, string>> {
  return renameRefusal(await bus.execute(command), confirmPayoutRefusals);
}
