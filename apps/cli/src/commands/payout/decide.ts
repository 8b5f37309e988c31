import { type Mode } from '#domain/kernel';
import { DecidePayout, type DecisionRefusal } from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { type Command } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { parseWholeAmount } from '../review/payment-options.js';
import { standing } from '../review/refusals.js';

interface DecideOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly amount?: bigint;
}

const about = {
  approve: {
    done: 'approved',
    means: 'approves a payout that another asked for: it is then sent',
    reason: 'payroll of November, seen',
  },
  reject: {
    done: 'rejected',
    means: 'rejects a payout that another asked for: its money is free again, nothing is sent',
    reason: 'asked for twice',
  },
} as const;

/** An operator decides as the holder of their own name: it must be another than who asked (PAY-35). */
export function decision(verdict: 'approve' | 'reject'): Command {
  const { means, reason, done } = about[verdict];
  const example = `payout ${verdict} OUT-1001 --merchant M --mode live --amount 25000 --as joseph --reason "${reason}"`;
  return change(verdict, means, example)
    .argument('<reference>', 'the merchant’s reference')
    .addOption(merchantOption)
    .addOption(modeOption)
    .option('--amount <minor>', 'refused where it is not the payout’s own', parseWholeAmount)
    .action(async (reference: string, options: DecideOptions) => {
      const { merchant: merchantId, mode, as: holder, amount } = options;
      const key = { merchantId, mode, reference };
      const bound = amount === undefined ? {} : { amountMinor: amount };
      const metadata = operatorMetadata(options);
      const actor = { ...metadata.actor, holder };
      const command = new DecidePayout(key, { verdict, holder, ...bound }, { ...metadata, actor });
      const { view } = await withApp(async (app) => {
        const result = await app.get(CommandBus).execute(command);
        if (result.ok) return result.value;
        const item = { type: 'payout', key } as const;
        throw new Refused([refusals[result.refusal], ...(await standing(app, item))]);
      });
      if (options.json)
        printJson({ outcome: done, status: view.status, amount_minor: view.amountMinor });
      else printLines([`${done}: ${reference} is ${view.status}`]);
    });
}

const refusals = {
  unknown_payout: 'no such payout: is it the right merchant and mode?',
  same_holder: 'another than who asked for it must decide',
  amount_differs: '--amount is not the payout’s: read it with payout show first',
  phone_differs: 'the number is not the payout’s',
  not_pending_approval:
    'it does not wait for an approval: somebody has decided already, or it is decided with its batch',
} as const satisfies Record<DecisionRefusal, string>;
