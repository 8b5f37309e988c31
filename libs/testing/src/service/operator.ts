import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/postgres';
import { withKeyFile } from '../rsa-keys.js';
import { inheritedEnvironment } from './inherited-environment.js';
import { type MerchantCredentials } from './merchant-client.js';

const run = promisify(execFile);
const commandDeadlineMs = 90_000;

/** Runs a command line as an operator does and reads its JSON. */
export async function pesapost(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, string>> {
  const main = join(packageDirectory('dist'), 'apps/cli/src/main.js');
  const { stdout } = await run(process.execPath, [main, ...words, '--json'], {
    cwd: packageDirectory(),
    env: { ...inheritedEnvironment(), ...env },
    timeout: commandDeadlineMs,
  });
  return JSON.parse(stdout) as Record<string, string>;
}

/** A merchant in demo mode with one account, a fee of 150 basis points and one credential. */
export async function onboardMerchant(
  env: Readonly<Record<string, string>>,
): Promise<MerchantCredentials> {
  const why = ['--reason', 'test', '--as', 'spec'];
  const created = await pesapost(env, 'merchant', 'create', '--name', 'Duka Moja', ...why);
  const merchantId = created['merchant_id'] ?? '';
  const of = ['--merchant', merchantId, '--mode', 'demo', ...why];
  const account = await pesapost(env, 'account', 'open', '--currency', 'KES', ...of);
  await pesapost(env, 'fee', 'set', '--basis-points', '150', ...of);
  const credential = await issueCredential(env, merchantId, 'till');
  return { merchantId, accountNo: account['account_no'] ?? '', ...credential };
}

/** A V4 credential of the merchant's, in demo mode, in the hands of that holder. */
export async function issueCredential(
  env: Readonly<Record<string, string>>,
  merchantId: string,
  holder: string,
): Promise<Omit<MerchantCredentials, 'merchantId' | 'accountNo'>> {
  const of = ['--merchant', merchantId, '--mode', 'demo', '--reason', 'test', '--as', 'spec'];
  return withKeyFile(async (file, privateKeyPem) => {
    const credential = await pesapost(
      env,
      ...['credential', 'issue', '--kind', 'v4', '--holder', holder, '--public-key', file],
      ...['--ips', '127.0.0.1,::1', '--rate', '10000/s', ...of],
    );
    return {
      clientId: credential['client_id'] ?? '',
      clientSecret: credential['client_secret'] ?? '',
      privateKeyPem,
    };
  });
}
