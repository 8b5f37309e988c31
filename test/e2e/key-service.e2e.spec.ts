import { randomBytes } from 'node:crypto';
import {
  eventually,
  MerchantClient,
  onboardMerchant,
  type OwnServers,
  spawnChild,
  startChild,
  startCommandLine,
  startOwnServers,
} from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KmsDouble } from '../servers/kms.js';

/** Master keys that a key service encrypted, with real processes, AWS' own SDK and a double of its service. */
let servers: OwnServers;
let kms: KmsDouble;
const plain = `k1:${randomBytes(32).toString('base64')}`;

beforeAll(async () => {
  [servers, kms] = await Promise.all([startOwnServers(), KmsDouble.start()]);
});
afterAll(async () => {
  await kms.stop();
  await servers.stop();
});

const environment = (masterKey: string) => ({
  ...servers.env,
  ...kms.env,
  MASTER_KEY: masterKey,
  ADMIN_PORT: '0',
  PORT: '0',
});

async function wrapped(masterKey: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommandLine(environment(masterKey), [
    ...['keys', 'wrap', '--kms-key', 'alias/pesapost', ...words],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}

it('the service runs with an encrypted key as with the plain key, and calls KMS only at its start', async () => {
  const sealed = await wrapped(plain);
  expect(sealed).toMatch(/^k1:aws-kms:[A-Za-z0-9+/]+=*$/);
  const projector = await startChild('projector', environment(plain));
  const credentials = await onboardMerchant(environment(plain));
  const api = await startChild('api', environment(sealed));
  const calls = kms.asked.length;
  const merchant = new MerchantClient(`http://127.0.0.1:${String(api.ports.port)}`, credentials);
  await eventually(
    () =>
      merchant.signIn().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  expect(kms.asked.length).toBe(calls);
  const status = await startCommandLine(environment(sealed), ['keys', 'status']);
  expect(status.stdout).toContain('k1   first');
  for (const child of [api, projector]) {
    child.signal('SIGTERM');
    expect(await child.ended).toBe(0);
  }
});

it('a new key is made within KMS, and is listed beside an old one', async () => {
  const sealed = await wrapped(plain, '--new', 'k2');
  expect(kms.asked.at(-1)).toBe('GenerateDataKeyWithoutPlaintext');
  const status = await startCommandLine(environment(`${plain},${sealed}`), ['keys', 'status']);
  expect(status.code).toBe(0);
  expect(status.stdout).toContain('k2   opens');
});

it('a key that KMS rejects, or an unreachable KMS, stops the start in one line', async () => {
  const moved = (await wrapped(plain)).replace(/^k1:/, 'k9:');
  const refused = spawnChild('worker', environment(moved));
  expect(await refused.ended).toBe(1);
  expect(refused.lines).toEqual([
    'MASTER_KEY: AWS KMS did not decrypt the key "k9" (InvalidCiphertextException: not of this key or context)',
  ]);
  const away = { ...environment(moved), AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:9' };
  const alone = spawnChild('worker', away);
  expect(await alone.ended).toBe(1);
  expect(alone.lines).toEqual([
    expect.stringMatching(/^MASTER_KEY: AWS KMS did not decrypt the key "k9"/),
  ]);
  const command = await startCommandLine(away, ['status']);
  expect(command.code).toBe(1);
  expect(command.stderr).toMatch(/^MASTER_KEY: AWS KMS did not decrypt the key "k9"[^\n]*\n$/);
});
