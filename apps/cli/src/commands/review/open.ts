import { OpenReview } from '#domain/collections';
import { type Instant } from '#domain/kernel';
import { OpenPayoutReview } from '#domain/payouts';
import { typeOption } from '../../case/named.js';
import { change } from '../../operator.js';
import {
  merchantOption,
  modeOption,
  parsePaidAt,
  parseReceipt,
  parseWholeAmount,
} from '../../options.js';
import { carryOut, type ItemOptions } from './resolve.js';

interface OpenOptions extends ItemOptions {
  readonly receipt: string;
  readonly amount: bigint;
  readonly paidAt?: Instant;
}

export const open = change(
  'open',
  'opens a review by hand, with a line of the rail’s statement, and proposes that it was paid',
  'review open INV-1001 --merchant M --mode live --receipt NLJ7RT61SV --amount 25000 ' +
    '--paid-at 2026-11-20T10:15:00+03:00 --reason "statement of 20 November, line 12"',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .addOption(typeOption)
  .requiredOption('--receipt <receipt>', 'the rail’s receipt, from its statement', parseReceipt)
  .requiredOption(
    '--amount <minor>',
    'the amount paid, in minor units; for a payout, its own amount',
    parseWholeAmount,
  )
  .option('--paid-at <time>', 'the rail’s own time, RFC 3339', parsePaidAt)
  .action(async (reference: string, options: OpenOptions) => {
    const { receipt, amount: amountMinor, paidAt } = options;
    const payment = { receipt, amountMinor, ...(paidAt === undefined ? {} : { paidAt }) };
    await carryOut(reference, options, {
      payout: (key, metadata) => new OpenPayoutReview(key, payment, metadata),
      collection: (key, metadata) => new OpenReview(key, payment, metadata),
    });
  });
