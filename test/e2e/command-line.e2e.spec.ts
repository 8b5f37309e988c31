import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import {
  rsaKeys,
  throwAwayDatabase,
  type ThrowAwayDatabase,
  type CommandOutcome,
  startCommandLine,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let records: ThrowAwayDatabase;
let directory: string;
beforeAll(async () => {
  records = await throwAwayDatabase();
  directory = await mkdtemp(join(tmpdir(), 'pesapost-cli-'));
});
afterAll(async () => {
  await records.drop();
  await rm(directory, { recursive: true });
});

const pesapost = (words: readonly string[], env = servers()): Promise<CommandOutcome> =>
  startCommandLine(env, words);

const servers = (): Record<string, string> => ({
  EVENTSTORE_URL: process.env['EVENTSTORE_URL'] ?? '',
  DATABASE_URL: records.url,
  MASTER_KEY: process.env['MASTER_KEY'] ?? '',
  DATA_DIR: directory,
});

const why = ['--reason', 'spec'];
const json = (ended: CommandOutcome): Record<string, string> =>
  JSON.parse(ended.stdout) as Record<string, string>;

async function publicKeyFile(modulusLength: number, name: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, rsaKeys(modulusLength).publicKeyPem);
  return file;
}

describe('npx pesapost', () => {
  it('onboards a merchant: account of ten digits, credential whose secret is shown once', async () => {
    const created = await pesapost(['merchant', 'create', '--name', 'Duka', ...why, '--json']);
    expect(created.code).toBe(0);
    const merchant = json(created)['merchant_id'] ?? '';
    const of = ['--merchant', merchant, '--mode', 'demo', ...why];

    const account = await pesapost(['account', 'open', '--currency', 'KES', ...of, '--json']);
    expect(json(account)['account_no']).toMatch(/^[1-9]\d{9}$/);

    const key = await publicKeyFile(2048, 'good.pem');
    const issue = [
      'credential',
      'issue',
      '--kind',
      'v4',
      '--holder',
      'till',
      '--ips',
      '10.0.0.0/8',
    ];
    const issued = await pesapost([...issue, '--public-key', key, ...of, '--json']);
    expect(json(issued)['client_secret']).toMatch(/^[\w-]{43}$/);

    const again = await pesapost([...issue, '--public-key', key, ...of]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('another credential has this public key');

    const small = await publicKeyFile(1024, 'small.pem');
    const refused = await pesapost([...issue, '--public-key', small, ...of]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('smaller than 2048 bits');

    const revoke = ['credential', 'revoke', json(issued)['credential_id'] ?? ''];
    expect(await pesapost([...revoke, '--merchant', merchant, ...why])).toMatchObject({ code: 0 });
    const secrets = await records.database.query('select 1 from records.client_secrets');
    expect(secrets).toEqual([]);

    expect(await pesapost(['fee', 'set', '--basis-points', '150', ...of])).toMatchObject({
      code: 0,
    });
  });

  it('accepts a short key for V3 with a warning, and sets a V4 credential’s list of addresses', async () => {
    const created = await pesapost(['merchant', 'create', '--name', 'Kibanda', ...why, '--json']);
    const of = ['--merchant', json(created)['merchant_id'] ?? '', ...why];
    const issue = ['credential', 'issue', '--holder', 'till', ...of, '--json', '--public-key'];

    const short = await publicKeyFile(1024, 'short.pem');
    const v3 = await pesapost([...issue, short, '--kind', 'v3']);
    expect([v3.code, v3.stderr]).toEqual([0, expect.stringMatching(/warning: .* has 1024 bits/)]);

    const key = await publicKeyFile(2048, 'v4.pem');
    const v4 = ['--kind', 'v4', '--mode', 'demo', '--ips', '10.0.0.0/8'];
    const credentialId = json(await pesapost([...issue, key, ...v4]))['credential_id'] ?? '';
    const set = ['ip-list', 'set', '--ips', '203.0.113.7', ...of, '--credential'];
    expect(await pesapost([...set, credentialId])).toMatchObject({ code: 0 });
    const kept = await records.database.query(
      'select ip_ranges from records.client_secrets where credential_id = $1',
      [credentialId],
    );
    expect(kept).toEqual([{ ip_ranges: ['203.0.113.7'] }]);

    const everybody = set.with(3, '0.0.0.0/1,128.0.0.0/1');
    expect(await pesapost([...everybody, credentialId])).toMatchObject({ code: 0 });

    // A live credential needs two admins, and this log has none: the first person alone issues nothing permanent.
    const liveKey = await publicKeyFile(2048, 'v4-live.pem');
    const live = await pesapost([...issue, liveKey, ...v4.with(3, 'live')]);
    expect([live.code, live.stderr]).toEqual([1, expect.stringContaining('role first-admins')]);

    const nobodys = await pesapost([...set, 'nobody']);
    expect([nobodys.code, nobodys.stderr]).toEqual([
      1,
      expect.stringContaining('has no V4 credential'),
    ]);
  });

  it('issues a credential with an end, and moves that end; an invalid end writes nothing', async () => {
    const created = await pesapost(['merchant', 'create', '--name', 'Soko', ...why, '--json']);
    const of = ['--merchant', json(created)['merchant_id'] ?? '', ...why, '--json'];
    const issue = [
      'credential',
      'issue',
      '--kind',
      'checkout',
      '--mode',
      'demo',
      '--holder',
      'shop',
    ];
    const issued = await pesapost([...issue, ...of, '--expires', '90d']);
    const id = json(issued)['credential_id'] ?? '';
    const set = ['credential', 'expiry', 'set', id, ...of, '--expires'];
    const kept = async () => {
      const [row] = await records.database.query<{ readonly end: Date | null }>(
        'select expires_at as "end" from records.credential_ends where credential_id = $1',
        [id],
      );
      return row && (row.end?.toISOString() ?? null);
    };

    const atIssue = await kept();
    expect(atIssue).toMatch(/T00:00:00\.000Z$/);
    const past = ['2020-01-01', new Date().toISOString().slice(0, '2026-11-21'.length)];
    for (const end of [...past, '3700d', '9999-12-31']) {
      const refused = await pesapost([...set, end]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${end} is `)]);
    }
    for (const end of ['2027-02-29', 'soon', '0d', '']) {
      const unread = await pesapost([...set, end]);
      expect([unread.code, unread.stderr]).toEqual([2, expect.stringContaining('must be a day')]);
      const unissued = await pesapost([...issue, ...of, '--expires', end]);
      expect(unissued.code).toBe(2);
    }
    expect((await pesapost([...issue, ...of, '--expires', 'none'])).code).toBe(2);
    expect(await kept()).toBe(atIssue);

    expect(await pesapost([...set, '30d'])).toMatchObject({ code: 0 });
    expect(Date.parse((await kept()) ?? '')).toBeLessThan(Date.parse(atIssue ?? ''));
    // In demo mode one person moves it to a later day as well.
    expect(await pesapost([...set, 'none'])).toMatchObject({ code: 0 });
    expect(await kept()).toBeNull();
    const unknown = await pesapost(set.with(3, 'nobody').concat('30d'));
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('has no credential nobody that is in use'),
    ]);
  });

  it('sets a webhook endpoint: its secret is shown once, and rotated beside the old one', async () => {
    const created = await pesapost(['merchant', 'create', '--name', 'Soko', ...why, '--json']);
    const merchant = json(created)['merchant_id'] ?? '';
    const of = ['--merchant', merchant, '--mode', 'demo', ...why, '--json'];
    const set = (url: string) => pesapost(['webhook', 'set', '--url', url, '--standard', ...of]);

    const early = await pesapost(['webhook', 'rotate', ...of]);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('webhook set')]);
    const secret = json(await set('https://shop.example/w'));
    expect(secret['webhook_secret']).toMatch(/^[\w-]{43}$/);
    const base64 = Buffer.from(secret['webhook_secret'] ?? '').toString('base64');
    expect(secret['standard_secret']).toBe(`whsec_${base64}`);
    expect(await set('https://shop.example/moved')).toMatchObject({
      code: 0,
      stdout: '{}\n',
      stderr: expect.stringContaining(`webhook rotate --merchant ${merchant} --mode demo`),
    });
    const rotated = json(await pesapost(['webhook', 'rotate', ...of]));
    expect(rotated['webhook_secret']).toMatch(/^[\w-]{43}$/);
    expect(rotated['webhook_secret']).not.toBe(secret['webhook_secret']);
    const kept = await records.database.query(
      `select ends_at - created_at between interval '23 h' and interval '25 h' as "isOld"
       from records.webhook_secrets where merchant_id = $1 order by created_at`,
      [merchant],
    );
    expect(kept).toEqual([{ isOld: true }, { isOld: null }]);

    const inside = await set('https://169.254.169.254/');
    expect([inside.code, inside.stderr]).toEqual([1, expect.stringContaining('of the internet')]);
  });

  it('rejects an unknown merchant and says how to create one', async () => {
    const fee = ['fee', 'set', '--merchant', 'nobody', '--mode', 'demo', '--basis-points', '1'];
    const refused = await pesapost([...fee, ...why]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('npx pesapost merchant create');
  });

  it.each([
    [['merchant', 'create', '--name', 'Duka'], '--reason'],
    [['merchant', 'create', '--name', 'D', '--timezone', 'Mars/Base', ...why], 'time zone'],
    [['fee', 'set', '--merchant', 'm', '--mode', 'test', '--basis-points', '1', ...why], 'live or'],
    [['fee', 'set', '--merchant', 'm', '--mode', 'demo', '--basis-points', '1.5', ...why], 'whole'],
    [['nonsense'], 'unknown command'],
  ])('exits 2 on wrong usage: %j', async (words, hint) => {
    const ended = await pesapost(words);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(hint);
  });

  it('reports which file it searched for if there are no servers', async () => {
    const ended = await pesapost(['merchant', 'create', '--name', 'D', ...why], {
      DATA_DIR: directory,
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('run.json');
  });

  it.each([
    ['reader has gone', '| true', 'code 0'],
    ['disk is full', '> /dev/full', 'the answer could not be written (ENOSPC)\ncode 1'],
  ])('ends with a plain message if its %s', async (_what, where, told) => {
    const script = `{ "$@"; echo "code $?" >&2; } ${where}`;
    const main = join(packageDirectory('dist'), 'apps/cli/src/main.js');
    const words = ['-c', script, 'sh', process.execPath, main, '--help'];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stderr } = await promisify(execFile)('sh', words, { env });
    expect(stderr.trimEnd()).toBe(told);
  });

  it('shows an example with each command’s help', async () => {
    const help = await pesapost(['credential', 'issue', '--help']);
    expect(help).toMatchObject({ code: 0 });
    expect(help.stdout).toContain('Example:\n  npx pesapost credential issue');
  });
});
