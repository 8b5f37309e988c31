import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import {
  eventually,
  inheritedEnvironment,
  issueCredential,
  type MerchantCredentials,
  pesapost,
  type Service,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Driver, type Json, languages } from './driver.js';
import { type Client, clientOf, factsOf } from './scene.js';

interface Received {
  readonly headers: Json;
  readonly body: Buffer;
}

let service: Service;
let receiver: Server;
let webhookSecret: string;
let checker: Omit<MerchantCredentials, 'merchantId' | 'accountNo'>;
const received: Received[] = [];

beforeAll(async () => {
  service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  const { merchantId } = service.merchant.credentials;
  checker = await issueCredential(service.env, merchantId, 'the checker');
  receiver = createServer((request, response) => {
    void (async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    })();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const of = ['--merchant', merchantId, '--mode', 'demo', '--reason', 'test', '--as', 'spec'];
  ({ webhook_secret: webhookSecret = '' } = await pesapost(
    ...([service.env, 'webhook', 'set', '--url', url] as const),
    ...of,
  ));
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await service.stop();
});

/** The options of a client for the service. */
function optionsOf(credential: Omit<MerchantCredentials, 'merchantId' | 'accountNo'>): Json {
  return {
    base_url: service.baseUrl,
    client_id: credential.clientId,
    client_secret: credential.clientSecret,
    private_key_pem: credential.privateKeyPem,
  };
}

const itemOf = (reference: string, amount_minor: string) => ({
  account_no: service.merchant.credentials.accountNo,
  phone: '254712345678',
  amount_minor,
  currency: 'KES',
  channel: 'mpesa',
  reference,
});

describe.each(languages)('$name', (language) => {
  const name = language.name.toUpperCase();
  let driver: Driver;
  let client: Client;
  beforeAll(async () => {
    driver = new Driver(language);
    client = await clientOf(driver, optionsOf(service.merchant.credentials));
  });
  afterAll(() => driver.stop());

  const collected = async (reference: string, amount: string) => {
    const created = await client.call('collections.create', [itemOf(reference, amount)]);
    expect(created).toMatchObject({ status: 'pending', existing: false, amount_minor: amount });
    return client.call('collections.wait_until_settled', [reference]);
  };

  it('collects money, from the request until it is completed', async () => {
    const settled = await collected(`${name}-1`, '1000000');
    expect(settled).toMatchObject({ status: 'completed', fee_minor: '15000' });
    expect(settled['receipt']).toMatch(/^[A-Z0-9]{10}$/);
    expect(await client.call('collections.receipt', [`${name}-1`])).toMatchObject({
      item: { reference: `${name}-1` },
    });
  });

  it('refuses to take an earlier collection for its own', async () => {
    const other = itemOf(`${name}-1`, '777');
    expect(await client.failure('collections.create', [other])).toMatchObject({
      code: 'different_collection',
      differs: ['amount_minor'],
      existing: { amount_minor: '1000000' },
    });
  });

  it('verifies the webhook that reports it', async () => {
    const webhook = await eventually(
      () => Promise.resolve(received.find(({ body }) => body.includes(`"${name}-1"`))),
      (found) => found !== undefined,
    );
    const request = {
      payload_base64: webhook?.body.toString('base64'),
      headers: webhook?.headers,
      secrets: webhookSecret,
    };
    const data = { reference: `${name}-1`, status: 'completed', amount_minor: '1000000' };
    const event = await driver.request('verify_webhook', request);
    expect(event).toMatchObject({ type: 'collection.completed', data });
    const wrong = { ...request, secrets: 'whsec_other' };
    expect(await factsOf(driver.request('verify_webhook', wrong))).toMatchObject({
      code: 'no_matching_signature',
    });
    const sequence = event['sequence'] as number;
    const [inFeed] = (await client.call('events.all', [sequence - 1], { take: 1 })) as unknown as [
      Json,
    ];
    expect(inFeed).toEqual(event);
  });

  it('pays out by two people', async () => {
    const second = await clientOf(driver, optionsOf(checker));
    const asked = await client.call('payouts.request', [itemOf(`${name}-P`, '10000')]);
    expect(asked).toMatchObject({ status: 'pending_approval' });
    expect(await client.failure('payouts.approve', [`${name}-P`])).toMatchObject({
      code: 'same_holder',
    });
    const repeat = { amount_minor: '10000', phone: '254712345678' };
    await second.call('payouts.approve', [`${name}-P`, repeat]);
    await eventually(
      () => client.call('payouts.get', [`${name}-P`]),
      ({ status }) => status === 'completed',
    );
  });

  it('lists a day whose sums agree with the balance of the same position', async () => {
    for (const number of [2, 3, 4]) await collected(`${name}-${number}`, `${number}00`);
    const { created_at } = await client.call('collections.get', [`${name}-4`]);
    const { accountNo } = service.merchant.credentials;
    const balance = await eventually(
      () => client.call('accounts.balance', [accountNo]),
      ({ reserved_minor }) => reserved_minor === '0',
    );
    const at_position = String(balance['ledger_position']);
    // The suite may run over midnight, so the list begins a day earlier.
    const from = new Date(Date.parse(String(created_at)) - 86_400_000).toISOString().slice(0, 10);
    const filters = { status: 'completed', from, limit: 2 };
    const all = await client.call('transactions.all', [filters], { at_position });
    const items = all as unknown as Record<'type' | 'amount_minor' | 'fee_minor', string>[];
    expect(items.length).toBeGreaterThan(2);
    const sum = items.reduce((total, { type, amount_minor, fee_minor }) => {
      const amount = BigInt(amount_minor);
      return total + (type === 'payout' ? -amount : amount) - BigInt(fee_minor);
    }, 0n);
    expect(sum.toString()).toBe(balance['posted_minor']);
  });
});

describe('the first example of the Python client’s README', () => {
  it('collects money as it is printed, in 15 lines at most', async () => {
    const readme = await readFile(packageDirectory('clients/python/README.md'), 'utf8');
    const [, code = ''] = /^```python\n([\s\S]*?)^```/m.exec(readme) ?? [];
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(15);
    const folder = await mkdtemp(join(tmpdir(), 'pesapost-python-'));
    try {
      const { accountNo } = service.merchant.credentials;
      const { base_url, ...credential } = optionsOf(service.merchant.credentials);
      const v4 = { ...credential, account_no: accountNo, currency: 'KES' };
      await mkdir(join(folder, '.data'));
      await writeFile(join(folder, '.data/demo.json'), JSON.stringify({ base_url, v4 }));
      await writeFile(join(folder, 'collect.py'), code);
      const env = { ...inheritedEnvironment(), PYTHONPATH: packageDirectory('clients/python/src') };
      const options = { cwd: folder, env };
      const { stdout } = await promisify(execFile)('/usr/bin/python3', ['collect.py'], options);
      expect(stdout).toBe('pending\ncompleted 25000\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
