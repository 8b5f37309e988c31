import { RegisterMerchant } from '#merchants';
import { UuidIds } from '#runtime';
import { Command } from 'commander';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { parseCountry, parseTimezone } from '../options.js';

interface CreateOptions extends ChangeOptions {
  readonly name: string;
  readonly timezone: string;
  readonly country: string;
}

const create = change(
  'create',
  'registers a merchant and prints its id',
  'merchant create --name "Duka Moja" --reason "contract 2026-114"',
)
  .requiredOption('--name <name>', 'as statements show it')
  .option('--timezone <zone>', 'of its days; fixed from here on', parseTimezone, 'Africa/Nairobi')
  .option('--country <code>', 'ISO 3166 alpha-2', parseCountry, 'KE')
  .action((options: CreateOptions) => {
    const { name, timezone, country } = options;
    const details = { merchantId: new UuidIds().next(), name, timezone, country };
    return carryOut(new RegisterMerchant(details, operatorMetadata(options)), options, {
      already_registered: 'this merchant id exists already: run the command again for a fresh one',
    });
  });

export const merchant = new Command('merchant').description('who may collect').addCommand(create);
