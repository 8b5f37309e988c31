import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { eventually, pesapost, rsaKeys, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { command, installSdk, type InstalledSdk } from './sdk-package.js';

const guide = readFileSync(packageDirectory('docs/how-to/migrate-from-v3-to-v4.md'), 'utf8');
const why = ['--reason', 'test', '--as', 'spec'];

/** The guide's blocks of one language, word for word, in their order. */
function blocks(language: 'sh' | 'ts'): readonly string[] {
  const found = guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...found].map(([, text = '']) => text);
}

let service: Service;
let sdk: InstalledSdk;
/** The values that the reader got, under the guide's names. */
let given: Record<string, string>;
beforeAll(async () => {
  sdk = await installSdk();
  service = await startService();
  const { merchantId, accountNo } = service.merchant.credentials;
  const of = ['--merchant', merchantId, ...why];
  const inFolder = (name: string) => join(sdk.directory, name);
  const v3 = rsaKeys();
  writeFileSync(inFolder('merchant-v3.key'), v3.privateKeyPem);
  writeFileSync(inFolder('merchant-v3.pub'), v3.publicKeyPem);
  const [makeKey = ''] = blocks('sh');
  await command('sh', ['-eu', '-c', makeKey], sdk.directory);

  const issue = (kind: string, ...more: string[]) =>
    pesapost(
      service.env,
      ...['credential', 'issue', '--kind', kind, '--holder', 'reader', ...more, ...of],
    );
  await pesapost(service.env, 'hosts', 'set', '--hosts', 'shop.example', ...of);
  const old = await issue('v3', '--public-key', inFolder('merchant-v3.pub'));
  const demo = ['--mode', 'demo'];
  const key = ['--public-key', inFolder('merchant.pub'), '--ips', '127.0.0.1,::1'];
  const fresh = await issue('v4', ...demo, ...key);
  const checkout = await issue('checkout', ...demo);
  given = {
    BASE_URL: service.baseUrl,
    ACCOUNT_NO: accountNo,
    CONSUMER_KEY: old['consumer_key'] ?? '',
    VID: old['vid'] ?? '',
    V3_CHECKOUT_SECRET: old['checkout_secret'] ?? '',
    CLIENT_ID: fresh['client_id'] ?? '',
    CLIENT_SECRET: fresh['client_secret'] ?? '',
    CHECKOUT_KEY_ID: checkout['checkout_key_id'] ?? '',
    CHECKOUT_SECRET: checkout['checkout_secret'] ?? '',
  };
});
afterAll(async () => {
  await service.stop();
  await sdk.remove();
});

/** The two blocks that the reader fills in contain `NAME=your-…`; everything else stays unchanged. */
const filledIn = (block: string): string =>
  block.replace(/^([A-Z0-9_]+)=(?:your-\S+|http:\S+)$/gm, (_line, name: string) => {
    const value = given[name];
    if (value === undefined) throw new Error(`the guide asks for ${name}`);
    return `${name}='${value}'`;
  });

describe('the migration guide', () => {
  it('leads from V3 to V4 in a shell: V4 returns what V3 collected', async () => {
    const [, ...steps] = blocks('sh').map(filledIn);
    expect(steps.length).toBeGreaterThan(8);
    const follow = async () =>
      command('sh', ['-eu', '-c', steps.join('\n')], sdk.directory).catch(
        (error: unknown) => error,
      );
    // The credentials are valid once the projector has seen them.
    const said = await eventually(follow, (answer) => typeof answer === 'string', { everyMs: 500 });
    const answers = (said as string)
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers).toMatchObject([
      { balance: expect.stringMatching(/^\d+\.\d\d$/) },
      { account_no: given['ACCOUNT_NO'] },
      { status: 'pending', amount: '250.00', ref: expect.stringMatching(/^old-/) },
      { status: 'pending', amount_minor: 25_000, reference: expect.stringMatching(/^new-/) },
      { reference: expect.stringMatching(/^old-/), amount_minor: 25_000 },
      { data: expect.any(Array) },
      { v3_link: 200 },
      { v4_link: 200 },
    ]);
  });

  it('has TypeScript that a strict compiler accepts and that works as described', async () => {
    const check = `
      const before = await balanceByV3();
      const after = await balanceByV4();
      const old = await collectByV3('TS-OLD', '0712345678', '250.00');
      const fresh = await collectByV4('TS-NEW', phoneOf('+254712345678'), minorOf('250.00'));
      const again = await collectByV4('TS-OLD', phoneOf('0712345678'), minorOf('250'));
      const pages = [linkOfV3('TS-LINK-3', '250'), linkOfV4('TS-LINK-4', 25000n, 'https://shop.example/paid?shop=(1)*!')];
      const links = await Promise.all(pages.map(async (link) => (await fetch(link)).status));
      console.log(JSON.stringify({ same: minorOf(before) === after, old, fresh, again: typeof again, state: typeof (await stateByV4('TS-OLD')), links }));`;
    const file = join(sdk.directory, 'guide.ts');
    writeFileSync(file, `${blocks('ts').join('\n')}\n${check}\n`);
    const tsc = packageDirectory('node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', packageDirectory('node_modules/@types')];
    const options = '--noEmit --strict --module nodenext --target es2022 --skipLibCheck'.split(' ');
    const compiled = command(process.execPath, [tsc, ...options, ...types, file], sdk.directory);
    await expect(compiled).resolves.toBe('');

    const run = () =>
      command(process.execPath, [file], sdk.directory, given).catch((error: unknown) => error);
    const printed = await eventually(run, (answer) => typeof answer === 'string', { everyMs: 500 });
    expect(JSON.parse(printed as string)).toEqual({
      same: true,
      old: 'pending',
      fresh: 'pending',
      again: 'string',
      state: 'string',
      links: [200, 200],
    });
  });

  it('ends with the operator’s view: the V3 calls, the V4 credential in use and the links seen', async () => {
    const { merchantId } = service.merchant.credentials;
    interface Found {
      readonly merchants: readonly { readonly calls: readonly { readonly route: string }[] }[];
    }
    const look = () =>
      pesapost(
        service.env,
        'v3',
        'readiness',
        '--merchant',
        merchantId,
      ) as unknown as Promise<Found>;
    const found = await eventually(look, ({ merchants }) => merchants[0]?.calls.length === 3, {
      everyMs: 500,
    });
    expect(found.merchants[0]?.calls.map(({ route }) => route)).toEqual([
      'balance',
      'checkout',
      'collect',
    ]);
    expect(found.merchants).toMatchObject([
      {
        v4_credential: 'in_use',
        checkout_keys: 1,
        sha1_links: [{ movable: 0 }],
        missing: ['sha1_links_still_used', 'v3_still_called'],
      },
    ]);
  });

  it('contains the calendar’s months and limits as the service enforces them', () => {
    for (const row of ['coexist   | 0–6', 'encourage | 3–9', 'restrict  | 9–12', 'retire    | 12–'])
      expect(guide).toContain(row);
    expect(guide).toContain('60 calls a minute per consumer key');
  });
});
