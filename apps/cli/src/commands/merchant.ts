import { RegisterMerchant } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { findMerchant, listMerchants } from '#views/merchants';
import { UuidIds } from '#infra/runtime';
import { Command } from 'commander';
import { withApp } from '../app.js';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  showList,
  unknownMerchant,
} from '../operator.js';
import { parseCountry, parseForEver, parseTimezone } from '../options.js';
import { Refused } from '../refused.js';

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
  .requiredOption('--name <name>', 'as statements show it', parseForEver)
  .option(
    '--timezone <zone>',
    'the time zone of its days; it cannot be changed later',
    parseTimezone,
    'Africa/Nairobi',
  )
  .option('--country <code>', 'ISO 3166 alpha-2', parseCountry, 'KE')
  .action((options: CreateOptions) => {
    const { name, timezone, country } = options;
    const details = { merchantId: new UuidIds().next(), name, timezone, country };
    return carryOut(new RegisterMerchant(details, operatorMetadata(options)), options, {
      invalid_timezone: 'the time zone must be an IANA name, as Africa/Nairobi; an offset is none',
      already_registered: 'this merchant id exists already: run the command again for a fresh one',
    });
  });

interface ShowOptions {
  readonly json?: true;
}

const list = new Command('list')
  .description('all merchants, by name')
  .option('--json', 'the answer as one JSON object')
  .addHelpText('after', '\nExample:\n  npx pesapost merchant list')
  .action(async (options: ShowOptions) => {
    showList('merchants', await withApp((app) => listMerchants(app.get(Database))), options);
  });

const showOne = new Command('show')
  .description('a merchant: accounts, vid, hosts')
  .argument('<id>', 'the merchant’s id')
  .option('--json', 'the answer as one JSON object')
  .addHelpText('after', '\nExample:\n  npx pesapost merchant show M')
  .action(async (merchantId: string, options: ShowOptions) => {
    const found = await withApp((app) => findMerchant(app.get(Database), merchantId));
    if (!found) throw new Refused([unknownMerchant(merchantId)]);
    showList('merchants', [found], options);
  });

export const merchant = new Command('merchant')
  .description('merchants, who collect payments')
  .addCommand(create)
  .addCommand(list)
  .addCommand(showOne);
