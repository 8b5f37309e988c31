import { relative } from 'node:path';
import { type Settings } from '#infra/runtime';
import { type Environment } from '../children/environment.js';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { commandLine } from './command-line.js';
import { demoCollection } from './demo-collection.js';
import { demoMerchant } from './demo-merchant.js';
import { type DemoIdentity, demoRoles } from './demo-people.js';
import { type DemoReceiver } from './webhook-receiver.js';

export interface DemonstrationOptions {
  readonly directory: DataDirectory;
  readonly settings: Settings;
  /** The children's. */
  readonly environment: Environment;
  readonly withSimulator: boolean;
  readonly receiver: DemoReceiver;
  /** Absent where people sign in elsewhere. */
  readonly identity: DemoIdentity | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** One that is late prints its line later. */
const webhookWaitMs = 10_000;

/** The demo merchant, one collection of it, and how to send the next one. @throws StartRefused */
export async function demonstrate(options: DemonstrationOptions): Promise<void> {
  const { directory, settings, environment, withSimulator, receiver, identity, signal, say } =
    options;
  const { adminHost, adminPort, port, rails, simulatorDelayMs } = settings;
  const demo = await demoMerchant({
    directory,
    run: commandLine(environment, signal),
    urls: {
      base_url: settings.baseUrl,
      admin_url: `http://${adminHost.includes(':') ? `[${adminHost}]` : adminHost}:${adminPort}`,
      simulator_url: rails.mpesa.demo.url,
    },
    receiverUrl: receiver.url,
    say,
  });

  if (identity)
    await demoRoles({
      directory,
      identity,
      merchantId: demo.merchant_id,
      say,
      runAs: (who) => commandLine(environment, signal, who),
    });

  const { webhook_secret: secret } = demo.v4;
  if (secret !== undefined) receiver.useSecret(secret);

  say('one signed demo collection:');
  const settled = await demoCollection({
    origin: `http://127.0.0.1:${port}`,
    demo,
    railDelayMs: withSimulator ? simulatorDelayMs : 0,
    nowMs: () => Date.now() + settings.clockOffsetMs,
    say: (line) => {
      say(`  ${line}`);
    },
    signal,
  });
  if (secret !== undefined && settled !== undefined)
    await receiver.hearsOf(settled, webhookWaitMs, signal);
  const file = relative(process.cwd(), directory.join('demo.json'));
  if (identity)
    say(
      `people sign in at ${settings.portalUrl}/portal as finance, shop-finance and others; passwords: portal in ${file}`,
    );
  const other = file === '.data/demo.json' ? '' : ` --credentials ${file}`;
  say(`send the next one: node scripts/collect.mjs 254712345678 25000${other}`);
  say(`logs are in ${relative(process.cwd(), directory.join('logs'))}; Ctrl-C stops everything`);
}
