import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayAt } from '#infra/runtime';
import {
  eventually,
  issueCredential,
  MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** A log of its own, whose clearing account is about this merchant alone. */
let servers: OwnServers;
let service: Service;
let maker: MerchantClient;
let checker: MerchantClient;
let folder: string;
/** In the merchant's zone. */
let date: string;

/** The simulator's account of payouts holds this before the first payment. */
const floatMinor = 100_000;

beforeAll(async () => {
  await awayFromMidnight();
  date = dayAt(Date.now(), 'Africa/Nairobi');
  folder = await mkdtemp(join(tmpdir(), 'pesapost-balance-'));
  servers = await startOwnServers();
  service = await startService({
    ...servers.env,
    RAIL_QUERY_DELAYS: '2s,4s,8s',
    RAIL_BALANCE_EVERY: '2s',
    RAIL_BALANCE_SETTLE: '1s',
    SIMULATOR_FLOAT: '1000',
  });
  maker = service.merchant;
  const { merchantId, accountNo } = maker.credentials;
  const issued = await issueCredential(service.env, merchantId, 'the checker');
  checker = new MerchantClient(service.baseUrl, { merchantId, accountNo, ...issued });
  await eventually(() => checker.signIn().then(yes, no), Boolean);
}, 180_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

const [yes, no] = [() => true, () => false];
const why = ['--reason', 'spec', '--as', 'spec'];

async function onSimulator(method: string, path: string, body: object) {
  const answer = await fetch(service.simulatorUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Readonly<Record<string, string>>;
}

/** A customer pays the pay bill without a push. `tell`: the number of notices, none if it gets lost. */
const payBill = (amount: string, tell = 1) =>
  onSimulator('POST', '/_c2b', { amount, billReference: maker.credentials.accountNo, tell });

const post = (client: MerchantClient, path: string, body: object) =>
  client.send('POST', path, {
    body: JSON.stringify(body),
    headers: { 'idempotency-key': randomUUID() },
  });

const isCompleted = (path: string) =>
  eventually(
    () => maker.get(path),
    ({ body }) => body['status'] === 'completed',
    { withinMs: 60_000 },
  );

async function collected(amountMinor: number): Promise<string> {
  const reference = `IN-${randomUUID()}`;
  await maker.collect({ reference, amount_minor: amountMinor, phone: '254712345678' });
  await eventually(
    () => maker.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed' && body['receipt'] !== null,
    { withinMs: 60_000 },
  );
  return reference;
}

async function approved(reference: string): Promise<void> {
  const path = `/api/v4/payouts/${reference}`;
  await eventually(
    () => post(checker, `${path}/approve`, {}),
    ({ status }) => status === 202,
    { withinMs: 60_000 },
  );
  await isCompleted(path);
}

type Shown = Readonly<Record<string, unknown>> & {
  readonly compared: Readonly<Record<string, unknown>> | null;
  readonly sweeps: readonly Readonly<Record<string, unknown>>[];
};

/** The comparison as it is shown, once it is as wanted. */
const balanceOnce = (isWanted: (shown: Shown) => boolean) =>
  eventually(
    async () => {
      const { code, text } = await service.runCommand([
        ...['rail', 'balance', 'show', '--mode', 'demo', '--json'],
      ]);
      const shown = JSON.parse(text.split('\n')[0] ?? '') as Shown;
      return { code, shown };
    },
    ({ shown }) => isWanted(shown),
    // An answer that came before the API listened is lost, and the rail is asked again later.
    { withinMs: 300_000 },
  );
const outcomeIs = (outcome: string, fields: Readonly<Record<string, unknown>> = {}) =>
  balanceOnce(
    ({ compared }) =>
      compared?.['outcome'] === outcome &&
      Object.entries(fields).every(([name, value]) => compared[name] === value),
  );

const statementText = async () => (await fetch(`${service.simulatorUrl}/_statement.csv`)).text();
/** The sum of all that came in and went out by the rail's own statement. */
async function statementMinor(): Promise<number> {
  const [, ...rows] = (await statementText()).trim().split('\r\n');
  const cents = (cell = '') => Math.round(Number(cell.replaceAll('"', '')) * 100);
  return rows
    .map((row) => row.split(','))
    .filter((row) => row[4] === 'Completed')
    .reduce((sum, row) => sum + cents(row[5]) + cents(row[6]), 0);
}

const sweptEvents = async () =>
  (await service.runCommand(['events', '--stream', 'platform-settlement-'])).text
    .split('\n')
    .filter((line) => line.includes('BankSettlementPosted'));

describe('a day of the rail’s account', () => {
  let sweep = '';
  let times: readonly string[] = [];

  it('begins with what the account held before the ledger, and agrees after pushes, notices, refunds and payouts', async () => {
    await outcomeIs('agrees', { opening_minor: floatMinor });
    const registering = ['rail', 'notices', 'register', '--mode', 'demo', ...why];
    expect((await service.runCommand(registering)).code).toBe(0);
    await collected(100_000);
    const { TransID: notified } = await payBill('250.00');
    await isCompleted(`/api/v4/collections/${encodeURIComponent(`mpesa~${notified ?? ''}`)}`);
    const [whole, part] = [await collected(30_000), await collected(20_000)];
    await post(maker, `/api/v4/collections/${whole}/refund`, { reference: 'R-WHOLE' });
    await approved('R-WHOLE');
    const givenBack = { reference: 'R-PART', amount_minor: 5_000, phone: '254712345678' };
    await post(maker, `/api/v4/collections/${part}/refund`, givenBack);
    await approved('R-PART');
    const { accountNo } = maker.credentials;
    const payout = { account_no: accountNo, phone: '254712345678', amount_minor: 12_345 };
    const rest = { currency: 'KES', channel: 'mpesa', reference: 'OUT-1' };
    expect((await post(maker, '/api/v4/payouts', { ...payout, ...rest })).status).toBe(202);
    await approved('OUT-1');
    const netMinor = 100_000 + 25_000 + 30_000 + 20_000 - 30_000 - 5_000 - 12_345;
    expect(await statementMinor()).toBe(netMinor);
    const { code, shown } = await outcomeIs('agrees', { ledger_minor: netMinor });
    expect(code).toBe(0);
    expect(shown.compared).toMatchObject({
      held_minor: netMinor + floatMinor,
      opening_minor: floatMinor,
      difference_minor: 0,
    });
  }, 900_000);

  it('differs while a sweep and a lost payment are not posted, and says so', async () => {
    const from = new Date(Date.now() - 1000);
    ({ TransID: sweep = '' } = await onSimulator('POST', '/_sweep', { amount: '400.00' }));
    await payBill('77.01', 0);
    times = ['--from', from.toISOString(), '--to', new Date(Date.now() + 1000).toISOString()];
    const { code } = await outcomeIs('differs', { difference_minor: 7_701 - 40_000 });
    expect(code).toBe(1);
    expect(service.logLines().join('\n')).toContain('THE RAIL’S BALANCE DIFFERS');
    const accepted = await service.runCommand([
      ...['rail', 'balance', 'accept', '--mode', 'demo', '--cause', 'other', ...why],
      '--amount-minor=-1',
    ]);
    expect(accepted).toMatchObject({
      code: 1,
      text: expect.stringContaining('the last comparison shows another difference'),
    });
  }, 900_000);

  it('agrees again after the rail’s list and its statement reported the sweep at once, though a process died: it is posted once', async () => {
    const file = join(folder, 'statement.csv');
    await writeFile(file, await statementText());
    // The rail is asked about a time that ended a minute ago.
    await sleep(65_000);
    const { merchantId, accountNo } = maker.credentials;
    const reconcile = () =>
      service.runCommand([
        ...['reconcile', '--merchant', merchantId, '--account', accountNo, '--date', date],
        ...['--statement', file, '--as', 'spec', '--json'],
      ]);
    const window = ['reconcile', 'window', '--mode', 'demo', ...times];
    const list = () => service.runCommand(window);
    // It has claimed the receipt, and dies before the append.
    const dying = { CRASH_AT: 'eventstore:append BankSettlementPosted:before#1' };
    await service.spawnCommand(window, dying).ended;
    expect(await sweptEvents()).toHaveLength(0);
    await Promise.all([reconcile(), list()]);
    expect(await sweptEvents()).toHaveLength(1);
    expect((await list()).code).toBe(0);
    const { text, code } = await reconcile();
    const day = JSON.parse(text) as Readonly<Record<string, unknown>>;
    expect(day).toMatchObject({
      open: 0,
      sweeps: [{ receipt: sweep, amount_minor: 40_000, outcome: 'posted_before' }],
    });
    expect(code).toBe(0);
    expect(await sweptEvents()).toHaveLength(1);
    const ledgerMinor = await statementMinor();
    const agreed = await outcomeIs('agrees', { ledger_minor: ledgerMinor });
    expect(agreed.code).toBe(0);
    expect(agreed.shown.sweeps).toMatchObject([{ receipt: sweep, amount_minor: 40_000 }]);
    expect((await service.runCommand(['verify'])).code).toBe(0);
  }, 900_000);

  it('expects a difference that a person accepted, and survives the end of its worker', async () => {
    await onSimulator('PUT', '/_pull', { tells: 'nothing' });
    await payBill('5.00', 0);
    await outcomeIs('differs', { difference_minor: 500 });
    await service.kill('worker');
    await service.start('worker');
    const words = ['rail', 'balance', 'accept', '--mode', 'demo', '--cause', 'other', ...why];
    const accepted = await service.runCommand([...words, '--amount-minor=500', '--json']);
    expect(accepted.code).toBe(0);
    const { code } = await outcomeIs('agrees', { opening_minor: floatMinor + 500 });
    expect(code).toBe(0);
    await collected(1_000);
    await outcomeIs('agrees', { held_minor: (await statementMinor()) + floatMinor });
  }, 900_000);
});
