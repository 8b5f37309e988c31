import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type CorrectionEvent, correctionStream } from '#domain/corrections';
import { type ReservationEvent, reservationsStream } from '#domain/ledger';
import { packageDirectory } from '#infra/runtime';
import {
  eventually,
  inheritedEnvironment,
  openStore,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  typed,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueV3, type V3Client } from './v3-client.js';

const amountMinor = 10_000;
/** 150 basis points. */
const feeMinor = 150;
const netMinor = amountMinor - feeMinor;
const commandDeadlineMs = 90_000;

/** A log of its own: `verify` compares all of it with this service's records. */
let servers: OwnServers;
let service: Service;
let v3: V3Client;
let store: ReturnType<typeof openStore>;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
  store = openStore(servers.env.EVENTSTORE_URL);
  v3 = await issueV3(service, merchantId());
  await eventually(
    () => v3.balance(['KE', accountNo(), 'KES']),
    ({ status }) => status === 200,
  );
});
afterAll(async () => {
  await store.dispose();
  await service.stop();
  await servers.stop();
});

const merchantId = (): string => service.merchant.credentials.merchantId;
const accountNo = (): string => service.merchant.credentials.accountNo;

interface Ended {
  readonly code: number | null;
  readonly said: string;
}
type Json = Readonly<Record<string, unknown>>;

async function pesapost(...words: readonly string[]): Promise<Ended> {
  const { code, text: said } = await service.runCommand(words);
  return { code, said };
}

async function told(...words: readonly string[]): Promise<Json> {
  const { code, said } = await pesapost(...words, '--json');
  expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/^\{/) });
  return JSON.parse(said) as Json;
}

/** Proposed by asha. */
async function proposed(id: string, legs: readonly string[], more: readonly string[] = []) {
  const whose = ['--merchant', merchantId(), '--mode', 'demo', '--currency', 'KES'];
  const why = ['--as', 'asha', '--reason', 'statement of 20 November'];
  const all = legs.flatMap((leg) => ['--leg', leg]);
  return told('correction', 'post', '--id', id, ...whose, ...why, ...all, ...more);
}
const confirm = (id: string, who: string): Promise<Ended> =>
  pesapost('correction', 'confirm', id, '--mode', 'demo', '--as', who);
const shown = (id: string): Promise<Json> => told('correction', 'show', id, '--mode', 'demo');
async function listed(id: string, ...more: readonly string[]): Promise<Json | undefined> {
  const { corrections } = await told('correction', 'list', '--mode', 'demo', ...more);
  return (corrections as Json[]).find((each) => each['id'] === id);
}

async function completedCollection(reference: string): Promise<void> {
  const { status } = await service.merchant.collect({ reference, amount_minor: amountMinor });
  expect(status).toBe(202);
  await eventually(
    () => service.merchant.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed',
  );
}

/** The account's balance in both versions. */
async function balances(): Promise<Json> {
  const { body } = await service.merchant.get(`/api/v4/accounts/${accountNo()}/balance`);
  const { posted_minor, reserved_minor, available_minor } = body;
  const old = await v3.balance(['KE', accountNo(), 'KES']);
  return { posted_minor, reserved_minor, available_minor, v3: old.body['balance'] };
}

/** Waits until the views show it; then both versions and `verify` agree with the log. */
async function expectBalance(postedMinor: number, reservedMinor = 0): Promise<void> {
  const expected = {
    posted_minor: postedMinor,
    reserved_minor: reservedMinor,
    available_minor: postedMinor - reservedMinor,
    v3: (postedMinor / 100).toFixed(2),
  };
  await eventually(balances, (found) => JSON.stringify(found) === JSON.stringify(expected));
  const { code, said } = await pesapost('verify');
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('no differences') });
}

/** The correction's events in the log: its own, and the reservations for it. */
async function inLog(id: string): Promise<readonly string[]> {
  const stream = correctionStream({ mode: 'demo', id });
  const own = await store.readStream<CorrectionEvent>(stream);
  const reserved = await store.readStream<ReservationEvent>(
    reservationsStream({
      mode: 'demo',
      merchantId: merchantId(),
      accountNo: accountNo(),
      currency: 'KES',
    }),
  );
  const its = reserved.filter(({ data }) => data.source === stream);
  return [...own, ...its].map(({ type }) => type);
}

const wallet = (minor: number): string => `wallet:${accountNo()}=${minor}`;

/** Each command is a process of its own; a busy machine takes seconds for one. */
const manyCommandsMs = 360_000;

describe('a completed collection that is reversed', () => {
  const id = randomUUID();
  const reversal = (): string[] => [
    wallet(-netMinor),
    `fees=-${feeMinor}`,
    `rail-clearing:mpesa=${amountMinor}`,
  ];

  it(
    'moves nothing before a second operator confirms, however the first spells their name',
    async () => {
      await completedCollection('REVERSED-1');
      await expectBalance(netMinor);
      const corrects = `collection-demo:${merchantId()}:REVERSED-1`;
      expect(await proposed(id, reversal(), ['--corrects', corrects])).toMatchObject({
        id,
        status: 'proposed',
        proposed_by: 'asha',
        confirmed_by: null,
        corrects,
      });
      for (const name of ['asha', ' ASHA ', 'Ａsha'])
        expect(await confirm(id, name)).toEqual({
          code: 1,
          said: 'The operator who proposed this cannot confirm it.',
        });
      expect(await inLog(id)).toEqual(['CorrectionProposed']);
      await eventually(
        () => listed(id, '--open'),
        (found) => found?.['status'] === 'proposed',
      );
      await expectBalance(netMinor);
    },
    manyCommandsMs,
  );

  it(
    'is deducted from posted and available once, however often it is confirmed',
    async () => {
      const first = await confirm(id, 'joseph');
      expect(first).toEqual({ code: 0, said: expect.stringContaining('confirmed by joseph') });
      await expectBalance(0);
      const events = ['CorrectionProposed', 'CorrectionPosted', 'FundsReserved'];
      expect(await inLog(id)).toEqual(events);

      expect(await confirm(id, 'joseph')).toEqual(first);
      expect(await confirm(id, 'wanjiru')).toEqual(first);
      expect(await inLog(id)).toEqual(events);
      await expectBalance(0);
    },
    manyCommandsMs,
  );

  it(
    'is shown and listed as posted, and leaves the collection completed',
    async () => {
      const posted = { id, status: 'posted', proposed_by: 'asha', confirmed_by: 'joseph' };
      expect(await shown(id)).toMatchObject(posted);
      expect(await listed(id)).toMatchObject(posted);
      expect(await listed(id, '--open')).toBeUndefined();
      const { body } = await service.merchant.get('/api/v4/collections/REVERSED-1');
      expect(body['status']).toBe('completed');
    },
    manyCommandsMs,
  );
});

describe('a correction that takes more than is available', () => {
  it(
    'is rejected, reserves nothing, and is posted once the wallet has enough',
    async () => {
      const id = randomUUID();
      await proposed(id, [wallet(-netMinor), `rail-clearing:mpesa=${netMinor}`]);
      expect(await confirm(id, 'joseph')).toEqual({
        code: 1,
        said: expect.stringContaining('Nothing was reserved'),
      });
      expect(await inLog(id)).toEqual(['CorrectionProposed']);
      await expectBalance(0);

      await completedCollection('FUNDS-1');
      await expectBalance(netMinor);
      expect(await confirm(id, 'joseph')).toMatchObject({ code: 0 });
      await expectBalance(0);
    },
    manyCommandsMs,
  );
});

describe('an unconfirmed correction', () => {
  it(
    'is rejected after 24 hours, and its receipt is free again',
    async () => {
      const [id, next] = [randomUUID(), randomUUID()];
      const legs = ['rail-clearing:mpesa=-100', wallet(100)];
      const receipt = ['--receipt', 'NLW7RT61SV'];
      await proposed(id, legs, receipt);
      const tomorrow = { ...service.env, CLOCK_OFFSET: '1441m' };
      const words = ['correction', 'confirm', id, '--mode', 'demo', '--as', 'joseph'];
      const late = await typed(tomorrow, ...words);
      expect(late).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('expired after 24 hours'),
      });
      expect(await inLog(id)).toEqual(['CorrectionProposed', 'CorrectionEnded']);
      expect(await shown(id)).toMatchObject({ status: 'expired', confirmed_by: null });
      await eventually(
        () => listed(id),
        (each) => each?.['status'] === 'expired',
      );
      await proposed(next, legs, receipt);
      expect(await confirm(next, 'joseph')).toMatchObject({ code: 0 });
      await expectBalance(100);
      const back = randomUUID();
      await proposed(back, ['rail-clearing:mpesa=100', wallet(-100)]);
      expect(await confirm(back, 'joseph')).toMatchObject({ code: 0 });
      await expectBalance(0);
    },
    manyCommandsMs,
  );
});

describe('docs/how-to/correct-the-ledger.md', () => {
  const page = readFileSync(packageDirectory('docs/how-to/correct-the-ledger.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

  /** Two operators. No one can sign in here, so their names are typed. */
  const actors = { post: 'asha', confirm: 'joseph', withdraw: 'asha' } as const;
  /** Runs a block as printed, with this merchant's values. */
  async function follow(block: string, id = ''): Promise<string> {
    const script = block
      .replaceAll(
        /correction (post|confirm|withdraw)/g,
        (words, of: keyof typeof actors) => `${words} --as ${actors[of]}`,
      )
      .replaceAll('--mode live', '--mode demo')
      .replaceAll('--merchant M', `--merchant ${merchantId()}`)
      .replaceAll('wallet:1000000001', `wallet:${accountNo()}`)
      .replaceAll('collection-live:M:', `collection-demo:${merchantId()}:`)
      .replaceAll(/\bID\b/g, id);
    const { HOME = '' } = process.env;
    const env = { ...inheritedEnvironment(), HOME, ...service.env };
    const options = { cwd: packageDirectory(), env, timeout: commandDeadlineMs };
    return (await promisify(execFile)('sh', ['-eu', '-c', script], options)).stdout;
  }
  const idIn = (said: string): string =>
    /correction ([0-9a-f-]{36}) is proposed/.exec(said)?.[1] ?? '';

  it(
    'posts a fee that was not charged, and a reversal by the rail that overdraws',
    async () => {
      const [propose = '', post = '', withdraw = '', reverse = '', twice = '', ...others] = blocks;
      expect(others).toEqual([]);
      await completedCollection('INV-1001');
      await expectBalance(netMinor);

      const mistaken = idIn(await follow(propose));
      expect(await follow(withdraw, mistaken)).toContain(`withdrawn: correction ${mistaken}`);

      const fee = idIn(await follow(propose));
      await eventually(() => listed(fee, '--open'), Boolean);
      expect(await follow(post, fee)).toContain(`correction ${fee} is posted`);
      await expectBalance(netMinor - 5000);

      const reversal = idIn(await follow(reverse));
      await eventually(() => listed(reversal, '--open'), Boolean);
      expect(await follow(post, reversal)).toContain(`correction ${reversal} is posted`);
      await expectBalance(-5000);
      expect(await shown(reversal)).toMatchObject({ receipt: 'NLK8RU72TW', may_overdraw: true });

      const second = idIn(await follow(twice));
      await eventually(() => listed(second, '--open'), Boolean);
      expect(await follow(post, second)).toContain(`correction ${second} is posted`);
      await expectBalance(-5000);
    },
    manyCommandsMs,
  );
});
