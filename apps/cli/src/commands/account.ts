import { type Mode } from '#domain/kernel';
import { OpenAccount } from '#domain/merchants';
import { Command } from 'commander';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { merchantOption, modeOption, parseCurrency } from '../options.js';

interface OpenOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly currency: string;
}

const open = change(
  'open',
  'opens a wallet and prints its account number',
  'account open --merchant M --mode demo --currency KES --reason "first wallet"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--currency <code>', 'ISO 4217; an account has exactly one', parseCurrency)
  .action((options: OpenOptions) => {
    const { merchant: merchantId, mode, currency } = options;
    const command = new OpenAccount({ merchantId, mode, currency }, operatorMetadata(options));
    return carryOut(command, options, {
      unknown_merchant: `no merchant ${merchantId}: create it with npx pesapost merchant create`,
    });
  });

export const account = new Command('account')
  .description('accounts for a merchant’s money')
  .addCommand(open);
