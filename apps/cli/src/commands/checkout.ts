import { SetCheckoutStrict } from '#domain/merchants';
import { Argument, Command } from 'commander';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  unknownMerchant,
} from '../operator.js';
import { merchantOption } from '../options.js';

interface StrictOptions extends ChangeOptions {
  readonly merchant: string;
}

const strict = change(
  'strict',
  'refuses V3 links in which digits could have moved into or out of ttl under the same hash: ' +
    'requires inv to equal oid or end in a non-digit, and the value after ttl to be a whole number or to begin with a non-digit',
  'checkout strict on --merchant M --reason "asked for by the merchant"',
)
  .addArgument(new Argument('<switch>', 'whether').choices(['on', 'off']))
  .addOption(merchantOption)
  .action((switched: 'on' | 'off', options: StrictOptions) => {
    const details = { merchantId: options.merchant, strict: switched === 'on' };
    return carryOut(new SetCheckoutStrict(details, operatorMetadata(options)), options, {
      unknown_merchant: unknownMerchant(options.merchant),
    });
  });

export const checkout = new Command('checkout')
  .description('the hosted checkout')
  .addCommand(strict);
