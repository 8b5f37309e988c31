import { OpenReview } from '#domain/collections';
import { type Instant, type Mode } from '#domain/kernel';
import { OpenPayoutReview } from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { findItem, type ItemType, typeOption } from '../../case/item.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { parsePaidAt, parseReceipt, parseWholeAmount } from './payment-options.js';
import { standing } from './refusals.js';
import { resolveCollection, resolvedJson, resolvedLines, resolvePayout } from './resolve.js';

interface OpenOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly type?: ItemType;
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
  .addOption(typeOption)
  .requiredOption('--receipt <receipt>', 'the rail’s receipt, from its statement', parseReceipt)
  .requiredOption(
    '--amount <minor>',
    'what was paid, in minor units; of a payout its own',
    parseWholeAmount,
  )
  .option('--paid-at <time>', 'the rail’s own time, RFC 3339', parsePaidAt)
  .action(async (reference: string, options: OpenOptions) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const { receipt, amount: amountMinor, paidAt } = options;
    const payment = { receipt, amountMinor, ...(paidAt === undefined ? {} : { paidAt }) };
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const { item, resolved } = await withApp(async (app) => {
      const { type = 'collection' } = (await findItem(app, key, options.type)) ?? options;
      const item = { type, key };
      const bus = app.get(CommandBus);
      const result =
        type === 'payout'
          ? await resolvePayout(bus, new OpenPayoutReview(key, payment, metadata))
          : await resolveCollection(bus, new OpenReview(key, payment, metadata));
      if (result.ok) return { item, resolved: result.value };
      throw new Refused([result.refusal, ...(await standing(app, item))]);
    });
    if (options.json) printJson(resolvedJson(resolved, item));
    else printLines(resolvedLines(resolved, item));
  });
