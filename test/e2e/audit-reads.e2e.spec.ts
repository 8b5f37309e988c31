import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dayAt, packageDirectory } from '#infra/runtime';
import {
  eventually,
  inheritedEnvironment,
  issueCredential,
  MerchantClient,
  type OwnServers,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** A log of its own: all of it is read. */
let servers: OwnServers;
let service: Service;
/** The log's position after the first posting. */
let first: string;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  first = await collected('INV-1');
  await collected('INV-2');
  await paidOut('PAY-1');
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

const accountNo = (): string => service.merchant.credentials.accountNo;
const whose = (): string[] => [
  ...['--merchant', service.merchant.credentials.merchantId],
  ...['--mode', 'demo'],
];
type Json = Readonly<Record<string, unknown>>;
const told = (...words: string[]): Promise<Json> => pesapost(service.env, ...words);

const said = (...words: readonly string[]) => service.runCommand(words);

/** @returns the position of the log that the answer reflects */
async function collected(reference: string): Promise<string> {
  const { status } = await service.merchant.collect({ reference });
  expect(status).toBe(202);
  await completed(`/api/v4/transactions?type=collection&status=completed`, reference);
  const { headers } = await service.merchant.get('/api/v4/transactions');
  return headers.get('x-pp-ledger-position') ?? '';
}

async function completed(path: string, reference: string): Promise<void> {
  await eventually(
    () => service.merchant.get(path),
    ({ body }) => (body['data'] as Json[]).some((item) => item['reference'] === reference),
    { withinMs: 60_000, everyMs: 200 },
  );
}

async function paidOut(reference: string): Promise<void> {
  const { credentials, baseUrl } = service.merchant;
  const checker = await issueCredential(service.env, credentials.merchantId, 'office');
  const other = new MerchantClient(baseUrl, { ...credentials, ...checker });
  // The API knows a new credential once the view has it.
  await eventually(
    () =>
      other.signIn().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  const body = {
    account_no: credentials.accountNo,
    phone: '254712345678',
    amount_minor: 4_000,
    currency: 'KES',
    channel: 'mpesa',
    reference,
  };
  const asked = await service.merchant.send('POST', '/api/v4/payouts', {
    body: JSON.stringify(body),
    headers: { 'idempotency-key': randomUUID() },
  });
  expect(asked.status).toBe(202);
  await eventually(
    () =>
      other.send('POST', `/api/v4/payouts/${reference}/approve`, {
        body: '{}',
        headers: { 'idempotency-key': randomUUID() },
      }),
    ({ status }) => status === 202,
    { withinMs: 60_000, everyMs: 500 },
  );
  await completed('/api/v4/transactions?type=payout&status=completed', reference);
}

describe('history', () => {
  it('reports who, when and how much, and opens no evidence', async () => {
    const { events } = (await told('history', 'INV-1', ...whose())) as { events: Json[] };
    expect(events.map(({ type }) => type)).toEqual([
      'CollectionIntentRecorded',
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
    expect(events[0]).toMatchObject({
      actor: { kind: 'credential', holder: 'till' },
    });
    for (const event of [events[0], events[2]])
      expect(event?.['evidence']).toEqual({
        key_id: expect.any(String),
        commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
  });

  it('is a table that a person can read, without a phone number or a digest of one', async () => {
    const { code, text } = await said('history', 'PAY-1', ...whose());
    expect(code).toBe(0);
    for (const words of ['PayoutRequested', 'PayoutApproved', 'till', 'office', 'KES 40.00'])
      expect(text).toContain(words);
    expect(text).toMatch(/evidence: sealed, commitment [0-9a-f]{64}/);
    expect(text).not.toContain('/api/v4/payouts');
    expect(text).not.toMatch(/2547\d{8}/);
    const json = JSON.stringify(await told('history', 'PAY-1', ...whose()));
    expect(json).not.toMatch(/2547\d{8}|body_?digest/i);
  });

  it('rejects anything that is not ours in one sentence', async () => {
    const merchant = service.merchant.credentials.merchantId;
    expect(await said('history', 'NOBODY-1', ...whose())).toEqual({
      code: 1,
      text: `no collection or payout NOBODY-1 for merchant ${merchant} in demo mode`,
    });
    expect(await said('history', 'x', '--type', 'correction')).toMatchObject({ code: 1 });
    expect(await said('history', 'x', '--type', 'refund')).toMatchObject({ code: 2 });
  });
});

describe('V4 as of a position', () => {
  const asOf = (path: string, position: string, more: Record<string, string> = {}) =>
    service.merchant.send('GET', path, { headers: { 'x-pp-at-position': position, ...more } });

  it('has the list, totals and balance of that position, regardless of later events', async () => {
    for (const query of ['', '?status=completed&date_field=paid_at&from=2026-01-01']) {
      const { status, headers, body } = await asOf(`/api/v4/transactions${query}`, first);
      expect([status, headers.get('x-pp-ledger-position')]).toEqual([200, first]);
      expect(body).toMatchObject({
        data: [{ reference: 'INV-1', status: 'completed', amount_minor: 10_000, fee_minor: 150 }],
        next_cursor: null,
      });
    }
    const { body: none } = await asOf('/api/v4/transactions?type=payout', first);
    expect(none['data']).toEqual([]);
    const path = `/api/v4/accounts/${accountNo()}/balance`;
    const { body } = await asOf(path, first, { 'x-pp-min-position': first });
    expect(body).toMatchObject({ posted_minor: 9_850, reserved_minor: 0, available_minor: 9_850 });
    expect((await asOf(path, String(10n ** 17n))).status).toBe(400);
  });

  it('returns the same for the newest position as without one', async () => {
    const now = await service.merchant.get('/api/v4/transactions');
    const newest = now.headers.get('x-pp-ledger-position') ?? '';
    expect((await asOf('/api/v4/transactions', newest)).body).toEqual(now.body);
  });
});

describe('events', () => {
  interface Line {
    readonly position: string;
    readonly type: string;
    readonly stream: string;
    readonly data: Json;
  }
  const linesOf = async (...words: string[]): Promise<Line[]> => {
    const { code, text } = await said('events', ...words);
    expect(code).toBe(0);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  };

  it('are read by an external program, which computes the same balances as V4', async () => {
    const main = join(packageDirectory('dist'), 'apps/cli/src/main.js');
    const reader = join(packageDirectory('test'), 'e2e/balances_from_events.py');
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-ec', `"${process.execPath}" "${main}" events | python3 "${reader}"`],
      { env: { ...inheritedEnvironment(), ...service.env }, timeout: 90_000 },
    );
    const { body } = await service.merchant.get(`/api/v4/accounts/${accountNo()}/balance`);
    const { posted_minor, reserved_minor, available_minor } = body;
    const found = (JSON.parse(stdout) as Record<string, Json>)[`demo:KES:${accountNo()}`];
    expect(found).toMatchObject({ posted_minor, reserved_minor, available_minor });
  });

  it('contain no phone number and no sealed evidence, and their amounts are text', async () => {
    const lines = await linesOf();
    const text = JSON.stringify(lines);
    expect(text).not.toMatch(/2547\d{8}|ciphertext/);
    const posted = lines.filter(({ type }) => type === 'WalletPosted');
    expect(posted.map(({ data }) => data['amountMinor'])).toEqual(['10000', '10000', '4000']);
  });

  it('continue after any position, and can be limited to streams and types', async () => {
    const all = await linesOf('--stream', 'collection-', '--type', 'WalletPosted');
    expect(all.map(({ stream }) => stream.split(':')[2])).toEqual(['INV-1', 'INV-2']);
    const [one, other] = all;
    const next = String(BigInt(one?.position ?? '') + 1n);
    const rest = ['--stream', 'collection-', '--type', 'WalletPosted'];
    expect(await linesOf(...rest, '--from', one?.position ?? '')).toEqual([other]);
    expect(await linesOf(...rest, '--from', next)).toEqual([other]);
    expect(await linesOf(...rest, '--to', one?.position ?? '')).toEqual([one]);
  });

  it.each([
    [['--from', '999999999999999999'], 1],
    [['--from', '9', '--to', '5'], 1],
    [['--from', 'x'], 2],
    [['--stream', '$system'], 2],
    [['--type', 'Nothing'], 2],
  ])(
    '%j is rejected with exit code %i',
    async (words, code) => {
      expect(await said('events', ...words)).toMatchObject({ code });
    },
    300_000,
  );
});

describe('balance', () => {
  it('matches V4’s balance as of a position', async () => {
    expect(await told('balance', accountNo(), '--at', first)).toMatchObject({
      posted_minor: 9_850,
      reserved_minor: 0,
      available_minor: 9_850,
      position: Number(first),
      mode: 'demo',
      day: null,
    });
    const { body } = await service.merchant.get(`/api/v4/accounts/${accountNo()}/balance`);
    expect(await told('balance', accountNo())).toMatchObject(body);
  });

  it('is as of the end of a day in the merchant’s zone, and contains its position', async () => {
    const { body } = await service.merchant.get(`/api/v4/accounts/${accountNo()}/balance`);
    const [{ created_at: createdAt } = {}] = (await service.merchant.get('/api/v4/transactions'))
      .body['data'] as Json[];
    const ms = Date.parse(String(createdAt));
    // Africa/Nairobi.
    const day = (days: number): string =>
      new Date(ms + 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);
    const today = await told('balance', accountNo(), '--at', day(0));
    expect(today).toMatchObject({ ...body, day: day(0) });
    const again = await told('balance', accountNo(), '--at', String(today['position']));
    expect(again).toMatchObject(body);
    const { code, text } = await said('balance', accountNo(), '--at', day(-1));
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('was opened') });
    expect(await said('balance', accountNo(), '--at', day(2))).toMatchObject({ code: 1 });
  });

  it.each([
    [['--at', '999999999999999999'], 1, 'beyond the log’s end'],
    [['--at', '2026-02-30'], 2, 'must be a day'],
    [['--at', 'yesterday'], 2, 'must be a day'],
    [['--at', '-1'], 2, ''],
  ])(
    '%j is rejected with exit code %i',
    async (words, code, why) => {
      const answer = await said('balance', accountNo(), ...words);
      expect(answer).toEqual({ code, text: expect.stringContaining(why) });
    },
    300_000,
  );

  it('rejects an account that does not exist', async () => {
    expect(await said('balance', '99')).toEqual({
      code: 1,
      text: 'no account 99: npx pesapost merchant list',
    });
  });
});

describe('statement', () => {
  /** The merchant's day of all these events, or the day before if midnight came in between. */
  const today = async (): Promise<string> => {
    const { body } = await service.merchant.get('/api/v4/transactions');
    const ms = Date.parse(String((body['data'] as Json[]).at(-1)?.['created_at']));
    return new Date(ms + 3 * 3_600_000).toISOString().slice(0, 10);
  };
  const nowInNairobi = () => dayAt(Date.now(), 'Africa/Nairobi');
  const of = async (...words: string[]): Promise<string[]> => {
    const day = await today();
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const to = nowInNairobi() < next ? day : next;
    return ['statement', '--account', accountNo(), '--from', day, '--to', to, ...words];
  };

  it('opens and closes with the ledger’s balances at the positions that it prints', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-statement-'));
    try {
      const file = join(directory, 'day.csv');
      const before = nowInNairobi();
      const answer = await told(...(await of('--output', file)));
      const to = String(answer['to']);
      expect([before > to, nowInNairobi() > to]).toContain(answer['day_is_over']);
      expect(answer).toMatchObject({
        opening_minor: 0,
        entries: 3,
        credits_minor: 19_700,
        debits_minor: 4_060,
        closing_minor: 15_640,
        output: file,
      });
      const closing = await told(
        'balance',
        accountNo(),
        '--at',
        String(answer['closing_position']),
      );
      expect(closing).toMatchObject({ posted_minor: 15_640 });
      const rows = (await readFile(file, 'utf8')).trim().split('\r\n');
      expect(rows.map((row) => row.split(',').slice(3, 5))).toEqual([
        ['type', 'reference'],
        ['opening_balance', ''],
        ['collection', 'INV-1'],
        ['collection', 'INV-2'],
        ['payout', 'PAY-1'],
        [answer['day_is_over'] === true ? 'closing_balance' : 'interim_balance', ''],
      ]);
      expect(rows[4]).toMatch(/,40\.00,0\.60,-40\.60,156\.40,KES$/);

      const pdf = join(directory, 'day.pdf');
      const again = join(directory, 'again.pdf');
      for (const each of [pdf, again])
        await told(...(await of('--format', 'pdf', '--output', each)));
      expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');
      expect((await readFile(pdf)).equals(await readFile(again))).toBe(true);

      const nowhere = join(directory, 'no', 'such.csv');
      expect(await said(...(await of('--output', nowhere)))).toMatchObject({ code: 1 });
      const device = join(directory, 'device');
      await symlink('/dev/null', device);
      expect(await said(...(await of('--output', device)))).toMatchObject({
        code: 1,
        text: expect.stringContaining('no plain file'),
      });
      expect(await readlink(device)).toBe('/dev/null');
      expect(await readdir(directory)).toEqual(['again.pdf', 'day.csv', 'day.pdf', 'device']);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('goes to standard output if no file is named', async () => {
    const { code, text } = await said(...(await of('--format', 'camt.053')));
    expect(code).toBe(0);
    expect(text).toMatch(/<Cd>(CLBD|ITBD)<\/Cd><\/CdOrPrtry><\/Tp><Amt Ccy="KES">156.40<\/Amt>/);
    expect(text.includes('ITBD')).toBe(text.includes('The last day is not over'));
    expect(text.match(/<Ntry>/g)).toHaveLength(3);
  });

  it.each([
    [['--from', '2026-11-30', '--to', '2026-11-01'], 1, 'the dates are swapped'],
    [['--from', '2026-01-01', '--to', '2999-01-01'], 1, 'has not begun'],
    [['--from', '2026-02-30', '--to', '2026-03-01'], 2, 'must be a day'],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--format', 'mt940'], 2, 'csv, camt.053, pdf'],
    [['--from', '2026-01-01', '--to', '2026-01-02', '--json'], 1, '--output'],
  ])(
    '%j is rejected with exit code %i',
    async (words, code, why) => {
      const answer = await said('statement', '--account', accountNo(), ...words);
      expect(answer).toEqual({ code, text: expect.stringContaining(why) });
    },
    300_000,
  );
});
