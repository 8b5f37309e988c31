import { readFile } from 'node:fs/promises';
import { type Mode } from '#domain/kernel';
import {
  type Ending,
  IssueCheckoutKey,
  issueCredential,
  IssueV3Credential,
  RevokeCredential,
} from '#domain/merchants';
import { Database } from '#infra/postgres';
import { listCredentials } from '#views/merchants';
import { minKeyBits, minV3KeyBits, parsePublicKey } from '#shared/signing';
import { Command, Option } from 'commander';
import { withApp } from '../app.js';
import { endAt } from '../credential-end.js';
import { refuseEverybody } from '../everybody.js';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  showList,
  unknownMerchant,
} from '../operator.js';
import {
  merchantOption,
  parseEnd,
  parseHolder,
  parseMode,
  parseName,
  parseRanges,
  parseRateText,
  parseVid,
} from '../options.js';
import { ownerOf } from '../owner-of.js';
import { propose } from '../propose.js';
import { Refused } from '../refused.js';
import { refuseWithheld, withheldOf } from '../withheld.js';
import { expiry } from './credential-expiry.js';

interface IssueOptions extends ChangeOptions {
  readonly kind: 'v4' | 'v3' | 'checkout';
  readonly merchant: string;
  readonly holder: string;
  readonly mode?: Mode;
  readonly publicKey?: string;
  readonly ips?: readonly string[];
  readonly rate?: string;
  readonly consumerKey?: string;
  readonly vid?: string;
  readonly checkoutSecretFile?: string;
  readonly expires?: string;
}

/** Options that a kind needs, and options that it may have. Any other option belongs to another kind. */
const optionsOfKind = {
  v4: { needs: ['mode', 'publicKey', 'ips'], may: ['rate'] },
  v3: { needs: ['publicKey'], may: ['consumerKey', 'vid', 'checkoutSecretFile'] },
  checkout: { needs: ['mode'], may: [] },
} as const satisfies Record<
  IssueOptions['kind'],
  Record<'needs' | 'may', readonly (keyof IssueOptions)[]>
>;

const flags = {
  mode: '--mode',
  publicKey: '--public-key',
  ips: '--ips',
  rate: '--rate',
  consumerKey: '--consumer-key',
  vid: '--vid',
  checkoutSecretFile: '--checkout-secret-file',
} as const;

const issue = change(
  'issue',
  'issues a credential; its secret is shown only once. A live V4 credential takes two admins',
  'credential issue --kind v4 --merchant M --mode demo --holder till-server ' +
    '--public-key key.pem --ips 203.0.113.7,2001:db8::/48 --reason "go-live"',
)
  .addOption(
    new Option(
      '--kind <kind>',
      'the API version, or checkout; v3 has no mode, because its callers send a flag',
    )
      .choices(['v4', 'v3', 'checkout'])
      .makeOptionMandatory(),
  )
  .addOption(merchantOption)
  .requiredOption(
    '--holder <name>',
    'the person or system behind it, kept through rotation',
    parseHolder,
  )
  .option('--mode <mode>', 'v4, checkout: live or demo; their data are kept apart', parseMode)
  .option('--public-key <file>', 'v4: PEM, RSA of 2048 bits or more; v3: 1024 or more')
  .option('--ips <list>', 'v4: addresses and CIDR ranges it may call from', parseRanges)
  .option('--rate <rate>', 'v4: instead of RATE_LIMIT_V4, as 100/s', parseRateText)
  .option('--consumer-key <key>', 'v3: the one that its client has; else one is made', parseName)
  .option('--vid <vid>', 'v3: the merchant’s in checkout links; else one is made', parseVid)
  .option('--checkout-secret-file <file>', 'v3: holds the secret of the client’s links')
  .option(
    '--expires <end>',
    'the day on which it ends, at 00:00 UTC, such as 2027-03-01 or 90d; never unless given',
    parseEnd,
  )
  .action((options: IssueOptions, command: Command) => {
    requireFitting(options, command);
    return issueKind[options.kind](options);
  });

/** @throws CommanderError for a wrong usage */
function requireFitting(options: IssueOptions, command: Command): void {
  const { needs, may } = optionsOfKind[options.kind];
  const fitting: readonly string[] = [...needs, ...may];
  for (const [option, flag] of Object.entries(flags)) {
    const given = options[option as keyof typeof flags] !== undefined;
    if (given && !fitting.includes(option))
      command.error(`error: option '${flag}' does not go with --kind ${options.kind}`);
    if (!given && (needs as readonly string[]).includes(option))
      command.error(`error: required option '${flag}' not specified for --kind ${options.kind}`);
  }
}

const keyTaken = 'another credential has this public key already: make a new key pair for this one';

const similarHolder =
  '--holder differs from a holder of the merchant only by case, spaces or Unicode form: write it as that one is written (npx pesapost credential list)';

const issueKind = {
  v4: async (options: IssueOptions): Promise<void> => {
    const { merchant: merchantId, mode, holder, publicKey, ips: ipRanges, rate } = options;
    if (mode === undefined || publicKey === undefined || ipRanges === undefined)
      throw new TypeError('an option that --kind v4 needs got past its check');
    refuseEverybody(mode, ipRanges);
    const details = {
      merchantId,
      mode,
      holder,
      publicKey: await inspectedKey(publicKey),
      ipRanges,
      ...(rate === undefined ? {} : { rate }),
      ...endOf(options),
    };
    await propose(issueCredential, details, options, {
      unknown_merchant: unknownMerchant(merchantId),
      key_taken: keyTaken,
      similar_holder: similarHolder,
    });
  },
  v3: async (options: IssueOptions): Promise<void> => {
    const {
      merchant: merchantId,
      holder,
      publicKey,
      consumerKey,
      vid,
      checkoutSecretFile,
    } = options;
    if (publicKey === undefined)
      throw new TypeError('an option that --kind v3 needs got past its check');
    const details = {
      merchantId,
      holder,
      publicKey: await inspectedV3Key(publicKey),
      ...(consumerKey === undefined ? {} : { consumerKey }),
      ...(vid === undefined ? {} : { vid }),
      ...(checkoutSecretFile === undefined
        ? {}
        : { checkoutSecret: await secretIn(checkoutSecretFile) }),
      ...endOf(options),
    };
    await carryOut(new IssueV3Credential(details, operatorMetadata(options)), options, {
      unknown_merchant: unknownMerchant(merchantId),
      key_taken: keyTaken,
      similar_holder: similarHolder,
      consumer_key_taken: 'another credential has this consumer key already',
      vid_taken: 'another merchant has this vid already',
      new_merchants_v4_only: `merchant ${merchantId} was created when new merchants were V4-only already: issue --kind v4 (npx pesapost v3 status)`,
      v3_takes_nobody_new: 'V3 takes no new merchants: issue --kind v4 (npx pesapost v3 status)',
      v3_is_retired: 'V3 is retired: issue --kind v4',
      vid_fixed: `merchant ${merchantId} has another vid already, which its links bear: leave --vid out`,
    });
  },
  checkout: async (options: IssueOptions): Promise<void> => {
    const { merchant: merchantId, mode, holder } = options;
    if (mode === undefined)
      throw new TypeError('an option that --kind checkout needs got past its check');
    const details = { merchantId, mode, holder, ...endOf(options) };
    const command = new IssueCheckoutKey(details, operatorMetadata(options));
    await carryOut(command, options, {
      unknown_merchant: unknownMerchant(merchantId),
      similar_holder: similarHolder,
    });
  },
} as const satisfies Record<IssueOptions['kind'], unknown>;

/** @throws Refused if the end is in the past or too far away */
function endOf({ expires }: Pick<IssueOptions, 'expires'>): Ending {
  return expires === undefined ? {} : { expiresAt: endAt(expires) };
}

const list = new Command('list')
  .description('the credentials of a merchant, the revoked ones too')
  .addOption(merchantOption)
  .option('--json', 'the answer as one JSON object')
  .addHelpText('after', '\nExample:\n  npx pesapost credential list --merchant M')
  .action(async ({ merchant, json }: { readonly merchant: string; readonly json?: true }) => {
    const { credentials, withheld } = await withApp(async (app) => ({
      credentials: await listCredentials(app.get(Database), merchant),
      withheld: await withheldOf(app.get(Database), { merchant }),
    }));
    showList('credentials', credentials, { ...(json && { json }) });
    // Events of one mode change no credential.
    refuseWithheld(withheld.filter(({ scope }) => scope === 'merchant'));
  });

interface RevokeOptions extends ChangeOptions {
  readonly compromised?: true;
  readonly merchant?: string;
}

const revoke = change(
  'revoke',
  'ends a credential on every replica within a second',
  'credential revoke 0199c1ee-… --reason "laptop lost"',
)
  .argument('<id>', 'the credential’s id')
  .option('--merchant <id>', 'the merchant’s id, which is looked up unless given')
  .option(
    '--compromised',
    'another person may have used it: payouts that it requested or approved are not sent',
  )
  .action(async (credentialId: string, options: RevokeOptions) => {
    const merchant = options.merchant ?? (await ownerOf(credentialId));
    const { compromised } = options;
    const isCompromised = compromised ? { isCompromised: true as const } : {};
    const details = { merchantId: merchant, credentialId, ...isCompromised };
    await carryOut(
      new RevokeCredential(details, operatorMetadata(options)),
      { ...options, merchant },
      { unknown_credential: `merchant ${merchant} has no credential ${credentialId}` },
    );
  });

const keyProblems = (minBits: number) => ({
  not_an_rsa_public_key: 'is not an RSA public key in PEM form: openssl rsa -in key.pem -pubout',
  rsa_key_too_small: `is smaller than ${minBits} bits: openssl genrsa -out key.pem 2048`,
  rsa_key_too_large: 'is larger than 8192 bits: openssl genrsa -out key.pem 4096',
});

/** Reads a secret from a file: arguments are visible to other users of the machine. */
async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Refused([`${file} cannot be read`]);
  });
  const secret = text.replace(/\r?\n$/, '');
  if (secret.length < 8) throw new Refused([`${file} holds less than 8 characters: no secret`]);
  return secret;
}

/** Reads a key for V3, which accepts the short keys that its clients have had for years, with a warning. */
async function inspectedV3Key(file: string): Promise<{ pem: string; fingerprint: string }> {
  const { modulusBits, ...inspected } = await readPublicKey(file, minV3KeyBits);
  if (modulusBits < minKeyBits)
    process.stderr.write(
      `warning: ${file} has ${modulusBits} bits; below ${minKeyBits} somebody with means can forge its signatures. ` +
        'V3 takes it as it is; V4 will not: ask the client for a new key\n',
    );
  return inspected;
}

async function inspectedKey(file: string): Promise<{ pem: string; fingerprint: string }> {
  const { pem, fingerprint } = await readPublicKey(file, minKeyBits);
  return { pem, fingerprint };
}

/** @throws Refused with the key's fault */
async function readPublicKey(
  file: string,
  minBits: number,
): Promise<{ pem: string; fingerprint: string; modulusBits: number }> {
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new Refused([`${file} cannot be read`]);
  });
  const key = parsePublicKey(pem, minBits);
  if (!key.ok) {
    const { [key.refusal]: what } = keyProblems(minBits);
    throw new Refused([`${file} ${what}`]);
  }
  const { fingerprint, modulusBits } = key.value;
  return { pem, fingerprint, modulusBits };
}

export const credential = new Command('credential')
  .description('credentials with which a merchant’s systems sign in')
  .addCommand(issue)
  .addCommand(list)
  .addCommand(expiry)
  .addCommand(revoke);
