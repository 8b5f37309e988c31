import { type Mode } from '#domain/kernel';
import { setFeeSchedule } from '#domain/merchants';
import { Command, Option } from 'commander';
import { change, type ChangeOptions, unknownMerchant } from '../operator.js';
import { merchantOption, modeOption, parseBasisPoints, parseMinorAmount } from '../options.js';
import { propose } from '../propose.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly basisPoints: number;
  readonly flatMinor: bigint;
}

const set = change(
  'set',
  'sets a merchant’s fee per transaction; a higher live fee takes two admins',
  'fee set --merchant M --mode live --basis-points 150 --reason "contract 2026-114"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--basis-points <n>', 'hundredths of a percent', parseBasisPoints)
  .addOption(
    // Help shows a default as JSON, which has no bigint.
    new Option('--flat-minor <n>', 'added to it, in minor units')
      .argParser(parseMinorAmount)
      .default(0n, '0'),
  )
  .action((options: SetOptions) => {
    const { merchant: merchantId, mode, basisPoints, flatMinor } = options;
    const details = { merchantId, mode, feeSchedule: { basisPoints, flatMinor } };
    return propose(setFeeSchedule, details, options, {
      unknown_merchant: unknownMerchant(merchantId),
    });
  });

export const fee = new Command('fee').description('a merchant’s fees').addCommand(set);
