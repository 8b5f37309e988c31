import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#infra/runtime';
import { PesaPost } from '#sdk';
import { eventually, issueCredential, pesapost, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { guideOfJava } from './java-guide.js';
import { inJava, javaClient, startInJava } from './java.js';

jest.setTimeout(180_000);

let service: Service;
let client: PesaPost;
/** A folder with the demo merchant's file, as the README expects a checkout to be. */
let checkout: string;
/** The environment variables of the examples. */
let settings: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  const { baseUrl } = service;
  const { merchantId, accountNo, ...maker } = service.merchant.credentials;
  const checker = await issueCredential(service.env, merchantId, 'the checker');
  const why = ['--merchant', merchantId, '--reason', 'test', '--as', 'spec'];
  await pesapost(service.env, 'hosts', 'set', '--hosts', 'shop.example', ...why);
  const kind = ['--kind', 'checkout', '--holder', 'shop', '--mode', 'demo'];
  const key = await pesapost(service.env, 'credential', 'issue', ...kind, ...why);
  client = new PesaPost({ baseUrl, ...maker, privateKey: maker.privateKeyPem });
  settings = {
    PESAPOST_URL: baseUrl,
    PESAPOST_ACCOUNT_NO: accountNo,
    ...settingsOf('PESAPOST_', maker),
    ...settingsOf('PESAPOST_CHECKER_', checker),
    PESAPOST_CHECKOUT_KEY_ID: key['checkout_key_id'] ?? '',
    PESAPOST_CHECKOUT_SECRET: key['checkout_secret'] ?? '',
    PESAPOST_WEBHOOK_SECRET: 'whsec_2,whsec_1',
  };
  checkout = await mkdtemp(join(tmpdir(), 'pesapost-java-'));
  await mkdir(join(checkout, '.data'));
  const v4 = {
    client_id: maker.clientId,
    client_secret: maker.clientSecret,
    private_key_pem: maker.privateKeyPem,
    account_no: accountNo,
  };
  await writeFile(join(checkout, '.data/demo.json'), JSON.stringify({ base_url: baseUrl, v4 }));
  await symlink(packageDirectory('clients'), join(checkout, 'clients'));
});
afterAll(async () => {
  await rm(checkout, { recursive: true, force: true });
  await service.stop();
});

function settingsOf(
  prefix: string,
  credential: { clientId: string; clientSecret: string; privateKeyPem: string },
): Record<string, string> {
  return {
    [`${prefix}CLIENT_ID`]: credential.clientId,
    [`${prefix}CLIENT_SECRET`]: credential.clientSecret,
    // As in a file of environment variables, which has one line for each.
    [`${prefix}PRIVATE_KEY`]: credential.privateKeyPem.replaceAll('\n', String.raw`\n`),
  };
}

async function blocksOf(file: string, language: string): Promise<string[]> {
  const text = await readFile(packageDirectory(file), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'));
  return [...blocks].map(([, block = '']) => block);
}

async function collected(reference: string) {
  await client.collections.create({
    account_no: service.merchant.credentials.accountNo,
    phone: '254712345678',
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference,
  });
  return client.collections.waitUntilSettled(reference);
}

describe('the documents of the Java client', () => {
  it('collect money by the README’s first example and commands as they are printed, in 15 lines', async () => {
    const [code = ''] = await blocksOf('clients/java/README.md', 'java');
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(15);
    const [commands = ''] = await blocksOf('clients/java/README.md', 'sh');
    await writeFile(join(checkout, 'Collect.java'), code);
    const printed = await inJava(checkout, 'sh', ['-eu', '-c', commands]);
    expect(printed).toBe('pending\ncompleted 25000\n');
  });

  it('have a guide whose examples run as they are printed', async () => {
    const guide = 'docs/how-to/integrate-from-java.md';
    const [errors = '', payments = '', webhooks = '', controller = ''] = await blocksOf(
      guide,
      'java',
    );
    await writeFile(join(checkout, 'Guide.java'), guideOfJava([errors, payments, webhooks]));
    const printed = await inJava(checkout, 'java', ['-cp', javaClient, 'Guide.java'], settings);
    expect(printed).toMatch(
      /^not what was asked for: \[amount_minor\]\n0\n\d+\ncollection\.completed INV-3001\n204\n400\n$/,
    );
    const file = packageDirectory('clients/java/examples/spring/PaymentWebhooks.java');
    expect((await readFile(file, 'utf8')).replaceAll(/^ {4}/gm, '')).toContain(controller);
  });
});

describe('the examples of the Java client', () => {
  let path: string;
  beforeAll(async () => {
    const classes = join(checkout, 'examples');
    path = [javaClient, classes].join(delimiter);
    const folder = packageDirectory('clients/java/examples');
    const files = (await readdir(folder)).filter((file) => file.endsWith('.java'));
    expect(files.sort().map((file) => file.replace('.java', ''))).toEqual([
      'CheckoutLink',
      'CollectAndWait',
      'Demo',
      'FollowEvents',
      'PayOut',
      'Reconcile',
    ]);
    const words = ['-Xlint:all', '-Werror', '--release', '17', '-cp', javaClient, '-d', classes];
    await inJava(folder, 'javac', [...words, ...files]);
  });

  const run = (name: string, ...words: string[]) =>
    inJava(checkout, 'java', ['-cp', path, name, ...words], settings);

  it('collect and wait', async () => {
    expect(await run('CollectAndWait')).toBe('completed: 25000, fee 375\n');
    expect(await run('CollectAndWait', '254700000002')).toBe('failed: cancelled\n');
  });

  it('make a link to the checkout page', async () => {
    const link = await run('CheckoutLink', 'https://shop.example/thanks?to=~you*');
    // The key is valid once the projector has seen it.
    const page = await eventually(
      () => fetch(link.trim()),
      ({ status }) => status === 200,
    );
    expect(await page.text()).toContain('250');
  });

  it('pay out by two people', async () => {
    await collected('PAID-OUT');
    expect(await run('PayOut')).toBe('pending_approval\nrefused: same_holder\npending\n');
  });

  it('page a day and compare its sums', async () => {
    const { paid_at } = await collected('SUMMED');
    // Kenya is three hours ahead.
    const day = new Date(Date.parse(paid_at ?? '') + 3 * 3_600_000).toISOString().slice(0, 10);
    const filters = { type: 'collection', status: 'completed', from: day, to: day } as const;
    const listed = () => client.transactions.all({ ...filters, date_field: 'paid_at' });
    let [amounts, fees] = [0n, 0n];
    await eventually(
      async () => {
        [amounts, fees] = [0n, 0n];
        const references = [];
        for await (const { reference, amount_minor, fee_minor } of listed()) {
          amounts += amount_minor;
          fees += fee_minor;
          references.push(reference);
        }
        return references;
      },
      (references) => references.includes('SUMMED'),
    );
    const agreed = await run('Reconcile', day, amounts.toString(), fees.toString());
    expect(agreed).toBe(`amounts agree: ${amounts}\nfees agree: ${fees}\n`);
    const differing = await run('Reconcile', day, (amounts + 500n).toString(), fees.toString());
    expect(differing).toBe(`amounts differ by -500\nfees agree: ${fees}\n`);
  });

  it('receive webhooks and repair a gap', async () => {
    await collected('BEFORE');
    const sequenceOf = async (reference: string) => {
      for await (const { sequence, data } of client.events.all())
        if (data.reference === reference) return sequence;
      return 0;
    };
    const before = await eventually(() => sequenceOf('BEFORE'), Boolean);
    const words = ['-cp', path, 'FollowEvents', '0', String(before - 1)];
    const follower = startInJava('java', words, settings);
    try {
      const lines: string[] = [];
      createInterface({ input: follower.stdout }).on('line', (line) => lines.push(line));
      const listening = /^listening on (\d+)$/;
      const port = await eventually(
        () => Promise.resolve(listening.exec(lines.at(-1) ?? '')?.[1] ?? ''),
        Boolean,
      );
      await collected('LOST');
      await collected('DELIVERED');
      const newest = await eventually(() => sequenceOf('DELIVERED'), Boolean);
      const answers = [await deliver(port, newest), await deliver(port, newest)];
      expect(answers).toEqual([204, 204]);
      const handled = [];
      for await (const event of client.events.all({ afterSequence: before - 1 }))
        if (event.sequence <= newest)
          handled.push(`${event.sequence} ${event.type} ${event.data.reference}`);
      const printed = await eventually(
        () => Promise.resolve(lines.filter((line) => /^\d/.test(line))),
        ({ length }) => length >= handled.length,
      );
      expect(printed.slice(0, handled.length)).toEqual(handled);
      expect(lines.filter((line) => line.startsWith('gap: '))).toHaveLength(1);
    } finally {
      follower.kill('SIGKILL');
    }
  });
});

/** Delivers an event that is signed with the second secret. @returns the status of the answer */
async function deliver(port: string, sequence: number): Promise<number> {
  const data = { reference: 'DELIVERED' };
  const body = JSON.stringify({ id: 'e-1', type: 'collection.completed', sequence, data });
  const now = String(Math.floor(Date.now() / 1000));
  const code = createHmac('sha256', 'whsec_1').update(`e-1.${now}.${body}`).digest('hex');
  const headers = {
    'PesaPost-Event-Id': 'e-1',
    'PesaPost-Timestamp': now,
    'PesaPost-Signature': `v4=${code}`,
  };
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: 'POST',
    headers,
    body,
  });
  return answer.status;
}
