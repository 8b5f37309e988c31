import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { type RunCommand } from './command-line.js';
import { type DemoCredential, type DemoFile, readDemoFile, writeDemoFile } from './demo-file.js';

export interface DemoMerchantOptions {
  readonly directory: DataDirectory;
  readonly run: RunCommand;
  /** This start's. */
  readonly urls: Pick<DemoFile, 'base_url' | 'admin_url' | 'simulator_url'>;
  readonly say: (line: string) => void;
}

const timezone = 'Africa/Nairobi';
const currency = 'KES';
const feeBasisPoints = '150';
const publicKeyFile = 'demo-public-key.pem';

/**
 * The merchant of demo.json, with what is missing made through the command line. Each step is noted before
 * the next, so that a start which was killed in between is taken up where it stopped.
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
    : await issueCredential(directory, run, merchantId);
  const v4: DemoCredential = { ...credential, account_no: accountNo, currency };
  const whole: DemoFile = { ...demo, ...urls, merchant_id: merchantId, timezone, v4 };
  await keep(whole);
  return whole;
}

/** The fee belongs to the registration: without it no merchant is noted, and the next start makes another. */
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

/** A new key pair each time: the secret of a credential that a killed start issued was shown to nobody. */
async function issueCredential(directory: DataDirectory, run: RunCommand, merchant: string) {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await directory.writeSecret(publicKeyFile, publicKey);
  const issued = await run(
    ...['credential', 'issue', '--kind', 'v4', '--merchant', merchant, '--mode', 'demo'],
    ...['--holder', 'demo maker', '--public-key', directory.join(publicKeyFile)],
    ...['--ips', '127.0.0.1/32,::1/128', '--rate', '10000/s'],
  );
  await directory.remove(publicKeyFile);
  return {
    client_id: textOf(issued['client_id'], 'client_id'),
    client_secret: textOf(issued['client_secret'], 'client_secret'),
    private_key_pem: privateKey,
  };
}

function textOf(value: string | undefined, name: string): string {
  if (typeof value !== 'string' || value === '')
    throw new Error(`the command line answered without ${name}`);
  return value;
}
