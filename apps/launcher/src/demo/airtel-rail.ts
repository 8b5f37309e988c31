import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { type Settings } from '#infra/runtime';
import { simulatorProcess } from '../children/apps.js';
import { type Environment } from '../children/environment.js';
import { type ProcessOptions } from '../children/processes.js';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { StartRefused } from '../refusal.js';
import { type RunCommand } from './command-line.js';

/** The demo's account at the Airtel simulator. None of it is a secret, since the simulator moves no money. */
const account = {
  clientId: 'simulator-client',
  clientSecret: 'simulator-secret',
  pin: '1234',
} as const;
/** The simulator takes cents, and many payouts a second. */
const [stepMinor, payoutsPerSecond] = ['1', '200'];
const deadlineMs = 10_000;

export function airtelSimulatorUrl({
  simulatorAirtelPort,
}: Pick<Settings, 'simulatorAirtelPort'>): string {
  return `http://127.0.0.1:${simulatorAirtelPort}`;
}

export function airtelSimulator(directory: DataDirectory, settings: Settings): ProcessOptions {
  const { simulatorAirtelPort: port } = settings;
  const env = {
    DATA_DIR: directory.path,
    SIMULATOR_AIRTEL_PORT: String(port),
    SIMULATOR_AIRTEL_CLIENT_ID: account.clientId,
    SIMULATOR_AIRTEL_CLIENT_SECRET: account.clientSecret,
    SIMULATOR_AIRTEL_PIN: account.pin,
  };
  return simulatorProcess(directory, { app: 'airtel-simulator', port, env });
}

/**
 * Returns the settings of the demo's Airtel rail. The PIN is encrypted to the key that the running simulator shows, as
 * an operator encrypts it to the key in Airtel's portal (AIR-10).
 * @throws StartRefused if the simulator shows none
 */
export async function airtelRailEnvironment(url: string): Promise<Environment> {
  const { 2048: key } = await fetchJson(`${url}/_keys`);
  const der = Buffer.from(String(key), 'base64');
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  const pin = publicEncrypt({ key: publicKey, padding }, Buffer.from(account.pin));
  return {
    RAIL_AIRTEL_DEMO_URL: url,
    RAIL_AIRTEL_DEMO_CLIENT_ID: account.clientId,
    RAIL_AIRTEL_DEMO_CLIENT_SECRET: account.clientSecret,
    RAIL_AIRTEL_DEMO_STEP: stepMinor,
    RAIL_AIRTEL_DEMO_ENCRYPTED_PIN: pin.toString('base64'),
    RAIL_AIRTEL_DEMO_PAYOUT_RATE: payoutsPerSecond,
  };
}

/**
 * Enters the service's address for callbacks at the simulator's portal (AIR-7). Each start does it: the address names
 * BASE_URL and is sealed with a key, and both may have changed. If only a person who signs in may see the address, an
 * address of this BASE_URL that the portal has already stays.
 * @throws StartRefused
 */
export async function registerCallbackAddress(
  url: string,
  { run, baseUrl }: { readonly run: RunCommand; readonly baseUrl: string },
): Promise<void> {
  const { callback_url: before } = await fetchJson(`${url}/_portal`);
  const { address } = await run(
    ...['rail', 'callback-address', '--channel', 'airtel', '--mode', 'demo'],
  ).catch((error: unknown) => {
    if (error instanceof StartRefused && String(before).startsWith(`${baseUrl}/rails/shared/`))
      return { address: before };
    throw error;
  });
  await fetchJson(`${url}/_portal`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ callback_url: address }),
  });
}

async function fetchJson(
  url: string,
  init: RequestInit = {},
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(deadlineMs) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new StartRefused(`the Airtel simulator does not answer: ${String(error)}`, {
      cause: error,
    });
  }
}
