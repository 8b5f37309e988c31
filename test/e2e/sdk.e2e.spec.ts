import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#infra/runtime';
import { errorKinds, PesaPost, PesaPostError, type WebhookEvent } from '#sdk';
import {
  eventually,
  inheritedEnvironment,
  issueCredential,
  type Service,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errors } from '../../libs/edges/api-v4/src/errors.js';
import { command, installSdk, type InstalledSdk, oldestNode } from './sdk-package.js';

let service: Service;
let sdk: InstalledSdk;
let client: PesaPost;
beforeAll(async () => {
  sdk = await installSdk();
  service = await startService();
  const { merchantId, accountNo, clientId, clientSecret, privateKeyPem } =
    service.merchant.credentials;
  const checker = await issueCredential(service.env, merchantId, 'the checker');
  const { baseUrl } = service;
  client = new PesaPost({ baseUrl, clientId, clientSecret, privateKey: privateKeyPem });
  const v4 = {
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: privateKeyPem,
    account_no: accountNo,
    currency: 'KES',
  };
  const v4_checker = {
    client_id: checker.clientId,
    client_secret: checker.clientSecret,
    private_key_pem: checker.privateKeyPem,
  };
  writeFileSync(
    join(sdk.directory, 'demo.json'),
    JSON.stringify({ base_url: baseUrl, v4, v4_checker }),
  );
});
afterAll(async () => {
  await service.stop();
  await sdk.remove();
});

const collectionOf = (reference: string) =>
  ({
    account_no: service.merchant.credentials.accountNo,
    phone: '254712345678',
    amount_minor: 10_000n,
    currency: 'KES',
    channel: 'mpesa',
    reference,
  }) as const;

describe('the published package', () => {
  it('contains only its build, readme and licence', () => {
    const others = sdk.packed.filter((path) => !/^dist\/[a-z/-]+\.(d\.ts|js)$/.test(path));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
    for (const folder of ['dist', 'dist/cjs'])
      for (const file of ['index.js', 'index.d.ts'])
        expect(sdk.packed).toContain(`${folder}/${file}`);
    expect(sdk.packed.filter((path) => path.includes('spec'))).toEqual([]);
  });

  it('imports nothing but itself, so that any runtime with web standards runs it', () => {
    const installed = join(sdk.directory, 'node_modules/@pesapost/sdk');
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    for (const path of sdk.packed.filter((file) => /\.(js|d\.ts)$/.test(file))) {
      const text = readFileSync(join(installed, path), 'utf8');
      const imported = [...text.matchAll(/(?:from|(?:import|require)\()\s*['"]([^'"]+)['"]/g)];
      expect(imported.filter(([, name]) => !/^\.{1,2}\/.*\.js$/.test(name ?? ''))).toEqual([]);
      expect(text).not.toMatch(/\b(?:Buffer|process)\b[.(]/);
      if (!path.startsWith('dist/cjs/')) expect(text).not.toMatch(/\brequire\(/);
    }
  });

  it('runs on Node 20 if that is installed', async () => {
    const node = oldestNode();
    const script = `
      import { PesaPost, PesaPostError } from '@pesapost/sdk';
      import { readFileSync } from 'node:fs';
      const { base_url: baseUrl, v4 } = JSON.parse(readFileSync('demo.json', 'utf8'));
      const credential = { clientId: v4.client_id, clientSecret: v4.client_secret, privateKey: v4.private_key_pem };
      const client = new PesaPost({ baseUrl, ...credential });
      await client.accounts.balance(v4.account_no);
      // More than a number holds: this version's JSON.parse does not show a reviver the digits.
      const answer = '{"access_token":"x","expires_in":3600,"posted_minor":9007199254740993}';
      const rich = new PesaPost({ baseUrl, ...credential, fetch: async () => new Response(answer) });
      const balance = await rich.accounts.balance(v4.account_no);
      const missing = await client.collections.get('NONE').catch((error) => error);
      console.log(balance.posted_minor.toString(), missing instanceof PesaPostError && missing.code);`;
    const printed = await command(node, ['--input-type=module', '-e', script], sdk.directory);
    expect(printed).toBe('9007199254740993 not_found\n');
  });

  it('type-checks in a strict project without Node types', async () => {
    const check = `
      import { PesaPost, PesaPostError, type Transaction } from '@pesapost/sdk';
      export async function first(client: PesaPost): Promise<bigint | undefined> {
        try {
          for await (const item of client.transactions.all()) return (item satisfies Transaction).amount_minor;
        } catch (error) {
          if (error instanceof PesaPostError && error.code === 'timeout') return BigInt(error.timeoutMs);
        }
        return undefined;
      }`;
    writeFileSync(join(sdk.directory, 'check.ts'), check);
    const tsc = packageDirectory('node_modules/typescript/bin/tsc');
    const options = '--noEmit --strict --module nodenext --target es2022'.split(' ');
    const words = [tsc, ...options, 'check.ts'];
    await expect(command(process.execPath, words, sdk.directory)).resolves.toBe('');
  });
});

describe('the examples, run as a reader runs them', () => {
  const example = (...words: string[]) =>
    command(process.execPath, words, sdk.directory, { DEMO_JSON: 'demo.json' });

  it('are all run here', () => {
    const files = readdirSync(sdk.directory).filter((file) => file.endsWith('.ts'));
    expect(files.filter((file) => file !== 'check.ts').sort()).toEqual([
      'collect.ts',
      'demo-client.ts',
      'follow-events.ts',
      'handle-errors.ts',
      'pay-from-csv.ts',
      'payouts-csv.ts',
      'receive-webhooks.ts',
      'reconcile.ts',
    ]);
  });

  it('collect money', async () => {
    const printed = await example('collect.ts');
    expect(printed).toMatch(/^EXAMPLE-\d+ is pending\n/);
    expect(printed).toMatch(/is completed: 25000, fee 375, receipt [A-Z0-9]{10}\n/);
    expect(printed).toMatch(/balance of \d+: \d+ KES minor\n$/);
  });

  it('say why a customer did not pay', async () => {
    expect(await example('collect.ts', '254700000002')).toContain('is failed: cancelled');
  });

  it('sum a day', async () => {
    const { credentials } = service.merchant;
    const created = await client.collections.create(collectionOf('SUMMED-1'));
    expect(created.status).toBe('pending');
    const { created_at } = await client.collections.waitUntilSettled('SUMMED-1');
    const day = dayInNairobi(created_at);
    const printed = await eventually(
      () => example('reconcile.ts', day),
      (text) => !text.includes(': 0 completed'),
    );
    const [, items, amount, fees] =
      /: (\d+) completed, amount (\d+), fees (\d+)\n$/.exec(printed) ?? [];
    expect(Number(items)).toBeGreaterThan(0);
    const balance = await client.accounts.balance(credentials.accountNo);
    expect(BigInt(amount ?? '') - BigInt(fees ?? '')).toBe(balance.posted_minor);
  });

  it('pay out from a CSV file, by two people', async () => {
    const rows = ['reference,name,phone,amount', 'CSV-1,"Otieno, A",254712345678,12.5'];
    const csv = [...rows, '"CSV-2",Joseph,"254712345679","1"', ''].join('\r\n');
    writeFileSync(join(sdk.directory, 'salaries.csv'), csv);
    const asked = await example('pay-from-csv.ts', 'salaries.csv', 'CSV');
    expect(asked).toBe('CSV is pending_approval: 2 payouts\n');
    // The checker reads the list, which may be a moment behind.
    await eventually(
      () => client.payoutBatches.get('CSV'),
      ({ by_status }) => by_status.pending_approval.count === 2,
    );
    expect(await example('pay-from-csv.ts', '--approve', 'salaries.csv', 'CSV')).toBe(
      'CSV is pending: 2 payouts, 1350\n',
    );
    await eventually(
      () => client.payoutBatches.get('CSV'),
      ({ by_status }) => by_status.completed.count === 2,
    );
    const again = client.payoutBatches.create({
      reference: 'CSV',
      account_no: service.merchant.credentials.accountNo,
      currency: 'KES',
      channel: 'mpesa',
      items: [{ reference: 'CSV-1', phone: '254712345678', amount_minor: 1250n }],
    });
    await expect(again).rejects.toMatchObject({
      code: 'different_payout_batch',
      differs: ['items'],
      existing: { count: 2, amount_minor: 1350n },
    });
  });

  it.each([
    ['254700000011', /^EXAMPLE-\d+ has failed: the rail refused the push\n$/],
    ['12345', /^correct the input: phone /],
  ])('distinguish errors: %s', async (phone, says) => {
    expect(await example('handle-errors.ts', phone)).toMatch(says);
  });

  /** Starts an example that listens, and gives its address and its output to the test. */
  async function whileListening(
    file: string,
    use: (url: string, nextLine: () => Promise<string>) => Promise<void>,
  ): Promise<void> {
    const receiver = spawn(process.execPath, [file], {
      cwd: sdk.directory,
      env: {
        ...inheritedEnvironment(),
        PORT: '0',
        WEBHOOK_SECRET: 'whsec_1',
        DEMO_JSON: 'demo.json',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
      const nextLine = async () => String((await lines.next()).value);
      const port = (await nextLine()).replace('listening on ', '');
      await use(`http://127.0.0.1:${port}`, nextLine);
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
    }
  }

  it('receive webhooks, each event once, and reject webhooks that are not genuine', () =>
    whileListening('receive-webhooks.ts', async (url, nextLine) => {
      const item = await client.collections.get('SUMMED-1');
      const event = { id: 'event-1', type: 'collection.completed', sequence: 1, data: item };
      expect(await deliver(url, 'whsec_1', event)).toBe(204);
      expect(await nextLine()).toBe('collection.completed: SUMMED-1, 10000 minor');
      expect(await deliver(url, 'whsec_1', event)).toBe(204);
      expect(await deliver(url, 'whsec_2', event)).toBe(400);
      expect(await nextLine()).toBe('refused: no_matching_signature');
    }));

  it('handle each event once and in order, even if webhooks are lost or repeated', async () => {
    const events = () => Array.fromAsync(client.events.all({ limit: 3 }));
    const lineOf = ({ sequence, type, data }: WebhookEvent) =>
      `${sequence} ${type}: ${data.reference}, ${data.amount_minor} minor`;
    const pay = async (...references: string[]) => {
      for (const reference of references) await client.collections.create(collectionOf(reference));
      return eventually(events, (all) =>
        references.every((each) => all.some(({ data }) => data.reference === each)),
      );
    };
    const earlier = await pay('FOLLOWED-1');
    let later: WebhookEvent[] = [];
    await whileListening('follow-events.ts', async (url, nextLine) => {
      for (const event of earlier) expect(await nextLine()).toBe(lineOf(event));
      later = (await pay('FOLLOWED-2', 'FOLLOWED-3')).slice(earlier.length);
      const [, last] = later;
      expect(later).toHaveLength(2);
      expect(last && (await deliver(url, 'whsec_1', last))).toBe(204);
      expect(await nextLine()).toBe(`gap: ${earlier.length + 1} to ${earlier.length + 1}`);
      for (const event of later) expect(await nextLine()).toBe(lineOf(event));
      for (const event of later) expect(await deliver(url, 'whsec_1', event)).toBe(204);
      const [next] = (await pay('FOLLOWED-4')).slice(-1);
      expect(next && (await deliver(url, 'whsec_1', next))).toBe(204);
      expect(next && (await nextLine())).toBe(next && lineOf(next));
    });
    const [newest] = (await pay('FOLLOWED-5')).slice(-1);
    await whileListening('follow-events.ts', async (_url, nextLine) => {
      expect(await nextLine()).toBe(newest && lineOf(newest));
    });
  });
});

describe('the guide', () => {
  it('runs as printed, one piece after the other', async () => {
    const guide = readFileSync(packageDirectory('docs/how-to/integrate-with-the-sdk.md'), 'utf8');
    const [upToWebhooks = ''] = guide.split('## 6. Receive webhooks');
    const pieces = [...upToWebhooks.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code);
    expect(pieces).toHaveLength(4);
    writeFileSync(join(sdk.directory, 'guide.ts'), pieces.join('\n'));
    try {
      const printed = await command(process.execPath, ['guide.ts'], sdk.directory);
      expect(printed).toMatch(
        /^pending completed 25000n\nnot what was asked for: \[ 'amount_minor' \]\ntotal \d+n\n$/,
      );
    } finally {
      rmSync(join(sdk.directory, 'guide.ts'));
    }
  });
});

describe('the client against the service', () => {
  it('knows every code that the service has', () => {
    const codes = Object.values(errors).map(({ code }) => code as string);
    expect(codes.filter((code) => !Object.hasOwn(errorKinds, code))).toEqual([]);
  });

  it('retries a call under its key without a second push', async () => {
    const collection = collectionOf('REPEATED-1');
    const options = { idempotencyKey: 'repeated-1' };
    const first = await client.collections.create(collection, options);
    const second = await client.collections.create(collection, options);
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second).toMatchObject({ reference: 'REPEATED-1', amount_minor: 10_000n });
  });

  it('iterates over all pages, each item once', async () => {
    const references = Array.from({ length: 7 }, (_, index) => `PAGED/${index + 1}`);
    for (const reference of references) await client.collections.create(collectionOf(reference));
    await Promise.all(references.map((each) => client.collections.waitUntilSettled(each)));
    const walk = async () => {
      const seen: string[] = [];
      for await (const { reference } of client.transactions.all({ limit: 2 })) seen.push(reference);
      return seen;
    };
    const seen = await eventually(walk, (list) => references.every((each) => list.includes(each)));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((each) => each.startsWith('PAGED/'))).toEqual(references.toReversed());
  });

  it('returns the service’s own detail about a bad field', async () => {
    const bad = client.collections.create({ ...collectionOf('BAD-1'), currency: 'XXX' });
    const error: unknown = await bad.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PesaPostError);
    expect(error).toMatchObject({ code: 'invalid_currency', status: 400, kind: 'request' });
    expect((error as PesaPostError & { detail: string }).detail).toMatch(/currency/);
  });

  it('continues under a new token if its own was revoked or the clock hid its end', async () => {
    const { clientId, clientSecret, privateKeyPem } = service.merchant.credentials;
    let forged = 0;
    const forgetful = new PesaPost({
      baseUrl: service.baseUrl,
      clientId,
      clientSecret,
      privateKey: privateKeyPem,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (!url.endsWith('/oauth/token') || forged > 0) return answer;
        forged += 1;
        return Response.json({ access_token: 'unknown', token_type: 'Bearer', expires_in: 3600 });
      },
    });
    await expect(forgetful.transactions.list()).resolves.toHaveProperty('data');
    expect(forged).toBe(1);
  });
});

async function deliver(
  url: string,
  secret: string,
  event: Pick<WebhookEvent, 'id'> & object,
): Promise<number> {
  const { id } = event;
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const json = (_name: string, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value;
  const body = JSON.stringify(event, json);
  const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('hex');
  const headers = {
    'PesaPost-Signature': `v4=${hmac}`,
    'PesaPost-Event-Id': id,
    'PesaPost-Timestamp': timestamp,
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(60_000),
  });
  return response.status;
}

/** The merchant's default time zone. */
function dayInNairobi(instant: string): string {
  return new Date(Date.parse(instant) + 3 * 3_600_000).toISOString().slice(0, 10);
}
