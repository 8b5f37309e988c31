import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayAt } from '#infra/runtime';
import {
  eventually,
  type MerchantClient,
  type OwnServers,
  secondHolder,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { AirtelProcess } from '../rail/airtel-process.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';

/** Airtel's simulator was written by a reader of Airtel's documents who did not see the adapter. */
let airtel: AirtelProcess;
/** A log of its own, so that `verify` is about this merchant alone. */
let servers: OwnServers;
let service: Service;
let maker: MerchantClient;
let checker: MerchantClient;

/** In the merchant's zone. */
let date: string;
/** The folder of the statements. */
let folder: string;

beforeAll(async () => {
  await awayFromMidnight();
  date = dayAt(Date.now(), 'Africa/Nairobi');
  folder = await mkdtemp(join(tmpdir(), 'pesapost-statements-'));
  airtel = await AirtelProcess.begin('100ms');
  servers = await startOwnServers();
  service = await startService({
    ...servers.env,
    ...(await airtel.settings()),
  });
  maker = service.merchant;
  checker = await secondHolder(service);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await airtel.stop();
  await rm(folder, { recursive: true, force: true });
});

const airtelSays = (path: string) => airtel.says(path);

/** A number of the simulator, by its last digits. */
const own = (number: string) => `2547330${number}`;
const collect = (number: string, reference: string = randomUUID()) =>
  maker.collect({ reference, phone: own(number), amount_minor: 10_000, channel: 'airtel' });
const itemIs = async (kind: string, reference: string, status: string) => {
  const { body } = await eventually(
    () => maker.get(`/api/v4/${kind}/${reference}`),
    (answer) => answer.body['status'] === status,
  );
  return body;
};
const post = (client: MerchantClient, path: string, body: object) =>
  client.send('POST', path, {
    body: JSON.stringify(body),
    headers: { 'idempotency-key': randomUUID() },
  });

describe('an account without Airtel Money', () => {
  it('has no such channel, and nothing is recorded', async () => {
    const reference = randomUUID();
    const answer = await collect('00001', reference);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'invalid_channel', detail: 'channel must be mpesa.' },
    ]);
    expect((await maker.get(`/api/v4/collections/${reference}`)).status).toBe(404);
  });

  it('gets it from an operator, with the address for callbacks', async () => {
    await airtel.enableFor(service);
  });
});

/** The numbers of docs/how-to/use-the-airtel-simulator.md whose money arrives in the end, whatever is said before. */
const paying = [
  ...['0001', '0012', '0013', '0015', '0016', '0017', '0018', '0019', '0021', '0022', '0023'],
  ...['0025', '0026', '0027', '0029', '0030', '0031', '0032', '0034', '0035', '0036', '0037'],
  ...['0038', '0039', '0040', '0042'],
].map((number) => `0${number}`);
const failing: readonly (readonly [number: string, failureCode: string])[] = [
  ['00002', 'wrong_pin'],
  ['00003', 'insufficient_funds'],
  ['00004', 'rail_declined'],
  ['00005', 'no_answer'],
  ['00007', 'rail_declined'],
  ['00008', 'expired'],
  ['00009', 'invalid_party'],
  ['00010', 'daily_limit_exceeded'],
  ['00014', 'insufficient_funds'],
];
/** No money moves, and Airtel never says so. */
const open = ['00011', '00020', '00024', '00033', '00041'];

describe('collections over Airtel Money', () => {
  const references = new Map<string, string>();

  it('are pushed once each, and end as Airtel’s enquiry reports, even if its callbacks differ', async () => {
    for (const number of [...paying, ...failing.map(([failed]) => failed), ...open]) {
      const reference = `A-${number}`;
      references.set(number, reference);
      const { status, body } = await collect(number, reference);
      const isRefused = ['00009', '00010'].includes(number);
      expect([number, status]).toEqual([number, isRefused ? 502 : 202]);
      if (!isRefused) expect(body).toMatchObject({ status: 'pending', reference });
    }
    for (const number of paying) {
      const item = await itemIs('collections', `A-${number}`, 'completed');
      expect(item).toMatchObject({ channel: 'airtel', fee_minor: 150, amount_minor: 10_000 });
      expect([number, item['receipt']]).toEqual([number, expect.stringMatching(/^MP\d{6}\./)]);
      expect(item['rail_reference']).toMatch(/^[0-9A-V]{12}$/);
    }
    for (const [number, failureCode] of failing) {
      const item = await itemIs('collections', `A-${number}`, 'failed');
      expect([number, item['failure_code']]).toEqual([number, failureCode]);
    }
    for (const number of open) await itemIs('collections', `A-${number}`, 'pending');
    // The probe above paid, too.
    expect(await airtelSays('/_stats')).toMatchObject({ paid: paying.length + 1 });
  });

  it('are returned unchanged if the reference is repeated, even on another channel', async () => {
    const before = await airtelSays('/_stats');
    const again = await maker.collect({
      reference: 'A-00001',
      phone: own('00001'),
      amount_minor: 10_000,
    });
    expect(again).toMatchObject({ status: 202, body: { status: 'completed' } });
    expect(again.headers.get('x-pp-differs')).toBe('channel');
    expect(await airtelSays('/_stats')).toEqual(before);
  });
});

describe('payouts and refunds over Airtel Money', () => {
  const payOut = async (number: string): Promise<string> => {
    const reference = `P-${number}`;
    const asked = await post(maker, '/api/v4/payouts', {
      account_no: maker.credentials.accountNo,
      phone: own(number),
      amount_minor: 5_000,
      currency: 'KES',
      channel: 'airtel',
      reference,
    });
    expect([number, asked.status]).toEqual([number, 202]);
    const approved = await post(checker, `/api/v4/payouts/${reference}/approve`, {});
    expect([number, approved.status]).toEqual([number, 202]);
    return reference;
  };

  it('are paid once each if Airtel’s enquiry confirms it, and release nothing while it is unclear', async () => {
    const paid = ['00101', '00102', '00103', '00104', '00106', '00107', '00108', '00115', '00118'];
    const failed = ['00105', '00110', '00113'];
    const unclear = ['00109', '00112'];
    for (const number of [...paid, ...failed, ...unclear]) await payOut(number);
    for (const number of paid) {
      const item = await itemIs('payouts', `P-${number}`, 'completed');
      expect(item).toMatchObject({ channel: 'airtel', receipt: expect.stringMatching(/^\w+\./) });
    }
    for (const number of failed) await itemIs('payouts', `P-${number}`, 'failed');
    for (const number of unclear) await itemIs('payouts', `P-${number}`, 'pending');
    expect(await airtelSays('/_stats')).toMatchObject({ paid_out: paid.length });
  });

  it('return a payment to the number that paid, over the rail that it used', async () => {
    const before = await airtelSays('/_stats');
    const asked = await post(maker, '/api/v4/collections/A-00001/refund', {
      reference: 'R-1',
      phone: own('00001'),
    });
    expect(asked.status).toBe(202);
    await post(checker, '/api/v4/payouts/R-1/approve', {});
    await itemIs('payouts', 'R-1', 'completed');
    const { body } = await eventually(
      () => maker.get('/api/v4/collections/A-00001'),
      (answer) => answer.body['refunded_minor'] === 10_000,
    );
    expect(body).toMatchObject({ refund_status: 'refunded' });
    const after = await airtelSays('/_stats');
    expect(Number(after['paid_out']) - Number(before['paid_out'])).toBe(1);
  });
});

it('leaves a ledger in which the clearing account has what Airtel took and paid', async () => {
  const verified = await service.runCommand(['verify', '--json']);
  expect(verified).toMatchObject({ code: 0 });
  const { paid, paid_out: paidOut } = await airtelSays('/_stats');
  expect([paid, paidOut]).toEqual([paying.length + 1, 10]);
  const events = await service.runCommand(['events', '--stream', 'collection-']);
  const legs = [
    ...events.text.matchAll(/"account":"rail-clearing:airtel","amountMinor":"(-?\d+)"/g),
  ];
  const took = legs.reduce((sum, [, minor = '0']) => sum - BigInt(minor), 0n);
  expect(took).toBe(BigInt(paying.length + 1) * 10_000n);
});

describe('the day on two rails', () => {
  interface Day {
    readonly open: number;
    readonly channel: string;
    readonly statement: { readonly in_minor: number; readonly out_minor: number };
    readonly ledger: Readonly<Record<'collections' | 'payouts', { readonly amount_minor: number }>>;
    readonly sweeps: readonly object[];
  }

  const onMpesa = async (path: string, body: object) => {
    const answer = await fetch(service.simulatorUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Readonly<Record<string, string>>;
  };

  async function approve(reference: string): Promise<void> {
    await eventually(
      () => post(checker, `/api/v4/payouts/${reference}/approve`, {}),
      ({ status }) => status === 202,
    );
    await itemIs('payouts', reference, 'completed');
  }

  async function compare(channel: string, rail: string) {
    const file = join(folder, `${channel}.csv`);
    await writeFile(file, await (await fetch(`${rail}/_statement.csv`)).text());
    const { merchantId, accountNo } = maker.credentials;
    const ran = (of: string) =>
      service.runCommand([
        ...['reconcile', '--merchant', merchantId, '--account', accountNo, '--date', date],
        ...['--channel', of, '--statement', file, '--as', 'amina', '--json'],
      ]);
    return { ran, result: await ran(channel) };
  }

  it('includes pushes, a notice, refunds, payouts and a sweep on M-Pesa, and a sweep on Airtel', async () => {
    const why = ['--reason', 'spec', '--as', 'amina'];
    const registering = ['rail', 'notices', 'register', '--mode', 'demo', ...why];
    expect(await service.runCommand(registering)).toMatchObject({ code: 0 });
    const phone = '254712345678';
    for (const reference of ['M-1', 'M-2']) {
      await maker.collect({ reference, phone, amount_minor: 20_000, channel: 'mpesa' });
      await itemIs('collections', reference, 'completed');
    }
    const billReference = maker.credentials.accountNo;
    const notified = await onMpesa('/_c2b', { amount: '77.50', billReference, tell: 1 });
    const unasked = encodeURIComponent(`mpesa~${notified['TransID'] ?? ''}`);
    await itemIs('collections', unasked, 'completed');
    await post(maker, '/api/v4/collections/M-2/refund', { reference: 'R-M-2' });
    await approve('R-M-2');
    const { accountNo: account_no } = maker.credentials;
    const rest = { amount_minor: 5_000, currency: 'KES', channel: 'mpesa', reference: 'P-M-1' };
    const asked = await post(maker, '/api/v4/payouts', { account_no, phone, ...rest });
    expect(asked.status).toBe(202);
    await approve('P-M-1');
    await onMpesa('/_sweep', { amount: '100.00' });
    const swept = await fetch(`${airtel.url}/_sweep`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '250.00' }),
    });
    expect(swept.ok).toBe(true);
  });

  it('closes against two statements to the cent, each compared only with its own rail’s items', async () => {
    const sweptMinor = { mpesa: 10_000, airtel: 25_000 };
    for (const [channel, rail] of [
      ['mpesa', service.simulatorUrl],
      ['airtel', airtel.url],
    ] as const) {
      const { result } = await compare(channel, rail);
      const day = JSON.parse(result.text) as Day;
      const { statement, ledger } = day;
      expect([channel, result.code, day.open, day.channel]).toEqual([channel, 0, 0, channel]);
      expect(day.sweeps).toMatchObject([{ amount_minor: sweptMinor[channel], outcome: 'posted' }]);
      expect(statement.in_minor).toBe(ledger.collections.amount_minor);
      expect(statement.out_minor).toBe(ledger.payouts.amount_minor + sweptMinor[channel]);
    }
    expect(await service.runCommand(['verify'])).toMatchObject({ code: 0 });
  });

  it('rejects the statement of the other rail, and records nothing', async () => {
    const { merchantId } = maker.credentials;
    const listed = ['reconcile', 'list', '--merchant', merchantId, '--json'];
    const before = await service.runCommand(listed);
    const { ran } = await compare('mpesa', service.simulatorUrl);
    expect(await ran('airtel')).toMatchObject({
      code: 1,
      text: expect.stringContaining('no header was found: a statement of Airtel Money has'),
    });
    const { reconciliations } = JSON.parse((await service.runCommand(listed)).text) as {
      readonly reconciliations: readonly { readonly channel: string }[];
    };
    expect(reconciliations.map(({ channel }) => channel)).toEqual(['mpesa', 'airtel', 'mpesa']);
    expect(before).toMatchObject({ code: 0 });
  });
});
