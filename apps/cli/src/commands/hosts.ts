import { AllowHosts } from '#domain/merchants';
import { Command } from 'commander';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  unknownMerchant,
} from '../operator.js';
import { merchantOption, parseHosts } from '../options.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly hosts: readonly string[];
}

const set = change(
  'set',
  'sets the hosts to which callbacks and customers may be sent (callbackUrl, cbk, return_url)',
  'hosts set --merchant M --hosts shop.example,pay.shop.example --reason "new shop"',
)
  .addOption(merchantOption)
  .requiredOption('--hosts <list>', 'the whole list; empty: none', parseHosts)
  .action((options: SetOptions) => {
    const { merchant: merchantId, hosts } = options;
    const command = new AllowHosts({ merchantId, hosts }, operatorMetadata(options));
    return carryOut(command, options, { unknown_merchant: unknownMerchant(merchantId) });
  });

export const hosts = new Command('hosts')
  .description('hosts to which a merchant’s callbacks and customers may be sent')
  .addCommand(set);
