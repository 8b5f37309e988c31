import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { StartRefused } from '../refusal.js';
import { type RunCommand } from './command-line.js';
import {
  type DemoCheckoutKey,
  type DemoFile,
  type DemoV3,
  type PartialDemoFile,
  readDemoFile,
  type SigningCredential,
  writeDemoFile,
} from './demo-file.js';

export interface DemoMerchantOptions {
  readonly directory: DataDirectory;
  readonly run: RunCommand;
  /** The URLs of this start. */
  readonly urls: Pick<DemoFile, 'base_url' | 'admin_url' | 'simulator_url'>;
  /** The Airtel simulator at this start; undefined if there is none. */
  readonly airtelUrl: string | undefined;
  /** The receiver of the merchant's webhooks at this start. */
  readonly receiverUrl: string;
  readonly say: (line: string) => void;
}

const timezone = 'Africa/Nairobi';
const currency = 'KES';
const feeBasisPoints = '150';
const publicKeyFile = 'demo-public-key.pem';
/** Callbacks and customers of the demo go only to this machine. */
const demoHosts = '127.0.0.1,localhost,[::1]';

/**
 * Returns the merchant of demo.json and creates the missing parts through the command line. Each step is saved before
 * the next, so a start after a kill continues at the same step.
 */
export async function demoMerchant(options: DemoMerchantOptions): Promise<DemoFile> {
  const { directory, run, urls, say } = options;
  let demo = { ...(await readDemoFile(directory)), ...urls };
  const keep = async (more: typeof demo): Promise<void> => {
    demo = more;
    await writeDemoFile(directory, demo);
  };

  let merchantId = demo.merchant_id;
  if (merchantId === undefined) {
    say('making the demo merchant …');
    merchantId = await createMerchant(run);
    await keep({ ...demo, merchant_id: merchantId, timezone });
  }
  let { account_no: accountNo } = demo.v4 ?? {};
  if (accountNo === undefined) {
    accountNo = await openAccount(run, merchantId);
    await keep({ ...demo, v4: { ...demo.v4, account_no: accountNo, currency } });
  }
  const { client_id, client_secret, private_key_pem } = demo.v4 ?? {};
  const kept = client_id && client_secret && private_key_pem;
  const credential = kept
    ? { client_id, client_secret, private_key_pem }
    : await issueV4Credential(directory, run, { merchantId, holder: 'demo maker' });
  const v4 = { ...demo.v4, ...credential, account_no: accountNo, currency };
  await keep({ ...demo, v4 });

  const checker =
    demo.v4_checker ??
    (await issueV4Credential(directory, run, { merchantId, holder: 'demo checker' }));
  await keep({ ...demo, v4_checker: checker });

  const { checkout_key_id, checkout_secret } = v4;
  const checkoutKey =
    checkout_key_id && checkout_secret
      ? { checkout_key_id, checkout_secret }
      : await issueCheckoutKey(run, merchantId);
  await keep({ ...demo, v4: { ...v4, ...checkoutKey } });

  const v3 = demo.v3 ?? (await v3OrNone(options, { merchantId, accountNo }));
  await keep({ ...demo, ...(v3 && { v3 }) });

  const airtel = await airtelOrNone(options, demo, { merchantId, accountNo });
  const { airtel_simulator_url: _before, ...others } = demo;
  const whole: DemoFile = {
    ...others,
    ...urls,
    ...airtel,
    merchant_id: merchantId,
    timezone,
    v4: { ...v4, ...checkoutKey },
    v4_checker: checker,
    ...(v3 && { v3 }),
  };
  await keep(whole);
  const webhooks = await webhooksOrNone(options, whole);
  if (!webhooks) return whole;
  const { url, secret } = webhooks;
  const told = {
    ...whole,
    webhook_receiver_url: url,
    v4: { ...whole.v4, webhook_secret: secret },
  };
  await keep(told);
  return told;
}

/** Sets the endpoint only if its URL differs from the last one, so that a later setting by a person stays. */
async function webhooksOrNone(
  { run, receiverUrl: url, say }: DemoMerchantOptions,
  { merchant_id: merchant, v4, webhook_receiver_url: before }: DemoFile,
): Promise<{ readonly url: string; readonly secret: string } | undefined> {
  const known = v4.webhook_secret;
  if (known !== undefined && url === before) return { url, secret: known };
  const of = ['--merchant', merchant, '--mode', 'demo'];
  try {
    const set = await run('webhook', 'set', ...of, '--url', `${url}/webhooks`);
    // If a killed start set the endpoint, it keeps its secret, which was never shown.
    const { webhook_secret: secret = known } = set;
    return { url, secret: secret ?? (await rotatedSecret(run, of)) };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    say(`the demo merchant gets no webhooks: ${error.message}`);
    return undefined;
  }
}

async function rotatedSecret(run: RunCommand, of: readonly string[]): Promise<string> {
  const rotated = await run('webhook', 'rotate', ...of);
  return textOf(rotated['webhook_secret'], 'webhook_secret');
}

/** Enables Airtel Money only once, so that a later setting by a person stays. */
async function airtelOrNone(
  { run, airtelUrl, say }: DemoMerchantOptions,
  { airtel_simulator_url: before }: PartialDemoFile,
  { merchantId, accountNo }: { readonly merchantId: string; readonly accountNo: string },
): Promise<Pick<DemoFile, 'airtel_simulator_url'>> {
  if (airtelUrl === undefined) return {};
  const address = { airtel_simulator_url: airtelUrl };
  if (before !== undefined) return address;
  try {
    await run(
      ...['account', 'channels', '--merchant', merchantId, '--account', accountNo],
      ...['--channels', 'mpesa,airtel'],
    );
    return address;
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    say(`the demo merchant gets no Airtel Money: ${error.message}`);
    return {};
  }
}

/** The fee is part of the registration. Without it no merchant is saved, and the next start creates another. */
async function createMerchant(run: RunCommand): Promise<string> {
  const { merchant_id: merchantId } = await run(
    ...['merchant', 'create', '--name', 'Duka Demo', '--timezone', timezone],
  );
  const merchant = textOf(merchantId, 'merchant_id');
  await run(
    ...['fee', 'set', '--merchant', merchant, '--mode', 'demo', '--basis-points', feeBasisPoints],
  );
  return merchant;
}

async function openAccount(run: RunCommand, merchant: string): Promise<string> {
  const { account_no: accountNo } = await run(
    ...['account', 'open', '--merchant', merchant, '--mode', 'demo', '--currency', currency],
  );
  return textOf(accountNo, 'account_no');
}

async function issueV4Credential(
  directory: DataDirectory,
  run: RunCommand,
  { merchantId, holder }: { readonly merchantId: string; readonly holder: string },
): Promise<SigningCredential> {
  return withNewKeyPair(directory, async (publicKey) => {
    const issued = await run(
      ...['credential', 'issue', '--kind', 'v4', '--merchant', merchantId, '--mode', 'demo'],
      ...['--holder', holder, '--public-key', publicKey],
      ...['--ips', '127.0.0.1/32,::1/128', '--rate', '10000/s'],
    );
    // Each has its own system: no system and no person may approve its own request (PEO-38).
    const binding = ['--holder', holder, '--system', `program of the ${holder}`];
    await run('holder', 'bind', '--merchant', merchantId, ...binding);
    return {
      client_id: textOf(issued['client_id'], 'client_id'),
      client_secret: textOf(issued['client_secret'], 'client_secret'),
    };
  });
}

async function issueCheckoutKey(run: RunCommand, merchant: string): Promise<DemoCheckoutKey> {
  const issued = await run(
    ...['credential', 'issue', '--kind', 'checkout', '--merchant', merchant, '--mode', 'demo'],
    ...['--holder', 'demo shop'],
  );
  return {
    checkout_key_id: textOf(issued['checkout_key_id'], 'checkout_key_id'),
    checkout_secret: textOf(issued['checkout_secret'], 'checkout_secret'),
  };
}

/** From some date on, V3 accepts no new merchants; the demo then has no V3 part. */
async function v3OrNone(
  { directory, run, say }: DemoMerchantOptions,
  { merchantId, accountNo }: { readonly merchantId: string; readonly accountNo: string },
): Promise<DemoV3 | undefined> {
  try {
    return {
      ...(await issueV3Credential(directory, run, merchantId)),
      account_no: accountNo,
    };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    say(`the demo merchant gets no V3 credential: ${error.message}`);
    return undefined;
  }
}

/** The hosts are set first, because a demo link without them could not lead back. */
async function issueV3Credential(
  directory: DataDirectory,
  run: RunCommand,
  merchant: string,
): Promise<Omit<DemoV3, 'account_no'>> {
  await run('hosts', 'set', '--merchant', merchant, '--hosts', demoHosts);
  return withNewKeyPair(directory, async (publicKey) => {
    const issued = await run(
      ...['credential', 'issue', '--kind', 'v3', '--merchant', merchant],
      ...['--holder', 'demo shop of years ago', '--public-key', publicKey],
    );
    return {
      consumer_key: textOf(issued['consumer_key'], 'consumer_key'),
      checkout_secret: textOf(issued['checkout_secret'], 'checkout_secret'),
      vid: textOf(issued['vid'], 'vid'),
    };
  });
}

/** Creates a new key pair each time: if a killed start issued a credential, its secret was never shown. */
async function withNewKeyPair<Issued extends object>(
  directory: DataDirectory,
  issue: (publicKeyFile: string) => Promise<Issued>,
): Promise<Issued & { readonly private_key_pem: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await directory.writeSecret(publicKeyFile, publicKey);
  try {
    const issued = await issue(directory.join(publicKeyFile));
    return { ...issued, private_key_pem: privateKey };
  } finally {
    await directory.remove(publicKeyFile);
  }
}

function textOf(value: string | undefined, name: string): string {
  if (typeof value !== 'string' || value === '')
    throw new Error(`the command line answered without ${name}`);
  return value;
}
