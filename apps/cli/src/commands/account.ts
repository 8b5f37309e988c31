import { type Mode } from '#domain/kernel';
import { OpenAccount, SetAccountChannels } from '#domain/merchants';
import { knownChannels } from '#shared/glossary';
import { Command, InvalidArgumentError } from 'commander';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  unknownMerchant,
} from '../operator.js';
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

interface ChannelsOptions extends ChangeOptions {
  readonly merchant: string;
  readonly account: string;
  readonly channels: readonly string[];
}

function parseChannels(text: string): readonly string[] {
  const channels = text.split(',').map((part) => part.trim());
  const isKnown = (name: string) => knownChannels.some((known) => known === name);
  if (!channels.every(isKnown))
    throw new InvalidArgumentError(`Name these, joined by commas: ${knownChannels.join(', ')}.`);
  return channels;
}

const channels = change(
  'channels',
  'sets the rails that V4 may name for an account',
  'account channels --merchant M --account A --channels mpesa,airtel --reason "Airtel Money is ready"',
)
  .addOption(merchantOption)
  .requiredOption('--account <number>', 'the account')
  .requiredOption('--channels <list>', 'the whole list, mpesa included', parseChannels)
  .action((options: ChannelsOptions) => {
    const { merchant: merchantId, account: accountNo } = options;
    const details = { merchantId, accountNo, channels: options.channels };
    const command = new SetAccountChannels(details, operatorMetadata(options));
    return carryOut(command, options, {
      unknown_merchant: unknownMerchant(merchantId),
      unknown_account: `${merchantId} has no account ${accountNo}`,
      first_channel_missing: 'name mpesa too: V3, the checkout page and pay bill payments use it',
    });
  });

export const account = new Command('account')
  .description('accounts for a merchant’s money')
  .addCommand(open)
  .addCommand(channels);
