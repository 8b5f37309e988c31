import { withKeyFile } from '../rsa-keys.js';
import { type CommandOutcome, runCommandLine } from './command-process.js';
import { type MerchantCredentials } from './merchant-client.js';

/**
 * Runs a command line as an operator does and parses its JSON.
 * @throws Error with the exit code and both outputs, if it was refused
 */
export async function pesapost(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, string>> {
  const outcome = await runCommandLine(env, [...words, '--json']);
  if (outcome.code !== 0)
    throw Object.assign(new Error(`pesapost ${words.join(' ')}: ${outcome.stderr}`), outcome);
  return JSON.parse(outcome.stdout) as Record<string, string>;
}

/** Runs a command line as a person types it; it may be refused. */
export function typed(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<CommandOutcome> {
  return runCommandLine(env, words);
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

/** A V4 credential of the merchant, in demo mode, for that holder. */
export function issueCredential(
  env: Readonly<Record<string, string>>,
  merchantId: string,
  holder: string,
): Promise<OwnCredential> {
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

type OwnCredential = Omit<MerchantCredentials, 'merchantId' | 'accountNo'>;
