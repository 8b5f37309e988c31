import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#infra/runtime';
import { PesaPost, type WebhookEvent } from '#sdk';
import { eventually, pesapost, type Service } from '#testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dotnetEnvironment, inDotnet } from './csharp.js';
import { type Documents, patience } from './csharp-documents.js';

const examples = packageDirectory('clients/csharp/examples');
const release = ['-c', 'Release'];

export function describeCSharpExamples(documents: Documents): void {
  describe('the examples of the C# client', () => {
    beforeAll(() => inDotnet(examples, ['build', ...release]), patience);
    tasks(documents);
    following(documents);
  });
}

function tasks(documents: Documents): void {
  const { service, inDemoFolder } = documents;
  const example = (...words: string[]) => inDemoFolder((folder) => run(folder, ...words));

  it(
    'collect, and say why a customer did not pay',
    async () => {
      expect(await example('collect')).toMatch(
        /^EXAMPLE-[\w-]+ is pending\ncompleted: KES 250\.00, fee 3\.75, [A-Z0-9]{10}\n$/,
      );
      expect(await example('collect', '254700000002')).toMatch(/ is pending\nfailed: cancelled\n$/);
    },
    patience,
  );

  it(
    'make a checkout link',
    async () => {
      const address = 'https://shop.example/?paid=a+b';
      const link = await inDemoFolder(async (folder) => {
        await addCheckoutKey(service(), folder);
        return run(folder, 'checkout-link', 'LINK-1', '12345', address);
      });
      const page = await fetch(link.trim());
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('123.45');
    },
    patience,
  );

  it(
    'pay out by two people',
    async () => {
      await example('collect');
      expect(await example('pay-out')).toBe(
        'pending_approval\nthe maker may not approve it\ncompleted\n',
      );
    },
    patience,
  );

  it(
    'page a day, and compare its sum with a statement',
    async () => {
      await example('collect');
      const sdk = sdkOf(service());
      const [newest] = (await sdk.transactions.list({ type: 'collection', limit: 1 })).data;
      const day = dayInNairobi(newest?.paid_at ?? '');
      const filters = { type: 'collection', status: 'completed', date_field: 'paid_at' } as const;
      const all = await Array.fromAsync(sdk.transactions.all({ ...filters, from: day, to: day }));
      const sum = all.reduce((total, { amount_minor }) => total + amount_minor, 0n);
      const fees = all.reduce((total, { fee_minor }) => total + fee_minor, 0n);
      const printed = await example('reconcile', day, shillings(sum + 100n));
      expect(printed).toMatch(
        new RegExp(`^${all.length} completed, KES ${shillings(sum)}, fees ${shillings(fees)}\n`),
      );
      expect(printed).toContain('the statement has KES 1.00 more\n');
    },
    patience,
  );
}

function following({ service, inDemoFolder }: Documents): void {
  it(
    'receive webhooks, and repair a gap',
    async () => {
      const sdk = sdkOf(service());
      const { accountNo } = service().merchant.credentials;
      const pay = async (after: number, ...references: string[]) => {
        const money = { amount_minor: 10_000, currency: 'KES', channel: 'mpesa' } as const;
        const order = { account_no: accountNo, phone: '254712345678', ...money };
        for (const reference of references) await sdk.collections.create({ ...order, reference });
        return eventually(
          () => Array.fromAsync(sdk.events.all({ afterSequence: after })),
          (all) => references.every((each) => all.some(({ data }) => data.reference === each)),
        );
      };
      const known = (await pay(0, 'FOLLOWED-1')).length;
      await inDemoFolder(async (folder) => {
        await writeFile(join(folder, 'last-sequence.txt'), String(known - 1));
        await whileFollowing(folder, async (url, nextLine) => {
          expect(await nextLine()).toBe(`${known} collection.completed: FOLLOWED-1, 10000 minor`);
          const later = await pay(known, 'FOLLOWED-2', 'FOLLOWED-3');
          const [, last] = later;
          expect(last && (await deliver(url, 'whsec_2', last))).toBe(400);
          expect(last && (await deliver(url, 'whsec_1', last))).toBe(204);
          expect(await nextLine()).toBe(`gap: ${known + 1} to ${known + 1}`);
          for (const { sequence, data } of later)
            expect(await nextLine()).toBe(
              `${sequence} collection.completed: ${data.reference}, 10000 minor`,
            );
          expect(last && (await deliver(url, 'whsec_1', last))).toBe(204);
          const state = await readFile(join(folder, 'last-sequence.txt'), 'utf8');
          expect(state).toBe(String(known + 2));
        });
        return '';
      });
    },
    patience,
  );
}

const wordsOf = (...words: string[]) => [
  ...['run', '--project', examples, '--no-build', ...release],
  ...['--', ...words],
];

/** Runs an example in a folder as its guide says. */
function run(folder: string, ...words: string[]): Promise<string> {
  return inDotnet(folder, wordsOf(...words));
}

/** Starts the example that listens, and gives its address and its output to the test. */
async function whileFollowing(
  folder: string,
  use: (url: string, nextLine: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const follower = spawn('dotnet', wordsOf('follow-events'), {
    cwd: folder,
    env: { ...dotnetEnvironment, PORT: '0', WEBHOOK_SECRET: 'whsec_1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    const url = (await nextLine()).replace('listening on ', '');
    await use(`${url}/webhooks`, nextLine);
  } finally {
    follower.kill();
    await once(follower, 'exit');
  }
}

/** Adds the key of checkout links to the demo merchant's file, as `npm start` does, and lists its shop. */
async function addCheckoutKey({ env, merchant }: Service, folder: string): Promise<void> {
  const of = ['--merchant', merchant.credentials.merchantId, '--reason', 'test', '--as', 'spec'];
  await pesapost(env, 'hosts', 'set', '--hosts', 'shop.example', ...of);
  const kind = ['--kind', 'checkout', '--mode', 'demo', '--holder', 'shop'];
  const { checkout_key_id, checkout_secret } = await pesapost(
    env,
    ...['credential', 'issue', ...kind, ...of],
  );
  const file = join(folder, '.data/demo.json');
  const demo = JSON.parse(await readFile(file, 'utf8')) as { v4: object };
  const v4 = { ...demo.v4, checkout_key_id, checkout_secret };
  await writeFile(file, JSON.stringify({ ...demo, v4 }));
}

function sdkOf({ baseUrl, merchant }: Service): PesaPost {
  const { clientId, clientSecret, privateKeyPem: privateKey } = merchant.credentials;
  return new PesaPost({ baseUrl, clientId, clientSecret, privateKey });
}

async function deliver(url: string, secret: string, event: WebhookEvent): Promise<number> {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const body = JSON.stringify(event, (_name, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  const hmac = createHmac('sha256', secret).update(`${event.id}.${timestamp}.${body}`);
  const headers = {
    'PesaPost-Signature': `v4=${hmac.digest('hex')}`,
    'PesaPost-Event-Id': event.id,
    'PesaPost-Timestamp': timestamp,
  };
  const signal = AbortSignal.timeout(60_000);
  return (await fetch(url, { method: 'POST', headers, body, signal })).status;
}

/** The merchant's default time zone. */
function dayInNairobi(instant: string): string {
  return new Date(Date.parse(instant) + 3 * 3_600_000).toISOString().slice(0, 10);
}

function shillings(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
}
