import { Logger } from '@nestjs/common';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountRefusals, PayoutPace, PayoutRails, type RailFloat, RailFloats } from '#edges/rails';
import { Timer } from '#domain/kernel';
import { type PayoutOutcome } from '#domain/payouts';
import { Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { Keyring, readToken } from '#shared/signing';
import {
  error,
  FakeDaraja,
  hang,
  json,
  OwnToken,
  reset,
  type Script,
  subscribers,
} from '../../../../test/rail/fake-daraja.js';
import { noAnswers, payoutSettings, settingsAt } from '../test/daraja-settings.js';
import { DarajaRail } from './daraja-rail.js';

/** No result here refuses a payout because of the account. */
const noRefusals = new AccountRefusals({
  get: () => Promise.resolve(null),
  set: () => Promise.resolve(),
  add: () => Promise.resolve(),
});

const paths = {
  pay: '/mpesa/b2c/v3/paymentrequest',
  reverse: '/mpesa/reversal/v1/request',
  ask: '/mpesa/transactionstatus/v1/query',
  float: '/mpesa/accountbalance/v1/query',
} as const;
const accept = json(200, {
  ConversationID: 'AG_1',
  OriginatorConversationID: 'pp-1',
  ResponseCode: '0',
  ResponseDescription: 'Accept the service request successfully.',
});
const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
const stream = 'payout-demo:m1:out-1';
const name = { channel: 'mpesa', mode: 'demo', stream, originatorConversationId: 'pp-1' } as const;
const order = { ...name, phone: '254712345678', amountMinor: 25_000n };
const unknown = { kind: 'unknown' };
/** A page for people, as a firewall before the rail answers with. */
const page =
  (status: number): Script =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>Request blocked</h1>');
const refused = (failureCode: string) => ({ kind: 'refused', failureCode });

class Floats extends RailFloats {
  float: RailFloat | undefined;
  override of(): Promise<RailFloat | undefined> {
    return Promise.resolve(this.float);
  }
  override spend = () => Promise.resolve();
  override spentSince = () => Promise.resolve(0n);
}

class Now extends SystemClock {
  ms = 1_000_000;
  override nowMs = () => this.ms;
}

class NoPauses extends Timer {
  override sleep = () => Promise.resolve();
}

let now: Now;
let daraja: FakeDaraja;
let port: number;
let floats: Floats;
let adapters: DarajaRail[] = [];

function railAt(
  url: string,
  payouts = true,
  timing = { pushTimeoutMs: 60_000, timer: new SystemTimer() },
  more: { readonly reverses?: true } = {},
): PayoutRails {
  const own = { payouts: { ...payoutSettings, ...more } };
  const settings = { ...settingsAt(url), ...(payouts && own) };
  const metrics = new Metrics();
  const adapter = new DarajaRail({
    rails: { demo: settings, live: undefined },
    subscribers,
    ...timing,
    clock: new SystemClock(),
    tokens: (options) => new OwnToken(options),
    metrics,
  });
  adapters.push(adapter);
  const baseUrl = 'https://pay.example';
  const ids = new UuidIds();
  const options = { baseUrl, keyring, ids, clock: now, floats, metrics, answers: noAnswers };
  return new PayoutRails([adapter], options);
}
const rail = (more?: { readonly reverses: true }) =>
  railAt(`http://127.0.0.1:${port}`, true, undefined, more);
/** For orders that wait for the end of their time. */
const hasty = (url = `http://127.0.0.1:${port}`) =>
  railAt(url, true, { pushTimeoutMs: 4_000, timer: new SystemTimer() });
/** The tries follow each other at once, so that the limit on tries ends them and not the time. */
const tireless = () =>
  railAt(`http://127.0.0.1:${port}`, true, { pushTimeoutMs: 60_000, timer: new NoPauses() });
const sentTo = (path: string) =>
  daraja.seen
    .filter((seen) => seen.path === path)
    .map(({ authorization, body }) => ({ path, authorization, body }));
const bodyOf = (path: string) =>
  JSON.parse(sentTo(path)[0]?.body ?? '{}') as Record<string, string>;
const readUrl = (url = '') => {
  const [base, token = ''] = url.split('/rails/');
  const reading = readToken(keyring, token);
  return [base, reading.kind === 'stream' ? reading.stream : reading.kind];
};

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(async () => {
  now = new Now();
  floats = new Floats(undefined as never, undefined as never);
  daraja = new FakeDaraja();
  port = await daraja.listen();
});
afterEach(async () => {
  await Promise.all(adapters.map((each) => each.close()));
  adapters = [];
  await daraja.close();
});

describe('a payment out', () => {
  it('returns the rail’s name for it once accepted, and each of its addresses states its purpose', async () => {
    daraja.scripts.set(paths.pay, [accept]);
    expect(await rail().pay(order)).toEqual({ kind: 'accepted', conversationId: 'AG_1' });
    const { ResultURL, QueueTimeOutURL, ...body } = bodyOf(paths.pay);
    expect(body).toEqual({
      OriginatorConversationID: 'pp-1',
      InitiatorName: 'asha',
      SecurityCredential: 'sealed',
      CommandID: 'BusinessPayment',
      Amount: '250',
      PartyA: '600000',
      PartyB: '254712345678',
      Remarks: 'Payout',
      Occassion: 'Payout',
    });
    expect(readUrl(ResultURL)).toEqual(['https://pay.example', `payout/result mpesa ${stream}`]);
    expect(readUrl(QueueTimeOutURL)).toEqual([
      'https://pay.example',
      `payout/timeout mpesa ${stream}`,
    ]);
  });

  it.each<[string, Script, object, number]>([
    ['400.002.02', error(400, '400.002.02'), refused('invalid_request'), 1],
    ['another 4xx', error(403, '403.000.01'), refused('rail_refused'), 1],
    ['the quota', error(500, '500.003.03'), refused('rail_quota_exceeded'), 1],
    ['a duplicate name', error(500, '500.002.1001'), unknown, 1],
    ['a duplicate name, whatever the status', error(400, '500.002.1001'), unknown, 1],
    ['a name that is there', error(409, '409.002.01'), unknown, 1],
    ['a gateway that waited in vain', error(408, '408.000.01'), unknown, 1],
    ['500.001.1001', error(500, '500.001.1001'), unknown, 1],
    ['500.003.1001', error(500, '500.003.1001'), unknown, 1],
    ['being processed, whatever the status', error(400, '500.001.1001'), unknown, 1],
    ['an internal error, whatever the status', error(404, '500.003.1001'), unknown, 1],
    ['the quota, whatever the status', error(429, '500.003.03'), refused('rail_quota_exceeded'), 1],
    ['a gateway’s 4xx', json(404, {}), unknown, 1],
    ['a gateway’s 5xx', json(502, {}), unknown, 1],
    ['no ConversationID', json(200, { ResponseCode: '0' }), unknown, 1],
    ['another ResponseCode', json(200, { ResponseCode: '1', ConversationID: 'A' }), unknown, 1],
    ['no answer in time', hang, unknown, 1],
    ['a broken connection', reset, unknown, 1],
    ['spike arrest without end', error(500, '500.003.02'), refused('rail_busy'), 2],
    ['a token that is refused twice', error(401, '404.001.03'), refused('rail_unauthorized'), 2],
  ])('after %s is not sent once too often', async (name, script, outcome, atLeast) => {
    daraja.scripts.set(paths.pay, [script]);
    // Only these two need the whole of their time.
    const needsTime = ['no answer in time', 'spike arrest without end'].includes(name);
    expect(await (needsTime ? hasty() : rail()).pay(order)).toEqual(outcome);
    const { length } = sentTo(paths.pay);
    expect(length).toBeGreaterThanOrEqual(atLeast);
    if (atLeast === 1) expect(length).toBe(1);
  });

  it.each([
    error(404, '404.001.03'),
    error(400, '400.003.01'),
    json(401, {}),
    error(500, '500.003.02'),
  ])('is sent again if it was certainly not accepted (%#)', async (script) => {
    daraja.scripts.set(paths.pay, [script, accept]);
    expect(await rail().pay(order)).toEqual({ kind: 'accepted', conversationId: 'AG_1' });
    expect(sentTo(paths.pay)).toHaveLength(2);
  });

  describe('on a machine that is suspended for two days', () => {
    const afterwards = Date.now() + 48 * 3_600_000;
    let clock: jest.SpiedFunction<typeof Date.now> | undefined;
    const suspendedAt =
      (script: Script): Script =>
      (response, request) => {
        clock = jest.spyOn(Date, 'now').mockReturnValue(afterwards);
        script(response, request);
      };
    afterEach(() => {
      clock?.mockRestore();
    });

    it.each([
      ['a new token', error(401, '404.001.03'), 'rail_unavailable'],
      ['a pause', error(500, '500.003.02'), 'rail_busy'],
    ])('is not sent again after %s', async (_what, script, code) => {
      daraja.scripts.set(paths.pay, [suspendedAt(script), accept]);
      expect(await rail().pay(order)).toEqual(refused(code));
      expect(sentTo(paths.pay)).toHaveLength(1);
    });

    it('is not sent once its token is there', async () => {
      daraja.tokens(suspendedAt(json(200, { access_token: 't', expires_in: '3599' })));
      expect(await rail().pay(order)).toEqual(refused('rail_unavailable'));
      expect(sentTo(paths.pay)).toEqual([]);
    });
  });

  it.each<[string, Script, number]>([
    ['a 401 that is not in the rail’s words', json(401, {}), 2],
    ['a firewall’s 403', json(403, { message: 'Forbidden' }), 1],
    ['JSON with a code of somebody else', json(403, { errorCode: 'blocked' }), 1],
  ])('is of unknown outcome after %s', async (_what, script, sent) => {
    daraja.scripts.set(paths.pay, [script]);
    expect(await rail().pay(order)).toEqual(unknown);
    expect(sentTo(paths.pay)).toHaveLength(sent);
  });

  it('is refused if the rail cannot be reached or does not pay out', async () => {
    expect(await railAt('http://127.0.0.1:1').pay(order)).toEqual(refused('rail_unavailable'));
    const without = railAt(`http://127.0.0.1:${port}`, false);
    expect(without.payoutLimits('mpesa', 'demo')).toBeUndefined();
    expect(await without.pay(order)).toEqual(refused('rail_unavailable'));
    expect(await rail().pay({ ...order, mode: 'live' })).toEqual(refused('rail_unavailable'));
    expect(daraja.seen).toEqual([]);
  });

  it('is taken up only if this process can pay it', () => {
    expect(rail().accounts).toEqual([{ channel: 'mpesa', mode: 'demo' }]);
    expect(railAt(`http://127.0.0.1:${port}`, false).accounts).toEqual([]);
  });
});

describe('the check if the rail can accept a payment', () => {
  const account = { channel: 'mpesa', mode: 'demo' } as const;

  const asked = { path: paths.pay, authorization: undefined, body: '' };

  it('is made with an existing token and without an order, if the rail has not answered lately', async () => {
    const paying = rail();
    const answers = await Promise.all([paying.canPay(account), paying.canPay(account)]);
    expect([...answers, await paying.canPay(account)]).toEqual([true, true, true]);
    expect(sentTo(paths.pay)).toEqual([asked]);
    for (const noAnswer of [reset, json(403, { message: 'Forbidden' })]) {
      daraja.scripts.set(paths.pay, [noAnswer]);
      expect(await rail().canPay(account)).toBe(false);
    }
  });

  it('uses the method of an order, because a gateway may not answer others, or answer them from a cache', async () => {
    const methods: string[] = [];
    daraja.scripts.set(paths.pay, [
      (response, request) => {
        methods.push(request.method ?? '');
        const script = request.method === 'POST' ? error(401, '404.001.03') : json(503, {});
        script(response, request);
      },
    ]);
    expect(await rail().canPay(account)).toBe(true);
    expect(methods).toEqual(['POST']);
  });

  it('is repeated after an order that the rail did not answer, even if it has just answered another', async () => {
    daraja.scripts.set(paths.pay, [accept, json(502, {})]);
    const paying = rail();
    await paying.pay(order);
    expect(await paying.canPay(account)).toBe(true);
    expect(await paying.pay(order)).toEqual(unknown);
    expect(await paying.canPay(account)).toBe(false);
    expect(sentTo(paths.pay)).toHaveLength(3);
  });

  it('is made after the circuit’s pause, even if the clock was set back an hour', async () => {
    daraja.scripts.set(paths.pay, [json(502, {})]);
    const paying = rail();
    await Promise.all(Array.from({ length: 20 }, () => paying.pay(order)));
    daraja.scripts.set(paths.pay, [accept]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    try {
      while (!(await paying.canPay(account))) await sleep(100);
    } finally {
      clock.mockRestore();
    }
    expect(await paying.pay(order)).toMatchObject({ kind: 'accepted' });
  });

  it('is negative without a token', async () => {
    daraja.tokens(json(401, {}));
    expect(await rail().canPay(account)).toBe(false);
    daraja.tokens(json(503, {}));
    expect(await hasty().canPay(account)).toBe(false);
    expect(await hasty('http://127.0.0.1:1').canPay(account)).toBe(false);
    expect(await rail().canPay({ ...account, mode: 'live' })).toBe(false);
    expect(sentTo(paths.pay)).toEqual([]);
  });

  it('is negative after failures in a row, until the rail answers a request that is not an order', async () => {
    daraja.scripts.set(paths.pay, [json(502, {})]);
    const paying = rail();
    await Promise.all(Array.from({ length: 20 }, () => paying.pay(order)));
    expect(await paying.canPay(account)).toBe(false);
    expect(sentTo(paths.pay)).toHaveLength(20);
    daraja.scripts.set(paths.pay, [error(405, '405.000.01'), accept]);
    while (!(await paying.canPay(account))) await sleep(100);
    expect(sentTo(paths.pay).slice(20)).toEqual([asked]);
    expect(await paying.pay(order)).toMatchObject({ kind: 'accepted' });
  });
});

it('orders that are unanswered behind a working gateway are sent one at a time until one is answered', async () => {
  const account = { channel: 'mpesa', mode: 'demo' } as const;
  const gateway =
    (behind: Script): Script =>
    (response, request) => {
      const { authorization } = request.headers;
      const script = authorization === undefined ? error(401, '404.001.03') : behind;
      script(response, request);
    };
  const paying = rail();
  const pace = new PayoutPace(paying, now, new SystemTimer(), noRefusals);
  let given = 0;
  const giveWhatMayBe = async (): Promise<void> => {
    for (let at = 0; at < 30; at += 1)
      if (await pace.canPay(account)) {
        await paying.pay(order);
        given += 1;
      }
  };
  // Taken, without a name.
  daraja.scripts.set(paths.pay, [gateway(json(200, { ResponseCode: '0' }))]);
  await giveWhatMayBe();
  expect(given).toBe(30);
  daraja.scripts.set(paths.pay, [gateway(json(504, {}))]);
  await giveWhatMayBe();
  expect([given, pace.inFlight(account)]).toEqual([38, 1]);
  now.ms += 10_000;
  await giveWhatMayBe();
  expect(given).toBe(39);
  daraja.scripts.set(paths.pay, [gateway(accept)]);
  await giveWhatMayBe();
  expect(given).toBe(39);
  now.ms += 10_000;
  await giveWhatMayBe();
  expect(given).toBe(69);
  expect(pace.inFlight(account)).toBeGreaterThan(1);
});

it.each([
  ['a quota that is used up', error(500, '500.003.03'), 'rail_quota_exceeded'],
  ['a spike arrest that does not end', error(500, '500.003.02'), 'rail_busy'],
  ['tokens that are accepted nowhere', error(401, '404.001.03'), 'rail_unauthorized'],
])(
  'after %s few approved payouts are started until one is accepted',
  async (_why, script, code) => {
    const account = { channel: 'mpesa', mode: 'demo' } as const;
    const paying = tireless();
    const pace = new PayoutPace(paying, now, new SystemTimer(), noRefusals);
    const outcomes: PayoutOutcome[] = [];
    const give = async (): Promise<void> => {
      for (let at = 0; at < 30; at += 1)
        if (await pace.canPay(account)) outcomes.push(await paying.pay(order));
    };
    daraja.scripts.set(paths.pay, [script]);
    await give();
    expect(outcomes).toEqual([refused(code), refused(code), refused(code)]);
    now.ms += 9000;
    await give();
    expect([outcomes.length, pace.inFlight(account)]).toEqual([3, 1]);
    now.ms += 1000;
    await give();
    expect(outcomes).toHaveLength(4);
    daraja.scripts.set(paths.pay, [accept]);
    now.ms += 10_000;
    await give();
    expect(outcomes).toHaveLength(34);
  },
);

it('orders that the rail refuses for their own reasons do not hold up others', async () => {
  const account = { channel: 'mpesa', mode: 'demo' } as const;
  daraja.scripts.set(paths.pay, [error(400, '400.002.02')]);
  const paying = rail();
  const pace = new PayoutPace(paying, now, new SystemTimer(), noRefusals);
  for (let at = 0; at < 30; at += 1) {
    expect(await pace.canPay(account)).toBe(true);
    await paying.pay(order);
  }
});

describe('a reversal', () => {
  const { phone: _phone, ...named } = order;
  const reversal = { ...named, reverses: 'NLJ41HAY6Q' };

  it('names the receipt and the short code that took the payment, and gets its names from the rail', async () => {
    daraja.scripts.set(paths.reverse, [accept]);
    expect(await rail().pay(reversal)).toEqual({
      kind: 'accepted',
      conversationId: 'AG_1',
      originatorConversationId: 'pp-1',
    });
    const { ResultURL, QueueTimeOutURL, ...body } = bodyOf(paths.reverse);
    expect(body).toEqual({
      Initiator: 'asha',
      SecurityCredential: 'sealed',
      CommandID: 'TransactionReversal',
      TransactionID: 'NLJ41HAY6Q',
      Amount: '250',
      ReceiverParty: '174379',
      RecieverIdentifierType: '11',
      Remarks: 'Refund',
    });
    expect(readUrl(ResultURL)).toEqual(['https://pay.example', `payout/result mpesa ${stream}`]);
    expect(readUrl(QueueTimeOutURL)[1]).toBe(`payout/timeout mpesa ${stream}`);
    expect(sentTo(paths.pay)).toEqual([]);
  });

  it('is not taken from the float', async () => {
    daraja.scripts.set(paths.reverse, [accept]);
    floats.float = { minor: 100_000n, asOfMs: now.ms };
    const paying = rail();
    await paying.pay(reversal);
    expect(await paying.floatOf('mpesa', 'demo')).toBe(100_000n);
  });

  it('says nothing about the account that pays out (REF-12)', async () => {
    daraja.scripts.set(paths.reverse, [error(404, '404.001.03'), error(404, '404.001.03'), accept]);
    daraja.scripts.set(paths.pay, [page(503)]);
    const paying = rail();
    const account = { channel: 'mpesa', mode: 'demo' } as const;
    expect(await paying.pay(reversal)).toMatchObject({ failureCode: 'rail_unauthorized' });
    expect(paying.inVain(account)).toBe(0);
    expect(await paying.pay(order)).toEqual(unknown);
    expect(await paying.pay(reversal)).toMatchObject({ kind: 'accepted' });
    expect(paying.inVain(account)).toBe(1);
  });

  it('is asked about at the short code that took the payment', async () => {
    daraja.scripts.set(paths.ask, [accept]);
    expect(await rail().askAboutAgain({ ...name, isReversal: true }, 1)).toBe('taken');
    expect(bodyOf(paths.ask)).toMatchObject({ PartyA: '174379' });
  });

  it('is possible only if the settings say so', () => {
    expect(rail().reverses('mpesa', 'demo')).toBe(false);
    expect(rail({ reverses: true }).reverses('mpesa', 'demo')).toBe(true);
    expect(rail({ reverses: true }).reverses('mpesa', 'live')).toBe(false);
    expect(rail({ reverses: true }).reverses('airtel', 'demo')).toBe(false);
  });
});

describe('a question', () => {
  it('about a payment carries an address of its own each time', async () => {
    daraja.scripts.set(paths.ask, [accept]);
    const asking = rail();
    expect(await asking.askAboutAgain(name, 1)).toBe('taken');
    expect(await asking.askAboutAgain(name, 0)).toBe('taken');
    const { ResultURL, QueueTimeOutURL, ...body } = bodyOf(paths.ask);
    expect(body).toMatchObject({
      Initiator: 'asha',
      SecurityCredential: 'sealed',
      CommandID: 'TransactionStatusQuery',
      OriginalConversationID: 'pp-1',
      OriginatorConversationID: 'pp-1',
      PartyA: '600000',
      IdentifierType: '4',
    });
    expect(readUrl(ResultURL)[1]).toMatch(/^payout\/answer:1:[0-9a-f-]{36} mpesa payout-demo:/);
    expect(readUrl(QueueTimeOutURL)[1]).toBe(`payout/timeout mpesa ${stream}`);
  });

  it.each<[string, Script, string]>([
    ['not taken', error(400, '400.002.02'), 'not_asked'],
    ['lost', reset, 'unanswered'],
    ['answered by a firewall', json(403, { message: 'Forbidden' }), 'unanswered'],
    ['answered by a firewall’s page', page(403), 'unanswered'],
    ['answered by a page with 200', page(200), 'unanswered'],
  ])('is reported as such if it was %s', async (_name, script, asked) => {
    daraja.scripts.set(paths.ask, [script]);
    daraja.scripts.set(paths.float, [script]);
    expect(await rail().askAboutAgain(name, 1)).toBe(asked);
    expect(await rail().askForFloat({ channel: 'mpesa', mode: 'demo' })).toBe(asked);
  });

  it('for the float carries an address that names the account', async () => {
    daraja.scripts.set(paths.float, [accept]);
    expect(await rail().askForFloat({ channel: 'mpesa', mode: 'demo' })).toBe('taken');
    expect(bodyOf(paths.float)).toMatchObject({ CommandID: 'AccountBalance', PartyA: '600000' });
    expect(readUrl(bodyOf(paths.float)['ResultURL'])[1]).toMatch(
      /^float\/1000000:[0-9a-f-]{36} mpesa demo$/,
    );
  });
});

it('the float no longer includes what was sent since the rail was asked for it', async () => {
  daraja.scripts.set(paths.pay, [accept, error(400, '400.002.02'), reset]);
  const paying = rail();
  expect(await paying.floatOf('mpesa', 'demo')).toBeUndefined();
  floats.float = { minor: 100_000n, asOfMs: now.ms };
  expect(await paying.floatOf('mpesa', 'demo')).toBe(100_000n);
  const first = paying.pay(order);
  // The amount counts even while the rail has not answered.
  expect(await paying.floatOf('mpesa', 'demo')).toBe(75_000n);
  await first;
  await paying.pay(order);
  const askedAtMs = (now.ms += 1000);
  await paying.pay(order);
  now.ms += 1000;
  expect(await paying.floatOf('mpesa', 'demo')).toBe(50_000n);
  // The rail was asked for the float after the first order and before the last.
  floats.float = { minor: 75_000n, asOfMs: askedAtMs };
  expect(await paying.floatOf('mpesa', 'demo')).toBe(50_000n);
  floats.float = { minor: 50_000n, asOfMs: now.ms };
  expect(await paying.floatOf('mpesa', 'demo')).toBe(50_000n);
  await paying.pay(order);
  now.ms -= 3_600_000;
  floats.float = { minor: 50_000n, asOfMs: now.ms };
  // Amounts that were counted before the clock was set back hold up no payout.
  expect(await paying.floatOf('mpesa', 'demo')).toBe(50_000n);
});
