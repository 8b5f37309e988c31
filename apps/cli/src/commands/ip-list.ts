import { SetIpList } from '#merchants';
import { Command } from 'commander';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { merchantOption, parseRanges } from '../options.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly credential: string;
  readonly ips: readonly string[];
}

const set = change(
  'set',
  'sets from where a V4 credential may call, on every replica within a second',
  'ip-list set --merchant M --credential 0199c1ee-… --ips 203.0.113.7,2001:db8::/48 --reason "new server"',
)
  .addOption(merchantOption)
  .requiredOption('--credential <id>', 'the credential’s id (npx pesapost credential list)')
  .requiredOption('--ips <list>', 'the whole list of addresses and CIDR ranges', parseRanges)
  .action((options: SetOptions) => {
    const { merchant: merchantId, credential: credentialId, ips: ipRanges } = options;
    const details = { merchantId, credentialId, ipRanges };
    return carryOut(new SetIpList(details, operatorMetadata(options)), options, {
      unknown_credential: `merchant ${merchantId} has no V4 credential ${credentialId} that is in use`,
    });
  });

export const ipList = new Command('ip-list')
  .description('from where a credential may call')
  .addCommand(set);
