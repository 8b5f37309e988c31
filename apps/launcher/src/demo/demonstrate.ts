import { mkdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Sessions } from '#records/people';
import { Database } from '#infra/postgres';
import { createLogger, type Settings } from '#infra/runtime';
import { hashSecret } from '#shared/signing';
import { decodeJwt } from 'jose';
import { type Environment } from '../children/environment.js';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { airtelSimulatorUrl, registerCallbackAddress } from './airtel-rail.js';
import { commandLine, type Maker, nobodySignedIn, showingCommandLine } from './command-line.js';
import { demoCollection } from './demo-collection.js';
import { demoMerchant } from './demo-merchant.js';
import { type DemoIdentity, demoRoles } from './demo-people.js';
import { type Simulators } from '../ports.js';
import { StartRefused } from '../refusal.js';
import { type DemoReceiver } from './webhook-receiver.js';

export interface DemonstrationOptions {
  readonly directory: DataDirectory;
  readonly settings: Settings;
  /** The environment of the children. */
  readonly environment: Environment;
  readonly simulators: Simulators;
  readonly receiver: DemoReceiver;
  /** Absent if people sign in elsewhere. */
  readonly identity: DemoIdentity | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Holds an admin's sign-in while the demo's roles are granted; below DATA_DIR. */
const signInFolder = 'demo-sign-in';
const sessionMs = 5 * 60_000;
/** A later webhook prints its line later. */
const webhookWaitMs = 10_000;

/**
 * Makes the demo merchant and one collection of it, and prints how to send the next one.
 * @throws StartRefused
 */
export async function demonstrate(options: DemonstrationOptions): Promise<void> {
  const { directory, settings, environment, simulators, receiver, identity, signal, say } = options;
  const { adminHost, adminPort, port, rails, simulatorDelayMs } = settings;
  const airtelUrl = simulators.airtel ? airtelSimulatorUrl(settings) : undefined;
  const maker = identity ? nobodySignedIn : { typed: 'launcher' };
  const demo = await demoMerchant({
    directory,
    run: commandLine(environment, signal, maker),
    urls: {
      base_url: settings.baseUrl,
      admin_url: `http://${adminHost.includes(':') ? `[${adminHost}]` : adminHost}:${adminPort}`,
      simulator_url: rails.mpesa.demo.url,
    },
    airtelUrl,
    receiverUrl: receiver.url,
    say,
  });

  if (identity)
    try {
      await demoRoles({
        directory,
        identity,
        merchantId: demo.merchant_id,
        say,
        runAs: async (signIn) =>
          commandLine(environment, signal, await signedInFor(options, identity.issuer, signIn)),
      });
    } finally {
      await rm(directory.join(signInFolder), { recursive: true, force: true });
    }

  const { webhook_secret: secret } = demo.v4;
  if (secret !== undefined) receiver.useSecret(secret);

  // The command takes a second, and the collection needs nothing of it.
  const registered = airtelUrl && airtelCallsBack(options, airtelUrl, maker);
  say('one signed demo collection:');
  const collected = demoCollection({
    origin: `http://127.0.0.1:${port}`,
    demo,
    railDelayMs: simulators.daraja ? simulatorDelayMs : 0,
    nowMs: () => Date.now() + settings.clockOffsetMs,
    say: (line) => {
      say(`  ${line}`);
    },
    signal,
  });
  const [settled] = await Promise.all([collected, registered]);
  if (secret !== undefined && settled !== undefined)
    await receiver.hearsOf(settled, webhookWaitMs, signal);
  const file = relative(process.cwd(), directory.join('demo.json'));
  if (identity)
    say(
      `people sign in at ${settings.portalUrl}/portal as finance, shop-finance and others; passwords: portal in ${file}`,
    );
  const other = file === '.data/demo.json' ? '' : ` --credentials ${file}`;
  say(`send the next one: node scripts/collect.mjs 254712345678 25000${other}`);
  if (demo.airtel_simulator_url !== undefined)
    say(
      `or over Airtel Money: node scripts/collect.mjs 254733123456 25000 --channel airtel${other}`,
    );
  say(`logs are in ${relative(process.cwd(), directory.join('logs'))}; Ctrl-C stops everything`);
}

/** Without the address, an enquiry finds each payment later; so a refusal prevents no start. */
async function airtelCallsBack(
  { environment, settings, signal, say }: DemonstrationOptions,
  airtelUrl: string,
  maker: Maker,
): Promise<void> {
  const run = showingCommandLine(environment, signal, maker);
  try {
    await registerCallbackAddress(airtelUrl, { run, baseUrl: settings.baseUrl });
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    say(`the Airtel simulator cannot call back: ${error.message}`);
  }
}

/**
 * Signs a person in like `login --fresh`: the token is in its own folder beside the data, and the session is in the
 * records.
 */
async function signedInFor(
  {
    directory,
    environment,
    settings,
  }: Pick<DemonstrationOptions, 'directory' | 'environment' | 'settings'>,
  issuer: string,
  token: string | undefined,
): Promise<Maker> {
  if (token === undefined) return nobodySignedIn;
  const { clockOffsetMs } = settings;
  await beginSession({ url: environment['DATABASE_URL'] ?? '', clockOffsetMs }, issuer, token);
  await mkdir(directory.join(signInFolder, 'pesapost'), { recursive: true, mode: 0o700 });
  const file = join(signInFolder, 'pesapost', 'identities.json');
  await directory.writeSecret(file, `${JSON.stringify({ [issuer]: token })}\n`);
  return { signInFolder: directory.join(signInFolder) };
}

async function beginSession(
  records: { readonly url: string; readonly clockOffsetMs: number },
  issuer: string,
  token: string,
): Promise<void> {
  const { sub: subject = '', name } = decodeJwt(token);
  const logger = createLogger({ app: 'launcher', level: 'silent' });
  const database = new Database({ ...records, app: 'launcher', logger, poolSize: 1 });
  try {
    await new Sessions(database).open(
      {
        hash: hashSecret(token),
        person: { issuer, subject },
        name: typeof name === 'string' ? name : subject,
        authenticatedAt: new Date(),
        kind: 'command_line',
        isProved: true,
      },
      { idleMs: sessionMs, absoluteMs: sessionMs },
    );
  } finally {
    await database.close();
  }
}
