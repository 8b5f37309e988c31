import { setExpiry } from '#domain/merchants';
import { Command } from 'commander';
import { endAt } from '../credential-end.js';
import { change, type ChangeOptions, unknownMerchant } from '../operator.js';
import { parseEndOrNone } from '../options.js';
import { ownerOf } from '../owner-of.js';
import { propose } from '../propose.js';

interface SetOptions extends ChangeOptions {
  readonly expires: string;
  readonly merchant?: string;
}

const set = change(
  'set',
  'sets or removes the end of a credential; in live mode a later end, or none, takes two admins',
  'credential expiry set 0199c1ee-… --expires 90d --reason "keys end each quarter"',
)
  .argument('<id>', 'the credential’s id')
  .requiredOption(
    '--expires <end>',
    'the day on which it ends, at 00:00 UTC, such as 2027-03-01 or 90d; or none',
    parseEndOrNone,
  )
  .option('--merchant <id>', 'the merchant’s id, which is looked up unless given')
  .action(async (credentialId: string, options: SetOptions) => {
    const end = options.expires === 'none' ? {} : { expiresAt: endAt(options.expires) };
    const merchant = options.merchant ?? (await ownerOf(credentialId));
    const details = { merchantId: merchant, credentialId, ...end };
    await propose(
      setExpiry,
      details,
      { ...options, merchant },
      {
        unknown_merchant: unknownMerchant(merchant),
        unknown_credential: `merchant ${merchant} has no credential ${credentialId} that is in use`,
      },
    );
  });

export const expiry = new Command('expiry')
  .description('the time from which a credential no longer works')
  .addCommand(set);
