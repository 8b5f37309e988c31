import { EventStore } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type MerchantEvent, merchantStream, setIpList } from '#domain/merchants';
import { holdsEverybody } from '#infra/runtime';
import { Command } from 'commander';
import { withApp } from '../app.js';
import { refuseEverybody } from '../everybody.js';
import { change, type ChangeOptions, unknownMerchant } from '../operator.js';
import { merchantOption, parseRanges } from '../options.js';
import { propose } from '../propose.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly credential: string;
  readonly ips: readonly string[];
}

const set = change(
  'set',
  'sets the source addresses of a V4 credential, on every replica within a second; widening a live list takes two admins',
  'ip-list set --merchant M --credential 0199c1ee-… --ips 203.0.113.7,2001:db8::/48 --reason "new server"',
)
  .addOption(merchantOption)
  .requiredOption('--credential <id>', 'the credential’s id (npx pesapost credential list)')
  .requiredOption('--ips <list>', 'the whole list of addresses and CIDR ranges', parseRanges)
  .action(async (options: SetOptions) => {
    const { merchant: merchantId, credential: credentialId, ips: ipRanges } = options;
    const mode = holdsEverybody(ipRanges) ? await modeOf(merchantId, credentialId) : undefined;
    if (mode) refuseEverybody(mode, ipRanges);
    const details = { merchantId, credentialId, ipRanges };
    await propose(setIpList, details, options, {
      unknown_merchant: unknownMerchant(merchantId),
      unknown_credential: `merchant ${merchantId} has no V4 credential ${credentialId} that is in use`,
    });
  });

/** The mode of a V4 credential, from the event that issued it, so it is never behind; undefined if there is none. */
async function modeOf(merchantId: string, credentialId: string): Promise<Mode | undefined> {
  const events = await withApp((app) =>
    app.get<EventStore>(EventStore).readStream<MerchantEvent>(merchantStream(merchantId)),
  );
  for (const { type, data } of events)
    if (type === 'CredentialIssued' && data.kind === 'v4' && data.credentialId === credentialId)
      return data.mode;
  return undefined;
}

export const ipList = new Command('ip-list')
  .description('from where a credential may call')
  .addCommand(set);
