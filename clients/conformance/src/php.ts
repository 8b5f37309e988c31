import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '#testing';

/** Runs a program of PHP's in a folder. @returns its output @throws an error with the output, if the program fails */
export async function inPhp(cwd: string, program: string, ...words: string[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pesapost-composer-'));
  try {
    // Composer fetches nothing, and has no settings or cache of the user's.
    await writeFile(join(home, 'config.json'), '{"repositories":{"packagist.org":false}}');
    const composer = { COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1' };
    const env = { ...inheritedEnvironment(), ...composer, COMPOSER_NO_INTERACTION: '1' };
    return (await promisify(execFile)(program, words, { cwd, env })).stdout;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the program of PHP's guide: the first example, values for the names that the examples use, the examples. */
export function guideOfPhp(first: string, examples: readonly string[]): string {
  return [first, names, ...examples, deliver].join('\n');
}

const names = `
$accountNo = $v4->account_no;
$account = ['account_no' => $accountNo, 'currency' => 'KES', 'channel' => 'mpesa'];
$checker = $demo->v4_checker;
$secondHolder = new PesaPost\\Client(
    $checker->base_url, $checker->client_id, $checker->client_secret, $checker->private_key_pem,
);
$item = ['phone' => '254712345678', 'amount_minor' => 1000];
$client->collections->create([...$account, ...$item, 'reference' => 'INV-3001']);
$client->collections->waitUntilSettled('INV-3001');
$order = [...$account, ...$item, 'reference' => 'INV-3001', 'amount_minor' => 9900];
$payout = [...$account, ...$item, 'reference' => 'GUIDE-PHP-P'];
$payouts = [[...$item, 'reference' => 'GUIDE-PHP-1']];
[$newSecret, $oldSecret] = ['whsec_2', 'whsec_1'];
`;

/** Delivers a webhook that is signed with the old secret, and one that is not signed. */
const deliver = `
$body = '{"id":"e-1","type":"collection.completed","data":{"reference":"INV-3001"}}';
$now = (string) time();
$headers = ['PesaPost-Event-Id' => 'e-1', 'PesaPost-Timestamp' => $now];
$headers['PesaPost-Signature'] = 'v4=' . hash_hmac('sha256', "e-1.$now.$body", 'whsec_1');
echo $receiver->status($body, $headers), ' ', $receiver->status($body, []), "\\n";
`;
