import { type Mode } from '#domain/kernel';
import { SetFeeSchedule } from '#domain/merchants';
import { Command, Option } from 'commander';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { merchantOption, modeOption, parseBasisPoints, parseMinorAmount } from '../options.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly basisPoints: number;
  readonly flatMinor: bigint;
}

const set = change(
  'set',
  'sets what a merchant pays per transaction from now on',
  'fee set --merchant M --mode live --basis-points 150 --reason "contract 2026-114"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--basis-points <n>', 'hundredths of a percent', parseBasisPoints)
  .addOption(
    // Help shows a default as JSON, which knows no bigint.
    new Option('--flat-minor <n>', 'added to it, in minor units')
      .argParser(parseMinorAmount)
      .default(0n, '0'),
  )
  .action((options: SetOptions) => {
    const { merchant: merchantId, mode, basisPoints, flatMinor } = options;
    const details = { merchantId, mode, feeSchedule: { basisPoints, flatMinor } };
    return carryOut(new SetFeeSchedule(details, operatorMetadata(options)), options, {
      unknown_merchant: `no merchant ${merchantId}: create it with npx pesapost merchant create`,
    });
  });

export const fee = new Command('fee').description('what a merchant pays').addCommand(set);
