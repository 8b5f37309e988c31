import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayAt } from '#infra/runtime';
import {
  eventually,
  issueCredential,
  MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  type CommandOutcome,
  typed,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';
import { untilViewsHold } from '../servers/fresh-views.js';

let servers: OwnServers;
let service: Service;
let merchant: MerchantClient;
let checker: MerchantClient;
let folder: string;
let statement: string;
/** In the merchant's zone. */
let date: string;

/** The outcome of each number; the simulator's statement has a line for those that pay. */
const collections: Readonly<Record<string, { readonly status: string; readonly paid: boolean }>> = {
  254712345678: { status: 'completed', paid: true },
  254700000002: { status: 'failed', paid: false },
  254700000003: { status: 'failed', paid: false },
  254700000004: { status: 'failed', paid: false },
  254700000005: { status: 'failed', paid: false },
  254700000006: { status: 'completed', paid: true },
  254700000007: { status: 'completed', paid: true },
  254700000008: { status: 'completed', paid: true },
  254700000009: { status: 'completed', paid: true },
  254700000010: { status: 'pending', paid: true },
  254700000011: { status: 'failed', paid: false },
  254700000012: { status: 'completed', paid: true },
  254700000013: { status: 'pending', paid: false },
  254700000014: { status: 'failed', paid: false },
  254700000015: { status: 'completed', paid: true },
  254700000016: { status: 'completed', paid: true },
  254700000017: { status: 'completed', paid: true },
  254700000018: { status: 'completed', paid: true },
  254700000019: { status: 'completed', paid: true },
  254700000020: { status: 'failed', paid: false },
  254700000021: { status: 'completed', paid: true },
};
const payouts: Readonly<Record<string, string>> = {
  254712345678: 'completed',
  254700000101: 'failed',
  254700000102: 'failed',
  254700000103: 'completed',
  254700000104: 'completed',
  254700000105: 'completed',
  254700000106: 'pending',
};

const referenceOf = (phone: string): string => `no-${phone.slice(-3)}`;

beforeAll(async () => {
  await awayFromMidnight();
  servers = await startOwnServers();
  service = await startService({
    ...servers.env,
    RAIL_QUERY_DELAYS: '3s,4s,5s,6s,7s,8s,10s,12s',
    // Number 17 is accepted at the third attempt: a busy machine must not use up its time.
    RAIL_PUSH_TIMEOUT: '15s',
  });
  ({ merchant } = service);
  const { merchantId, accountNo } = merchant.credentials;
  const issued = await issueCredential(service.env, merchantId, 'the checker');
  checker = new MerchantClient(service.baseUrl, { merchantId, accountNo, ...issued });
  folder = await mkdtemp(join(tmpdir(), 'pesapost-reconcile-'));
  await wholeDay();
  date = dayIn('Africa/Nairobi');
  statement = await (await fetch(`${service.simulatorUrl}/_statement.csv`)).text();
}, 600_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

function dayIn(timeZone: string): string {
  return dayAt(Date.now(), timeZone);
}

/** Every number of the simulator once, each as far as it gets. */
async function wholeDay(): Promise<void> {
  await Promise.all(
    Object.keys(collections).map((phone) =>
      merchant.collect({ reference: referenceOf(phone), phone }),
    ),
  );
  await Promise.all(
    Object.entries(collections).map(([phone, { status, paid }]) =>
      eventually(
        () => merchant.get(`/api/v4/collections/${referenceOf(phone)}`),
        ({ body }) =>
          body['status'] === status &&
          (!paid || status !== 'pending' || body['under_review'] === true),
        { withinMs: 120_000 },
      ),
    ),
  );
  await Promise.all(Object.entries(payouts).map(([phone, status]) => payOut(phone, status)));
}

async function payOut(phone: string, status: string): Promise<void> {
  const reference = `out-${phone.slice(-3)}`;
  const post = (client: MerchantClient, path: string, body: object) =>
    client.send('POST', path, {
      body: JSON.stringify(body),
      headers: { 'idempotency-key': `${path}-${reference}` },
    });
  await eventually(
    () =>
      post(merchant, '/api/v4/payouts', {
        account_no: merchant.credentials.accountNo,
        phone,
        amount_minor: 1_000,
        currency: 'KES',
        channel: 'mpesa',
        reference,
      }),
    ({ status: code }) => code === 202,
  );
  await eventually(
    () => post(checker, `/api/v4/payouts/${reference}/approve`, {}),
    ({ status: code }) => code === 202,
  );
  await eventually(
    () => merchant.get(`/api/v4/payouts/${reference}`),
    ({ body }) =>
      body['status'] === status && (status !== 'pending' || body['rail_reference'] !== null),
    { withinMs: 120_000 },
  );
}

const command = (...words: readonly string[]): Promise<CommandOutcome> =>
  typed(service.env, ...words);

interface Answer extends CommandOutcome {
  readonly report: {
    readonly id: string;
    readonly open: number;
    readonly day_is_over: boolean;
    readonly position: number;
    readonly ledger: Record<'collections' | 'payouts', Record<string, number>>;
    readonly statement: Record<string, number>;
    readonly findings: Record<string, Record<string, number>>;
    readonly open_listed: readonly {
      readonly finding: string;
      readonly reference: string | null;
      readonly receipt: string | null;
      readonly what: string;
      readonly commands: readonly string[];
    }[];
  };
}

async function reconcile(text: string, ...more: readonly string[]): Promise<Answer> {
  const file = join(folder, 'statement.csv');
  await writeFile(file, text);
  const { merchantId, accountNo } = merchant.credentials;
  const ran = await command(
    ...['reconcile', '--merchant', merchantId, '--account', accountNo, '--date', date],
    ...['--statement', file, '--as', 'asha', '--json', ...more],
  );
  return { ...ran, report: JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) as Answer['report'] };
}

/** The words of a printed command after the program's name. */
function wordsOf(told = ''): readonly string[] {
  const words = [...told.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  expect(words.slice(0, 2)).toEqual(['npx', 'pesapost']);
  return words.slice(2);
}

const openOf = ({ report }: Answer): readonly string[] =>
  report.open_listed.map(({ finding, reference }) => `${finding} ${reference ?? '-'}`).toSorted();

/** The simulator's statement with changed rows. */
function changed(change: (rows: readonly string[]) => readonly string[]): string {
  const [header = '', ...rows] = statement.split('\r\n').filter((row) => row !== '');
  return [header, ...change(rows), ''].join('\r\n');
}
async function receiptOf(phone: string): Promise<string> {
  const { body } = await merchant.get(`/api/v4/collections/${referenceOf(phone)}`);
  return String(body['receipt']);
}

const suspended = `in_suspense ${referenceOf('254700000010')}`;

describe('a day with every number of the simulator', () => {
  it('agrees with its statement: every payment matches, and each line that does not is explained', async () => {
    const answer = await reconcile(statement);
    const { findings, ledger, statement: sums } = answer.report;
    const paid = Object.values(collections).filter((each) => each.paid).length;
    const paidOut = Object.values(payouts).filter((status) => status === 'completed').length;
    expect(openOf(answer)).toEqual([suspended]);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toBe('1 open\n');
    expect(findings['matched']).toMatchObject({
      count: paid - 1 + paidOut,
      in_minor: (paid - 1) * 10_000,
    });
    expect(findings['not_completed']).toMatchObject({ count: 1 });
    expect(sums).toEqual({ in_minor: paid * 10_000 + 1, out_minor: paidOut * 1_000 });

    const list = await merchant.get(
      `/api/v4/transactions?status=completed&date_field=paid_at&from=${date}&to=${date}&limit=100`,
    );
    const items = list.body['data'] as readonly Record<string, unknown>[];
    const sumOf = (type: string, member: string): number =>
      items
        .filter((item) => item['type'] === type)
        .reduce((sum, item) => sum + Number(item[member]), 0);
    expect(ledger.collections).toEqual({
      count: paid - 1,
      amount_minor: sumOf('collection', 'amount_minor'),
      fee_minor: sumOf('collection', 'fee_minor'),
    });
    expect(ledger.payouts).toMatchObject({ amount_minor: sumOf('payout', 'amount_minor') });

    expect(answer.stdout).not.toMatch(/254\d{9}/);
  });

  it('an item in suspense is decided by the command in the report, and then nothing is open', async () => {
    const before = await reconcile(statement);
    const [, resolve = ''] = before.report.open_listed[0]?.commands ?? [];
    const proposed = await command(...wordsOf(resolve), '--as', 'asha');
    expect([proposed.code, proposed.stderr]).toEqual([0, '']);
    const { merchantId } = merchant.credentials;
    const of = ['--merchant', merchantId, '--mode', 'demo', '--as', 'joseph'];
    const confirmed = await command('review', 'confirm', referenceOf('254700000010'), ...of);
    expect([confirmed.code, confirmed.stderr]).toEqual([0, '']);
    const after = await eventually(
      () => reconcile(statement),
      ({ code }) => code === 0,
    );
    expect(after.report.open).toBe(0);
    expect(after.report.statement['in_minor']).toBe(
      after.report.ledger.collections['amount_minor'],
    );
  });

  it('a missing line, a repeated line, another amount and an unknown payment are reported', async () => {
    const [gone, twice, other] = await Promise.all(
      ['254700000007', '254700000008', '254700000009'].map(receiptOf),
    );
    const text = changed((rows) => [
      ...rows
        .filter((row) => !row.startsWith(`${gone},`))
        .map((row) => (row.startsWith(`${other},`) ? row.replace(',100.00,', ',90.00,') : row)),
      ...rows.filter((row) => row.startsWith(`${twice},`)),
      ...rows
        .filter((row) => row.startsWith(`${twice},`))
        .map((row) => row.replace(String(twice), 'TZZ0000001').replace(/[^,]*$/, 'rent 4')),
    ]);
    const answer = await reconcile(text);
    expect(answer.code).toBe(1);
    expect(openOf(answer)).toEqual(
      [
        `amount_differs ${referenceOf('254700000009')}`,
        'duplicate_there -',
        'missing_here -',
        `missing_there ${referenceOf('254700000007')}`,
      ].toSorted(),
    );
    for (const { what, commands } of answer.report.open_listed) {
      expect(what).not.toBe('');
      expect(commands.join()).toMatch(/^npx pesapost /);
    }
    const nobodys = answer.report.open_listed.find(({ finding }) => finding === 'missing_here');
    expect(nobodys?.commands[0]).toContain(
      '--leg suspense=10000 --leg rail-clearing:mpesa=-10000 --receipt TZZ0000001',
    );
    const takesBack = (of: Answer): readonly string[] =>
      wordsOf(of.report.open_listed.find((each) => each.finding === 'missing_there')?.commands[1]);
    const posted = await command(...takesBack(answer), '--as', 'asha');
    expect([posted.code, posted.stderr]).toEqual([0, '']);
    const again = await command(...takesBack(answer), '--as', 'joseph');
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('Another correction has this ID'),
    ]);
    const confirming = await eventually(
      async () => takesBack(await reconcile(text)),
      (words) => words[1] === 'confirm',
    );
    const [, , id = ''] = confirming;
    const withdrawn = await command(
      ...['correction', 'withdraw', id, '--mode', 'demo', '--as', 'asha', '--reason', 'a try'],
    );
    expect([withdrawn.code, withdrawn.stderr]).toEqual([0, '']);
  });

  it('a day that is not over is reported as such, and one that is over is not', async () => {
    const mayBeOver = dayIn('Africa/Nairobi') !== date;
    const of = await reconcile(statement);
    const over = of.report.day_is_over;
    expect([mayBeOver, dayIn('Africa/Nairobi') !== date]).toContain(over);
    const [before = ''] = new Date(Date.parse(date) - 86_400_000).toISOString().split('T');
    const rows = statement.replaceAll(/\b\d\d-\d\d-20\d\d /g, `${before} `);
    const past = await reconcile(rows, '--date', before);
    expect(past.report.day_is_over).toBe(true);
    const { merchantId } = merchant.credentials;
    const list = ['reconcile', 'list', '--merchant', merchantId, '--from', before];
    const wereOver = async (): Promise<ReadonlyMap<string, boolean>> => {
      const listed = await command(...list, '--json');
      const { reconciliations } = JSON.parse(listed.stdout) as {
        readonly reconciliations: readonly {
          readonly date: string;
          readonly day_was_over: boolean;
        }[];
      };
      // The newest of a day comes first.
      const oldestFirst = reconciliations.toReversed();
      return new Map(oldestFirst.map((each) => [each.date, each.day_was_over]));
    };
    const wasOver = await eventually(wereOver, (days) => days.has(before));
    expect(wasOver.get(before)).toBe(true);
    expect([mayBeOver, dayIn('Africa/Nairobi') !== date]).toContain(wasOver.get(date));
  });

  it('the order of rows, a preamble, another date format and thousands separators change nothing', async () => {
    const portal = changed((rows) =>
      rows
        .toReversed()
        .map((row) =>
          row
            .replaceAll(/\b(\d\d)-(\d\d)-(20\d\d) /g, '$3-$2-$1 ')
            .replace(',100.00,', ',"000,100.00",'),
        ),
    ).replaceAll('"000,100.00"', '"100.0"');
    const preamble = '\uFEFFOrganization Name:,Duka Moja\nShort Code:,174379\n\n';
    const [one, other] = [await reconcile(statement), await reconcile(preamble + portal)];
    expect(other.stderr).toBe('');
    expect(other.report.findings).toEqual(one.report.findings);
  });

  it('the log contains who reconciled which day, and what was left open', async () => {
    const { merchantId } = merchant.credentials;
    const listed = await eventually(
      async () => {
        const { stdout } = await command(
          'reconcile',
          'list',
          '--merchant',
          merchantId,
          '--from',
          date,
          '--json',
        );
        return (JSON.parse(stdout) as { reconciliations: Record<string, unknown>[] })
          .reconciliations;
      },
      (all) => all.some((each) => each['open'] === 4),
    );
    const four = listed.find((each) => each['open'] === 4);
    expect(four).toMatchObject({
      operator: 'asha',
      date,
      account_no: merchant.credentials.accountNo,
    });
    const { stdout } = await command('reconcile', 'show', String(four?.['id']), '--json');
    const shown = JSON.parse(stdout) as { by: string; open_named: Record<string, unknown>[] };
    expect(shown.by).toBe('platform');
    expect(shown.open_named.map((each) => each['finding']).toSorted()).toEqual([
      ...['amount_differs', 'duplicate_there', 'missing_here', 'missing_there'],
    ]);
    expect(stdout).not.toMatch(/254\d{9}|\*\*\*/);
  });

  it.each<[string, () => Promise<CommandOutcome>, number, RegExp]>([
    ['no file', () => refusing('--statement', '/nowhere.csv'), 1, /cannot be read/],
    [
      'a file as a directory',
      () => refusing('--statement', '/etc/hosts/x.csv'),
      1,
      /cannot be read/,
    ],
    ['another merchant’s account', () => refusing('--merchant', 'm-1'), 1, /has no account/],
    ['a day that has not begun', () => refusing('--date', '2999-01-01'), 1, /has not begun/],
    [
      'another day',
      () => refusing('--date', '2026-01-02'),
      1,
      /is it the statement of another day/,
    ],
    ['no day', () => refusing('--date', '2026-02-30'), 2, /must be a day/],
    [
      'days the wrong way round',
      () => command('reconcile', 'list', '--from', '2026-02-02', '--to', '2026-02-01'),
      1,
      /--from is after --to/,
    ],
    ['a missing option', () => command('reconcile', '--merchant', 'M'), 2, /--account/],
    [
      'nothing by that id',
      () => command('reconcile', 'show', '0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e'),
      1,
      /no such reconciliation/,
    ],
  ])('%s: one sentence, and nothing is recorded', async (_what, run, code, sentence) => {
    const ran = await run();
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(sentence);
    expect(ran.stdout).toBe('');
  });
});

describe('the day after', () => {
  const phone = '254700000019';

  it('the rail is queried for its payments, and payments that were never reported are posted', async () => {
    // Its callback declines, the customer pays all the same, and the worker is dead and cannot ask.
    await service.kill('worker');
    await merchant.collect({ reference: 'late', phone });
    await eventually(
      () => merchant.get('/api/v4/collections/late'),
      ({ body }) => body['status'] === 'failed',
    );
    await eventually(
      async () => (await fetch(`${service.simulatorUrl}/_statement.csv`)).text(),
      (text) => text.split('\r\n').length > statement.split('\r\n').length,
    );
    // Views that do not contain the day to its end say nothing about it.
    await service.kill('projector');
    await service.startReplica('projector', { CLOCK_OFFSET: '25h' });
    await untilViewsHold(service, 24 * 60);
    const worker = await service.startReplica('worker', {
      CLOCK_OFFSET: '25h',
      // No question of the schedule comes before that of the day.
      RAIL_QUERY_DELAYS: '90h',
      RAIL_REVIEW_AFTER: '200h',
    });
    const found = await eventually(
      // Create it anew each time: a day later access tokens are old, and are deleted.
      () =>
        new MerchantClient(service.baseUrl, merchant.credentials).get('/api/v4/collections/late'),
      ({ body }) => body['status'] === 'completed',
      { everyMs: 1500 },
    );
    expect(found.body).toMatchObject({ amount_minor: 10_000, under_review: false });
    await eventually(
      () => Promise.resolve(worker.lines),
      (lines) =>
        lines.some((line) => line.includes('"the rail told what it took"') && line.includes(date)),
    );
    // Each payment that is known was paid once.
    const { code, stdout } = await command('reconcile', 'missed', '--mode', 'demo');
    expect(code).toBe(0);
    expect(stdout).toContain('missed payments: 0');
  });
});

function refusing(option: string, value: string): Promise<CommandOutcome> {
  const { merchantId, accountNo } = merchant.credentials;
  const given: Record<string, string> = {
    '--merchant': merchantId,
    '--account': accountNo,
    '--date': date,
    '--statement': join(folder, 'statement.csv'),
    [option]: value,
  };
  return command('reconcile', ...Object.entries(given).flat());
}
