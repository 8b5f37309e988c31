import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { settingsOrRefused } from '../settings.js';
import { plainCommand } from './plain-command.js';

/** The data of the demo merchant that `npm start` wrote, as far as commands need them. */
interface Demo {
  readonly base_url: string;
  readonly v4: {
    readonly client_id: string;
    readonly client_secret: string;
    readonly private_key_pem: string;
    readonly account_no: string;
    /** Absent if the merchant has no receiver of webhooks. */
    readonly webhook_secret?: string;
  };
}

interface KeyOptions {
  readonly out: string;
  readonly json?: true;
}

const key = plainCommand(
  'key',
  'writes the demo merchant’s merchant.key and merchant.pub, for signing by hand',
  'demo key --out .',
)
  .option('--out <folder>', 'the folder to write them to', '.')
  .action(async ({ out, json }: KeyOptions) => {
    const { base_url: baseUrl, v4 } = await readDemo();
    const privateKey = createPrivateKey(v4.private_key_pem);
    const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
    const files = [join(resolve(out), 'merchant.key'), join(resolve(out), 'merchant.pub')] as const;
    await writeOnce(files[0], v4.private_key_pem);
    await writeOnce(files[1], publicPem.toString());
    if (json) {
      printJson({ private_key: files[0], public_key: files[1] });
      return;
    }
    printLines([
      ...files.map((file) => `# written: ${file}`),
      `BASE_URL=${baseUrl}`,
      `CLIENT_ID=${v4.client_id}`,
      `CLIENT_SECRET=${v4.client_secret}`,
      `ACCOUNT_NO=${v4.account_no}`,
    ]);
  });

export const demo = new Command('demo')
  .description('the demo merchant of npm start')
  .addCommand(key);

/** @throws Refused */
export async function readDemo(): Promise<Demo> {
  const file = join(settingsOrRefused().dataDir, 'demo.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    throw new Refused([`${file} cannot be read: run npm start first, or name its DATA_DIR`]);
  }
}

/**
 * Writes a file, but never over a key of the user's own.
 * @throws Refused
 */
async function writeOnce(file: string, text: string): Promise<void> {
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known === text) return;
  if (known !== undefined)
    throw new Refused([`${file} is there and holds something else: move it away, or name --out`]);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new Refused([
      `${file} cannot be written: ${error instanceof Error ? error.message : ''}`,
    ]);
  }
}
