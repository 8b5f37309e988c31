import { readFile } from 'node:fs/promises';
import { type Mode } from '#kernel';
import { IssueCredential, RevokeCredential } from '#merchants';
import { parsePublicKey } from '#signing';
import { Command, Option } from 'commander';
import { carryOut, change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { merchantOption, modeOption, parseRanges, parseRateText } from '../options.js';
import { Refused } from '../refused.js';

interface IssueOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly publicKey: string;
  readonly ips: readonly string[];
  readonly rate?: string;
}

const issue = change(
  'issue',
  'issues a credential; the client secret is shown this once',
  'credential issue --kind v4 --merchant M --mode demo --holder till-server ' +
    '--public-key key.pem --ips 203.0.113.7,2001:db8::/48 --reason "go-live"',
)
  .addOption(new Option('--kind <kind>').choices(['v4']).makeOptionMandatory())
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--holder <name>', 'the person or system behind it, kept through rotation')
  .requiredOption('--public-key <file>', 'PEM, RSA of 2048 bits or more')
  .requiredOption('--ips <list>', 'addresses and CIDR ranges it may call from', parseRanges)
  .option('--rate <rate>', 'instead of RATE_LIMIT_V4, as 100/s', parseRateText)
  .action(async (options: IssueOptions) => {
    const { merchant: merchantId, mode, holder, ips: ipRanges, rate } = options;
    const details = {
      merchantId,
      mode,
      holder,
      publicKey: await inspectedKey(options.publicKey),
      ipRanges,
      ...(rate === undefined ? {} : { rate }),
    };
    await carryOut(new IssueCredential(details, operatorMetadata(options)), options, {
      unknown_merchant: `no merchant ${merchantId}: create it with npx pesapost merchant create`,
      key_taken: 'another credential has this public key already: make a new key pair for this one',
    });
  });

interface RevokeOptions extends ChangeOptions {
  readonly merchant: string;
}

const revoke = change(
  'revoke',
  'ends a credential on every replica within a second',
  'credential revoke 0199c1ee-… --merchant M --reason "laptop lost"',
)
  .argument('<id>', 'the credential’s id')
  .addOption(merchantOption)
  .action((credentialId: string, options: RevokeOptions) => {
    const details = { merchantId: options.merchant, credentialId };
    return carryOut(new RevokeCredential(details, operatorMetadata(options)), options, {
      unknown_credential: `merchant ${options.merchant} has no credential ${credentialId}`,
    });
  });

const keyProblems = {
  not_an_rsa_public_key: 'is not an RSA public key in PEM form: openssl rsa -in key.pem -pubout',
  rsa_key_too_small: 'is smaller than 2048 bits: openssl genrsa -out key.pem 2048',
  rsa_key_too_large: 'is larger than 8192 bits: openssl genrsa -out key.pem 4096',
} as const;

async function inspectedKey(file: string): Promise<{ pem: string; fingerprint: string }> {
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new Refused([`${file} cannot be read`]);
  });
  const key = parsePublicKey(pem);
  if (!key.ok) throw new Refused([`${file} ${keyProblems[key.refusal]}`]);
  return { pem, fingerprint: key.value.fingerprint };
}

export const credential = new Command('credential')
  .description('what a merchant’s systems sign in with')
  .addCommand(issue)
  .addCommand(revoke);
