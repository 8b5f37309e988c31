import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PushOutcome } from '#domain/rails';
import { RailTokenCache, RedisStore } from '#infra/redis';
import {
  createLogger,
  loadSettings,
  Metrics,
  packageDirectory,
  SystemClock,
  SystemTimer,
} from '#infra/runtime';
import { Keyring, readToken, sealToken } from '#shared/signing';
import { redisNamespace } from '#testing';
import { describeRail } from '../../../../test/rail/contract.js';
import { subscribers } from '../../../../test/rail/fake-daraja.js';
import { declinedCallback, paidCallback } from '../../../../test/rail/harness.js';
import { bearerSeal, type Callback, Rails } from '#edges/rails';
import { noAnswers } from '../test/daraja-settings.js';
import { DarajaRail } from './daraja-rail.js';

const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
/** Enough for a push on a busy machine. */
const pushTimeoutMs = 8000;
/** Later than the push's deadline, and early enough for a test. */
const slowAnswerMs = 12_000;
const delayMs = 150;

let directory: string;
let simulator: ChildProcess;
let simulatorPort: number;
let redis: RedisStore;
let daraja: DarajaRail;
let unreachable: DarajaRail;
let rail: Rails;
let ourEdge: Server;
/** The callbacks received, by stream. */
const heard = new Map<
  string,
  { readonly callback: Callback | undefined; readonly atMs: number }[]
>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pesapost-simulator-'));
  const port = await startSimulator();
  simulatorPort = port;
  redis = new RedisStore({
    ...redisNamespace(),
    logger: createLogger({ app: 'tests', level: 'fatal' }),
  });
  await redis.start();
  daraja = darajaAt(port);
  unreachable = darajaAt(1, 1500);
  const baseUrl = `http://127.0.0.1:${await startOurEdge()}`;
  rail = new Rails([daraja], { baseUrl, keyring, metrics: new Metrics(), answers: noAnswers });
});

function darajaAt(port: number, timeoutMs = pushTimeoutMs): DarajaRail {
  return new DarajaRail({
    rails: loadSettings({ SIMULATOR_PORT: String(port) }).rails.mpesa,
    subscribers,
    pushTimeoutMs: timeoutMs,
    clock: new SystemClock(),
    timer: new SystemTimer(),
    tokens: (options) =>
      new RailTokenCache(
        redis,
        { ...options, name: `${options.name}-${port}` },
        bearerSeal(keyring),
      ),
    metrics: new Metrics(),
  });
}

afterAll(async () => {
  await rail.close();
  await unreachable.close();
  await redis.close();
  ourEdge.closeAllConnections();
  ourEdge.close();
  const ended = new Promise((resolve) => simulator.once('exit', resolve));
  simulator.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true, force: true });
});

/** Returns the stream that the callback URL is about. */
function calledFor(url: string): string {
  const read = readToken(keyring, url.split('/').at(-1) ?? '');
  return read.kind === 'stream' ? read.stream : 'nobody';
}

async function startSimulator(): Promise<number> {
  simulator = spawn(
    process.execPath,
    [packageDirectory('dist', 'apps', 'daraja-simulator', 'src', 'main.js')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SIMULATOR_PORT: '0',
        SIMULATOR_DELAY: `${delayMs}ms`,
        SIMULATOR_SLOW_ANSWER: `${slowAnswerMs}ms`,
        SIMULATOR_DIR: directory,
        LOG_LEVEL: 'fatal',
      },
    },
  );
  for await (const line of createInterface({ input: simulator.stdout as NodeJS.ReadableStream })) {
    const said = JSON.parse(line) as { msg?: string; port?: number };
    if (said.msg === 'listening' && said.port !== undefined) return said.port;
  }
  throw new Error('the simulator did not come up');
}

async function startOurEdge(): Promise<number> {
  ourEdge = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const stream = calledFor(request.url ?? '');
      const callback = daraja.readCallback(Buffer.concat(chunks));
      heard.set(stream, [...(heard.get(stream) ?? []), { callback, atMs: performance.now() }]);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"ResultCode":0,"ResultDesc":"Accepted"}');
    });
  });
  await new Promise<void>((resolve) => ourEdge.listen(0, '127.0.0.1', resolve));
  return (ourEdge.address() as AddressInfo).port;
}

interface Story {
  readonly outcome: PushOutcome;
  readonly answeredAtMs: number;
  /** Waits for that many callbacks. */
  readonly callbacks: (count: number) => Promise<Callback[]>;
  readonly firstHeardAtMs: () => number | undefined;
}

async function push(lastDigits: string, amountMinor = 25_050n): Promise<Story> {
  const stream = `collection-demo:m1:${lastDigits}-${performance.now()}`;
  const outcome = await rail.push({
    channel: 'mpesa',
    mode: 'demo',
    stream,
    phone: `254700000${lastDigits}`,
    amountMinor,
    accountReference: '0123456789AB',
  });
  const said = () => heard.get(stream) ?? [];
  return {
    outcome,
    answeredAtMs: performance.now(),
    callbacks: async (count) => {
      const giveUpAt = performance.now() + 60_000;
      while (said().length < count && performance.now() < giveUpAt) await sleep(20);
      expect(said().map(({ callback }) => callback)).not.toContain(undefined);
      return said().map(({ callback }) => callback as Callback);
    },
    firstHeardAtMs: () => said()[0]?.atMs,
  };
}

const paidVerdict = (amountMinor = 25_050n) => ({
  kind: 'paid',
  resultCode: '0',
  receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) as unknown,
  amountMinor,
  paidAt: expect.stringMatching(/^20\d\d-.*Z$/) as unknown,
});
const referenceOf = ({ outcome }: Story): string => {
  if (outcome.kind !== 'accepted') throw new Error(`the push is ${outcome.kind}`);
  return outcome.railReference;
};
/** Waits until the simulator has called back about what was pushed before, if it ever does. */
const settle = async (): Promise<void> => {
  await (await push('999')).callbacks(1);
  await sleep(delayMs + 250);
};

describe('the rail at the simulator', () => {
  it('carries an amount with cents both ways, and a query reports the payment', async () => {
    const story = await push('999');
    const railReference = referenceOf(story);
    const [callback] = await story.callbacks(1);
    expect(callback).toMatchObject({ railReference, verdict: paidVerdict() });
    expect(callback?.merchantRequestId).not.toBe('');
    expect(await rail.query({ channel: 'mpesa', mode: 'demo', railReference })).toMatchObject({
      kind: 'paid',
      resultCode: '0',
    });
  });

  it('…021 gets an id with the customer’s number; the rail reference omits it, and a query still works', async () => {
    const story = await push('021');
    const railReference = referenceOf(story);
    const [callback] = await story.callbacks(1);
    expect(callback).toMatchObject({ railReference, verdict: paidVerdict() });
    expect(railReference).not.toContain('700000021');
    expect(await rail.query({ channel: 'mpesa', mode: 'demo', railReference })).toMatchObject({
      kind: 'paid',
    });
  });

  it.each([
    ['002', 'cancelled'],
    ['003', 'insufficient_funds'],
    ['004', 'wrong_pin'],
    ['005', 'no_answer'],
    ['020', 'subscriber_busy'],
  ])('…%s declines: %s, by callback and query alike', async (digits, failureCode) => {
    const story = await push(digits);
    const railReference = referenceOf(story);
    const verdict = { kind: 'declined', failureCode };
    expect(await story.callbacks(1)).toMatchObject([{ railReference, verdict }]);
    expect(await rail.query({ channel: 'mpesa', mode: 'demo', railReference })).toMatchObject(
      verdict,
    );
  });

  it('…006 pays without a callback, and a query reports the payment', async () => {
    const story = await push('006');
    await settle();
    expect(
      await rail.query({ channel: 'mpesa', mode: 'demo', railReference: referenceOf(story) }),
    ).toMatchObject({ kind: 'paid' });
    expect(await story.callbacks(0)).toEqual([]);
  });

  it('…007 calls back twice with one receipt', async () => {
    const [first, second] = await (await push('007')).callbacks(2);
    expect(first).toMatchObject({ verdict: paidVerdict() });
    expect(second).toEqual(first);
  });

  it('…008 reports no answer first, then a payment', async () => {
    const callbacks = await (await push('008')).callbacks(2);
    expect(callbacks).toMatchObject([
      { verdict: { kind: 'declined', failureCode: 'no_answer' } },
      { verdict: paidVerdict() },
    ]);
  });

  it('…009 calls back before it answers the push', async () => {
    const story = await push('009');
    const railReference = referenceOf(story);
    expect(await story.callbacks(1)).toMatchObject([{ railReference, verdict: paidVerdict() }]);
    expect(story.firstHeardAtMs()).toBeLessThan(story.answeredAtMs);
  });

  it('…010 pays one step more, and a query reports only that it is paid', async () => {
    const story = await push('010');
    const [callback] = await story.callbacks(1);
    expect(callback?.verdict).not.toMatchObject({ amountMinor: 25_050n });
    expect(callback?.verdict).toMatchObject({ kind: 'paid' });
    expect(
      await rail.query({ channel: 'mpesa', mode: 'demo', railReference: referenceOf(story) }),
    ).toMatchObject({
      kind: 'paid',
      resultCode: '0',
    });
  });

  it.each([
    ['011', 'invalid_request'],
    ['014', 'rail_refused'],
  ])('…%s is refused at once: %s', async (digits, failureCode) => {
    const story = await push(digits);
    expect(story.outcome).toEqual({ kind: 'refused', failureCode });
    await settle();
    expect(await story.callbacks(0)).toEqual([]);
  });

  it('…012 loses the push’s answer, and its callback names a checkout that a query finds', async () => {
    const story = await push('012');
    expect(story.outcome.kind).toBe('unknown');
    const [callback] = await story.callbacks(1);
    expect(callback?.verdict).toMatchObject(paidVerdict());
    const outcome = await rail.query({
      channel: 'mpesa',
      mode: 'demo',
      railReference: callback?.railReference ?? '',
    });
    expect(outcome).toMatchObject({ kind: 'paid', resultCode: '0' });
  });

  it('…013 loses the push’s answer and sends no callback', async () => {
    const story = await push('013');
    expect(story.outcome.kind).toBe('unknown');
    await settle();
    expect(await story.callbacks(0)).toEqual([]);
  });

  it('…015 answers late, and pays after that', async () => {
    const story = await push('015');
    if (story.outcome.kind !== 'unknown') throw new Error('the answer was not late');
    const late = await story.outcome.late;
    expect(late).toMatchObject({ kind: 'accepted' });
    expect(await story.callbacks(1)).toMatchObject([
      { railReference: late?.kind === 'accepted' ? late.railReference : '' },
    ]);
  });

  it('…016 is reported as unresolved twice, then as paid', async () => {
    const railReference = referenceOf(await push('016'));
    await settle();
    const outcomes = [];
    for (let query = 0; query < 3; query += 1)
      outcomes.push((await rail.query({ channel: 'mpesa', mode: 'demo', railReference })).kind);
    expect(outcomes).toEqual(['unresolved', 'unresolved', 'paid']);
  });

  it('…017 meets a spike arrest twice, then is accepted', async () => {
    const story = await push('017');
    referenceOf(story);
    expect(await story.callbacks(1)).toMatchObject([{ verdict: paidVerdict() }]);
  });
});

describe('the simulator’s list of payments', () => {
  const day = { fromMs: Date.now() - 3_600_000, untilMs: Date.now() + 3_600_000 };

  it('is returned page by page up to an empty one, with the customers’ numbers masked', async () => {
    for (const digits of ['006', '007', '010']) {
      const story = await push(digits);
      if (digits !== '006') await story.callbacks(1);
    }
    await settle();
    const first = await daraja.paymentLists.ask('demo', { ...day, offset: 0 });
    if (first.kind !== 'page') throw new Error(first.kind);
    expect(first.unreadable).toBe(0);
    expect(first.payments.length).toBeGreaterThanOrEqual(3);
    expect(first.payments).toContainEqual({
      receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) as unknown,
      paidAt: expect.stringMatching(/^20\d\d-.*Z$/) as unknown,
      amountMinor: 25_051n,
      code: '0123456789AB',
      party: '2547*****010',
    });
    const { next: offset = 0 } = first;
    expect(offset).toBe(first.payments.length);
    expect(await daraja.paymentLists.ask('demo', { ...day, offset })).toEqual({
      kind: 'page',
      payments: [],
      unreadable: 0,
    });
  });

  const answerBy = async (ways: object): Promise<void> => {
    const { status } = await fetch(`http://127.0.0.1:${simulatorPort}/_pull`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ways),
    });
    expect(status).toBe(200);
  };

  it('is the same in every notation of dates and numbers; a 1001 or a 500 is not read as an empty list', async () => {
    const asked = { ...day, offset: 0 };
    const all = await daraja.paymentLists.ask('demo', asked);
    if (all.kind !== 'page') throw new Error(all.kind);
    try {
      for (const date of ['nairobi_z', 'offset', 'none', 'z'])
        for (const msisdn of ['text', 'nine', 'masked', 'number']) {
          await answerBy({ date, msisdn });
          expect(await daraja.paymentLists.ask('demo', asked)).toEqual(all);
        }
      await answerBy({ msisdn: 'absent' });
      const unnamed = all.payments.map(({ party: _party, ...rest }) => rest);
      expect(await daraja.paymentLists.ask('demo', asked)).toEqual({ ...all, payments: unnamed });
      for (const empty of ['1001', '500']) {
        await answerBy({ tells: 'nothing', empty });
        expect(await daraja.paymentLists.ask('demo', asked)).toEqual({ kind: 'nothing_told' });
      }
      await answerBy({ empty: '1000' });
      const none = { kind: 'page', payments: [], unreadable: 0 };
      expect(await daraja.paymentLists.ask('demo', asked)).toEqual(none);
    } finally {
      await answerBy({ tells: 'payments', empty: '1001', date: 'z', msisdn: 'number' });
    }
  });

  it('is not returned for a time beyond its memory, or by a mode or rail that cannot be asked', async () => {
    const old = { ...day, fromMs: Date.now() - 49 * 3_600_000, offset: 0 };
    expect(await daraja.paymentLists.ask('demo', old)).toEqual({ kind: 'unanswered' });
    expect(daraja.paymentLists.lookBackMs('demo')).toBe(48 * 3_600_000);
    expect(daraja.paymentLists.lookBackMs('live')).toBeUndefined();
    expect(await daraja.paymentLists.ask('live', { ...day, offset: 0 })).toEqual({
      kind: 'not_asked',
    });
    expect(await unreachable.paymentLists.ask('demo', { ...day, offset: 0 })).toEqual({
      kind: 'not_asked',
    });
  });
});

describeRail('Daraja', {
  adapter: () => daraja,
  unreachable: () => unreachable,
  phones: { accepted: '254700000999', refused: '254700000011', unknown: '254700000012' },
  callbackUrl: () => {
    const { port } = ourEdge.address() as AddressInfo;
    const stream = `collection-demo:m1:contract-${performance.now()}`;
    return `http://127.0.0.1:${port}/rails/${sealToken(keyring, stream)}`;
  },
  // Daraja calls back once about each prompt on these phones.
  promptsFor: async (url) => {
    await settle();
    return heard.get(calledFor(url))?.length ?? 0;
  },
  referenceOf: async (query) => {
    const story = await push({ paid: '006', declined: '002', unresolved: '016' }[query]);
    await settle();
    return referenceOf(story);
  },
  callbacks: {
    paid: paidCallback('ws_CO_1'),
    declined: declinedCallback('ws_CO_1'),
    'unreadable amount': paidCallback('ws_CO_1', { amount: '"250,00"' }),
    'unreadable date': paidCallback('ws_CO_1').replace('20260102030405', '20261302030405'),
    none: '{"Body":{}}',
  },
  payouts: {
    phones: { accepted: '254700000999', refused: '254700000101', unknown: '254700000103' },
    results: {
      paid: payoutResult(0, '250.00'),
      declined: payoutResult(8),
      'unreadable amount': payoutResult(0, '"250,00"'),
      none: '{"Result":{}}',
    },
  },
  pushTimeoutMs,
});

function payoutResult(code: number, amount = '0'): string {
  return `{"Result":{"ResultCode":${code},"ResultDesc":"","OriginatorConversationID":"pp-1",
    "ConversationID":"AG_1","TransactionID":"NLJ41HAY6Q","ResultParameters":{"ResultParameter":[
    {"Key":"TransactionAmount","Value":${amount}}]}}}`;
}
