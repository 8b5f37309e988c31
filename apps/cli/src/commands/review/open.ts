import { OpenReview } from '#domain/collections';
import { type Instant, type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { parsePaidAt, parseReceipt, parseWholeAmount } from './payment-options.js';
import { standing } from './refusals.js';
import { reasons, resolvedJson, resolvedLines } from './resolve.js';

interface OpenOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly receipt: string;
  readonly amount: bigint;
  readonly paidAt?: Instant;
}

export const open = change(
  'open',
  'opens a review by hand, with a line of the rail’s statement, and proposes that it was paid',
  'review open INV-1001 --merchant M --mode live --receipt NLJ7RT61SV --amount 25000 ' +
    '--paid-at 2026-11-20T10:15:00+03:00 --as asha --reason "statement of 20 November, line 12"',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--receipt <receipt>', 'the rail’s receipt, from its statement', parseReceipt)
  .requiredOption('--amount <minor>', 'what arrived, in minor units', parseWholeAmount)
  .option('--paid-at <time>', 'the rail’s own time, RFC 3339', parsePaidAt)
  .action(async (reference: string, options: OpenOptions) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const item = { type: 'collection', key } as const;
    const { receipt, amount: amountMinor, paidAt } = options;
    const payment = { receipt, amountMinor, ...(paidAt === undefined ? {} : { paidAt }) };
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const command = new OpenReview(key, payment, metadata);
    const resolved = await withApp(async (app) => {
      const result = await app.get(CommandBus).execute(command);
      if (result.ok) return result.value;
      throw new Refused([reasons[result.refusal], ...(await standing(app, item))]);
    });
    if (options.json) printJson(resolvedJson(resolved, item));
    else printLines(resolvedLines(resolved, item));
  });
