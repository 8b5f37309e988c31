import {
  constants,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  randomBytes,
} from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type QueryOutcome } from '#domain/rails';
import { type AnsweredPush, type MakeTokenSource, type TokenSource } from '#edges/rails';
import { type AirtelRailSettings, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import {
  FakeRail,
  hang,
  json,
  OwnToken,
  reset,
  type Script,
} from '../../../../test/rail/fake-daraja.js';
import { AirtelRail } from './airtel-rail.js';

const id = '0123456789AB';
const [pushes, enquiry] = ['/merchant/v1/payments/', `/standard/v1/payments/${id}`];
const prompt = {
  mode: 'demo',
  phone: '254733123456',
  amountMinor: 25_050n,
  accountReference: id,
  callbackUrl: 'https://pay.example/rails/x',
} as const;

const answer = (
  responseCode: string,
  { success = true, ...transaction }: Record<string, unknown> = {},
): Script =>
  json(200, {
    data: { transaction: { id, ...transaction } },
    status: { code: '200', response_code: responseCode, success },
  });

let rail: FakeRail;
let airtel: AirtelRail;
const sleeps: number[] = [];

class NoWait extends SystemTimer {
  override async sleep(ms: number): Promise<void> {
    sleeps.push(ms);
    await super.sleep(1);
  }
}

/** The machine's clock, moved forward by a test. */
let aheadMs = 0;
class MovedClock extends SystemClock {
  override nowMs(): number {
    return super.nowMs() + aheadMs;
  }
}

async function start(more: Partial<AirtelRailSettings> = {}, pushTimeoutMs = 20_000) {
  const tokens: MakeTokenSource = (options): TokenSource => new OwnToken(options);
  const port = await rail.listen();
  const settings = {
    url: `http://127.0.0.1:${port}`,
    clientId: 'client',
    clientSecret: 'secret',
    country: 'KE',
    stepMinor: 1n,
    payouts: { encryptedPin: 'c2VhbGVk', perSecond: 10 },
    ...more,
  };
  airtel = new AirtelRail({
    rails: { demo: settings, live: undefined },
    pushTimeoutMs,
    lateAnswerMs: 60_000,
    clock: new MovedClock(),
    timer: new NoWait(),
    randomBytes,
    metrics: new Metrics(),
    tokens,
  });
}

beforeEach(async () => {
  aheadMs = 0;
  sleeps.length = 0;
  rail = new FakeRail('/auth/oauth2/token');
  await start();
});
afterEach(async () => {
  await airtel.close();
  await rail.close();
});

const lateOf = (outcome: AnsweredPush) => {
  if (outcome.kind !== 'unknown') throw new Error(`the push is ${outcome.kind}`);
  return outcome.late;
};

describe('a push to Airtel', () => {
  it('names the customer without the prefix, our id and an exact amount', async () => {
    rail.scripts.set(pushes, [answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted', railReference: id });
    const [sent] = rail.seen.filter(({ path }) => path === pushes);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      reference: id,
      subscriber: { country: 'KE', currency: 'KES', msisdn: '733123456' },
      transaction: { amount: 250.5, country: 'KE', currency: 'KES', id },
    });
    expect(sent?.body).toContain('"amount":250.5,');
  });

  it.each([
    ['DP00800001003', 'daily_limit_exceeded'],
    ['DP00800001004', 'invalid_request'],
    ['DP00800001010', 'invalid_party'],
    ['DP00800001026', 'rail_unauthorized'],
  ])('is refused if the answer has status 200 and the code %s: %s', async (code, failureCode) => {
    rail.scripts.set(pushes, [answer(code, { success: false })]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'refused', failureCode });
  });

  it.each([
    ['ambiguous', answer('DP00800001000', { success: false })],
    ['in process, though not a success', answer('DP00800001006', { success: false })],
    ['timed out', answer('DP00800001024', { success: false })],
    ['a wrong PIN, so that a prompt was shown', answer('DP00800001002', { success: false })],
    ['refused, so that a prompt was shown', answer('DP00800001008', { success: false })],
    ['a refusal of another id', answer('DP00800001010', { success: false, id: 'ANOTHER' })],
    ['an id that was used', answer('ESB000041', { success: false })],
    ['a router’s error', answer('ROUTER117', { success: false })],
    ['an unknown code', answer('DP00800001999')],
    ['another id', answer('DP00800001006', { id: 'ANOTHER' })],
    ['408', json(408, {})],
    ['a page', (response) => response.writeHead(502).end('<html>')],
    ['no answer', reset],
  ] satisfies [string, Script][])(
    'with the answer “%s” is unknown, is sent once, and never counts as refused',
    async (_name, script) => {
      rail.scripts.set(pushes, [script]);
      rail.scripts.set(enquiry, [answer('DP00800001025', { success: false, id: undefined })]);
      const outcome = await airtel.push(prompt);
      expect(await lateOf(outcome)).toBeUndefined();
      expect(rail.seen.filter(({ path }) => path === pushes)).toHaveLength(1);
      expect(sleeps).toEqual([3000, 10_000, 25_000]);
    },
  );

  it('is accepted as soon as an enquiry knows its id, if the answer was lost', async () => {
    rail.scripts.set(pushes, [reset]);
    rail.scripts.set(enquiry, [
      answer('DP00800001025', { success: false, id: undefined }),
      answer('DP00800001006', { status: 'TIP' }),
    ]);
    const late = await lateOf(await airtel.push(prompt));
    expect(late).toMatchObject({ kind: 'accepted', railReference: id });
    expect(late?.raw?.length).toBeGreaterThan(0);
  });

  it('is sent again with a new token if Airtel rejects the first', async () => {
    rail.scripts.set(pushes, [json(401, { error: 'invalid_token' }), answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    const tokens = rail.seen.filter(({ path }) => path === pushes).map((one) => one.authorization);
    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is sent again if it exceeds the rate, and is refused in time if that continues', async () => {
    rail.scripts.set(pushes, [json(429, {}), json(429, {}), answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    rail.scripts.set(pushes, [json(429, {})]);
    expect(await airtel.push(prompt)).toEqual({ kind: 'refused', failureCode: 'rail_busy' });
  });

  it('is refused with any HTTP status if the refusal is certain', async () => {
    const status = { response_code: 'DP00800001003', success: false };
    rail.scripts.set(pushes, [json(400, { status })]);
    const failureCode = 'daily_limit_exceeded';
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'refused', failureCode });
  });

  it('is sent again if Airtel says with 403 that the token has ended, but not after a firewall’s', async () => {
    const ended = json(403, { error: 'invalid_token' });
    rail.scripts.set(pushes, [ended, answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    rail.scripts.set(pushes, [json(403, { blocked: true }), answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'unknown' });
  });

  it('is refused if Airtel refuses our credentials with status 200', async () => {
    rail.tokens(json(200, { error: 'invalid_client', error_description: 'x' }));
    expect(await airtel.push(prompt)).toEqual({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
    expect(rail.seen.some(({ path }) => path === pushes)).toBe(false);
  });
});

describe('an enquiry at Airtel', () => {
  const asked = async (...scripts: Script[]): Promise<QueryOutcome> => {
    rail.scripts.set(enquiry, scripts);
    return airtel.query({ mode: 'demo', railReference: id });
  };

  it('brings the money id of a payment that was made', async () => {
    const made = { status: 'TS', airtel_money_id: 'MP210603.1234.L06941' };
    expect(await asked(answer('DP00800001001', made))).toMatchObject({
      kind: 'paid',
      resultCode: 'TS',
      receipt: 'MP210603.1234.L06941',
    });
  });

  it.each([
    ['TF', 'DP00800001007', 'insufficient_funds'],
    ['TF', 'SOMETHING', 'rail_declined'],
    ['TE', 'DP00800001029', 'expired'],
  ])('declines for %s and %s: %s', async (status, code, failureCode) => {
    expect(await asked(answer(code, { status }))).toMatchObject({ kind: 'declined', failureCode });
  });

  it.each(['TA', 'TIP', 'TI'])('settles nothing for %s', async (status) => {
    expect(await asked(answer('DP00800001000', { status }))).toEqual({ kind: 'unresolved' });
  });

  it.each([
    ['TS', '000'],
    ['TF', '000'],
    ['TE', '006'],
  ])('settles nothing for %s beside the ambiguous code %s', async (status, code) => {
    expect(await asked(answer(`DP00800001${code}`, { status }))).toEqual({ kind: 'unresolved' });
  });

  it('believes TS beside the code “in process”, as some sources show it', async () => {
    expect(await asked(answer('DP00800001006', { status: 'TS' }))).toMatchObject({ kind: 'paid' });
  });

  it('counts an unknown state', async () => {
    const outcome = await asked(answer('DP00800001001', { status: 'TX' }));
    expect(outcome).toEqual({ kind: 'unresolved', unknownCode: 'TX' });
  });

  it.each([
    ['another id', answer('DP00800001001', { status: 'TS', id: 'ANOTHER' }), 'unresolved'],
    ['not found', answer('DP00800001025', { success: false, id: undefined }), 'unresolved'],
    ['too many', json(429, {}), 'not_asked'],
    ['a page', (response) => response.writeHead(200).end('<html>'), 'unanswered'],
    ['no answer', reset, 'unanswered'],
  ] satisfies [string, Script, string][])(
    'has no outcome if the answer is “%s”',
    async (_name, script, kind) => {
      expect((await asked(script)).kind).toBe(kind);
    },
  );

  it('ends at its deadline if the rail hangs', async () => {
    expect(await asked(hang)).toEqual({ kind: 'unanswered' });
  });
});

describe('a callback of Airtel', () => {
  const read = (body: unknown) => airtel.readCallback(Buffer.from(JSON.stringify(body)));

  it('makes us enquire if it says TS', () => {
    const transaction = { id, status_code: 'TS', message: 'Paid KES 1', airtel_money_id: 'MP1' };
    expect(read({ transaction, hash: 'x' })).toEqual({
      railReference: id,
      verdict: { kind: 'paid', resultCode: 'TS' },
      isAmountUnreadable: true,
    });
  });

  it.each(['TIP', 'anything'])('with the state %s says nothing', (state) => {
    expect(read({ transaction: { id, status_code: state } })).toEqual({
      railReference: id,
      verdict: { kind: 'unresolved' },
    });
  });

  it('is never from the rail’s own address', () => {
    expect(airtel.isOwnAddress()).toBe(false);
  });

  it.each([{}, { transaction: { id } }, { transaction: { id: '../x', status_code: 'TS' } }, [], 7])(
    'is not one: %j',
    (body) => {
      expect(read(body)).toBeUndefined();
    },
  );
});

describe('a payout over Airtel', () => {
  const order = '/standard/v2/disbursements/';
  const name = 'pp0123456789abcdef0123456789abcd';
  const payment = {
    mode: 'demo',
    phone: '254733123456',
    amountMinor: 100_000n,
    originatorConversationId: name,
    resultUrl: 'https://pay.example/rails/r',
    timeoutUrl: 'https://pay.example/rails/t',
  } as const;
  const paid = (code: string, members: Record<string, unknown> = {}) =>
    answer(code, { id: name, ...members });
  const payouts = () => airtel.payouts;
  const payoutReports = () => airtel.payoutReports;

  it('is ordered once under our own name, with the sealed PIN and an exact amount', async () => {
    rail.scripts.set(order, [paid('DP00900001001', { reference_id: 'AT.1', status: 'TS' })]);
    expect(await payouts().pay(payment)).toMatchObject({
      kind: 'accepted',
      conversationId: 'AT.1',
    });
    const [sent] = rail.seen.filter(({ path }) => path === order);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      payee: { currency: 'KES', msisdn: '733123456' },
      reference: name,
      pin: 'c2VhbGVk',
      transaction: { amount: 1000, id: name, type: 'B2C' },
    });
  });

  it.each([
    ['DP00900001007', 'rail_float_insufficient'],
    ['ROUTER115', 'rail_unauthorized'],
    ['ROUTER116', 'rail_unauthorized'],
  ])('is refused if Airtel certainly refuses it with %s: %s', async (code, failureCode) => {
    rail.scripts.set(order, [paid(code, { success: false })]);
    expect(await payouts().pay(payment)).toMatchObject({ kind: 'refused', failureCode });
  });

  it('is also refused if the gateway refuses it without the envelope', async () => {
    rail.scripts.set(order, [json(400, { status_code: 'ROUTER115', status_message: 'x' })]);
    expect(await payouts().pay(payment)).toMatchObject({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
  });

  it('is refused after two 401 answers only if Airtel itself says so', async () => {
    rail.scripts.set(order, [json(401, { error: 'invalid_token' })]);
    expect(await payouts().pay(payment)).toMatchObject({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
    const page: Script = (response) => response.writeHead(401).end('<html>sign in</html>');
    rail.scripts.set(order, [page, paid('DP00900001001')]);
    expect(await payouts().pay(payment)).toMatchObject({ kind: 'accepted' });
    // It may come from a proxy that passed the order on.
    rail.scripts.set(order, [page]);
    expect(await payouts().pay(payment)).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['ambiguous', paid('DP00900001000', { success: false })],
    ['in process', paid('DP00900001006')],
    ['014', paid('DP00900001014', { success: false })],
    ['a name that was used', paid('DP00900001011', { success: false })],
    ['a name that was used, too', paid('DP00900001017', { success: false })],
    ['a page', (response) => response.writeHead(502).end('<html>')],
    ['no answer', reset],
  ] satisfies [string, Script][])(
    'with the answer “%s” releases nothing',
    async (_name, script) => {
      rail.scripts.set(order, [script]);
      expect(await payouts().pay(payment)).toEqual({ kind: 'unknown' });
      expect(rail.seen.filter(({ path }) => path === order)).toHaveLength(1);
    },
  );

  it('cannot be a reversal, because no enquiry would report its outcome', async () => {
    const { phone: _phone, ...rest } = payment;
    expect(await payouts().pay({ ...rest, reverses: 'MP1' })).toMatchObject({ kind: 'refused' });
    expect(payouts().reverses('demo')).toBe(false);
  });

  const asked = async (script: Script) => {
    rail.scripts.set(`${order}${name}`, [script]);
    const outcome = await payouts().askAboutPayout(payment);
    return typeof outcome === 'object' ? payoutReports().readAnswer(outcome.raw) : outcome;
  };

  it('is asked about at once', async () => {
    const made = { status: 'TS', airtel_money_id: 'DI.1' };
    expect(await asked(paid('DP00900001001', made))).toEqual({
      originatorConversationId: name,
      verdict: { kind: 'paid', resultCode: 'TS', receipt: 'DI.1' },
    });
    expect(await asked(paid('DP00900001007', { status: 'TF' }))).toMatchObject({
      verdict: { kind: 'declined', failureCode: 'rail_float_insufficient' },
    });
    for (const status of ['TA', 'TIP', 'TF'])
      expect(await asked(paid('DP00900001000', { status }))).toMatchObject({
        verdict: { kind: 'unresolved' },
      });
  });

  it('stays open if Airtel does not know its name or returns nothing readable', async () => {
    const notFound = paid('DP00900001012', { success: false, id: undefined });
    expect(await asked(notFound)).toEqual({
      originatorConversationId: '',
      verdict: { kind: 'unresolved' },
    });
    expect(await asked((response) => response.writeHead(200).end('<html>'))).toBe('unanswered');
    expect(await asked(json(429, {}))).toBe('not_asked');
  });

  it('is paid from the balance that Airtel reports', async () => {
    const told = async (text: unknown) => {
      const body = { data: { balance: text }, status: { success: true } };
      rail.scripts.set('/standard/v2/users/balance', [json(200, body)]);
      const outcome = await payouts().askForFloat('demo', payment);
      return typeof outcome === 'object' ? payoutReports().readFloat(outcome.raw) : outcome;
    };
    expect(await told('37,600.00')).toBe(3_760_000n);
    expect(await told('1,234,567.89')).toBe(123_456_789n);
    expect(await told('0')).toBe(0n);
    for (const text of ['', '37,60.00', '1.5', '-1.00', 'KES 5.00']) {
      expect(await told(text)).toBeUndefined();
    }
  });
});

describe('a signed request to Airtel', () => {
  const keys = '/v1/rsa/encryption-keys';
  const [signedPushes, orders] = ['/merchant/v2/payments/', '/standard/v2/disbursements/'];
  const order = {
    mode: 'demo',
    phone: '254733123456',
    amountMinor: 100_000n,
    originatorConversationId: id,
    resultUrl: 'https://pay.example/rails/r',
    timeoutUrl: 'https://pay.example/rails/t',
  } as const;
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
  const [first, second] = [rsa(1024), rsa(2048)];
  const key = ({ publicKey }: { publicKey: KeyObject }, validUpto = '01-01-2099 00:00:00') =>
    json(200, {
      data: {
        key_id: 7,
        key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
        valid_upto: validUpto,
      },
      status: { code: '200', success: true },
    });
  const seenAt = (path: string) => rail.seen.filter((one) => one.path === path);
  /** Reads a signature as Airtel does. Node may refuse PKCS#1 here, so the padding is removed by hand. */
  const signedText = (index: number, to: KeyObject, path = signedPushes): string => {
    const { 'x-key': wrapped = '', 'x-signature': signature = '' } =
      seenAt(path)[index]?.headers ?? {};
    const block = privateDecrypt(
      { key: to, padding: constants.RSA_NO_PADDING },
      Buffer.from(String(wrapped), 'base64'),
    );
    const pair = block.subarray(block.indexOf(0, 2) + 1).toString();
    const [aes = '', vector = ''] = pair.split(':');
    const from = [aes, vector].map((part) => Buffer.from(part, 'base64'));
    const [aesBytes = Buffer.alloc(0), vectorBytes = Buffer.alloc(0)] = from;
    const cipher = createDecipheriv('aes-256-cbc', aesBytes, vectorBytes);
    return cipher.update(String(signature), 'base64', 'utf8') + cipher.final('utf8');
  };

  const startSigning = async (signs: 'collections' | 'all', pushTimeoutMs?: number) => {
    await airtel.close();
    await rail.close();
    rail = new FakeRail('/auth/oauth2/token');
    await start({ signs }, pushTimeoutMs);
  };

  beforeEach(async () => {
    await startSigning('all');
    rail.scripts.set(keys, [key(first)]);
    rail.scripts.set(signedPushes, [answer('DP00800001006')]);
    rail.scripts.set(orders, [answer('DP00900001001')]);
  });

  it.each([
    ['1024', first],
    ['2048', second],
  ])('has the bytes of the body, encrypted under a key of %s bits', async (_bits, pair) => {
    rail.scripts.set(keys, [key(pair)]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    expect(signedText(0, pair.privateKey)).toBe(seenAt(signedPushes)[0]?.body);
    expect(await airtel.payouts.pay(order)).toMatchObject({ kind: 'accepted' });
    expect(signedText(0, pair.privateKey, orders)).toBe(seenAt(orders)[0]?.body);
  });

  it('has an AES key and a vector of its own each time, under one key of Airtel’s', async () => {
    for (let count = 0; count < 3; count += 1) await airtel.push(prompt);
    const sent = seenAt(signedPushes).map(({ headers }) => headers['x-signature']);
    expect(new Set(sent).size).toBe(3);
    expect(seenAt(keys)).toHaveLength(1);
    expect(seenAt(keys)[0]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-country': 'KE',
      'x-currency': 'KES',
    });
  });

  it('leaves out the signature of a payout if only collections are signed', async () => {
    await startSigning('collections');
    rail.scripts.set(orders, [answer('DP00900001001')]);
    expect(await airtel.payouts.pay(order)).toMatchObject({ kind: 'accepted' });
    expect(seenAt(orders)[0]?.headers).not.toHaveProperty('x-signature');
    expect(seenAt(keys)).toHaveLength(0);
  });

  it('uses a key until it ends by the clock, in East Africa Time', async () => {
    const end = new Date(Date.now() + 24 * 3_600_000 + 3 * 3_600_000).toISOString();
    const [date = '', time = ''] = end.split('T');
    const written = `${date.split('-').reverse().join('-')} ${time.slice(0, 8)}`;
    rail.scripts.set(keys, [key(first, written), key(second)]);
    await airtel.push(prompt);
    aheadMs = 23.9 * 3_600_000;
    await airtel.push(prompt);
    expect(seenAt(keys)).toHaveLength(1);
    aheadMs = 24 * 3_600_000;
    await airtel.push(prompt);
    expect(seenAt(keys)).toHaveLength(2);
    expect(signedText(2, second.privateKey)).toBe(seenAt(signedPushes)[2]?.body);
  });

  it.each(['', 'soon', '01-01-2020 00:00:00'])(
    'uses a key whose end is “%s” for a minute',
    async (validUpto) => {
      rail.scripts.set(keys, [key(first, validUpto)]);
      await airtel.push(prompt);
      await airtel.push(prompt);
      expect(seenAt(keys)).toHaveLength(1);
      aheadMs = 61_000;
      await airtel.push(prompt);
      expect(seenAt(keys)).toHaveLength(2);
    },
  );

  it('is sent once more, under a new key, if Airtel refuses the signature', async () => {
    rail.scripts.set(keys, [key(first), key(second)]);
    const refused = answer('DP00800001026', { success: false });
    rail.scripts.set(signedPushes, [refused, answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    expect(signedText(1, second.privateKey)).toBe(seenAt(signedPushes)[1]?.body);
    expect(seenAt(signedPushes)).toHaveLength(2);
  });

  it.each(['DP00900001016', 'ROUTER116'])(
    'for a payout is sent once more after %s, and is refused if that is no use',
    async (code) => {
      rail.scripts.set(orders, [answer(code, { success: false }), answer('DP00900001001')]);
      expect(await airtel.payouts.pay(order)).toMatchObject({ kind: 'accepted' });
      rail.scripts.set(orders, [answer(code, { success: false })]);
      const failureCode = 'rail_unauthorized';
      expect(await airtel.payouts.pay(order)).toMatchObject({ kind: 'refused', failureCode });
      expect(seenAt(orders)).toHaveLength(4);
    },
  );

  it('is refused, with the bytes that say so, if a new signature is refused as well', async () => {
    rail.scripts.set(signedPushes, [answer('DP00800001026', { success: false })]);
    const outcome = await airtel.push(prompt);
    expect(outcome).toMatchObject({ kind: 'refused', failureCode: 'rail_unauthorized' });
    expect(outcome.kind === 'refused' && outcome.raw?.length).toBeGreaterThan(0);
    expect(seenAt(signedPushes)).toHaveLength(2);
  });

  it('is not sent again if Airtel may have accepted it', async () => {
    rail.scripts.set(enquiry, [answer('DP00800001025', { success: false, id: undefined })]);
    const refused = { success: false };
    for (const script of [
      answer('DP00800001026'),
      answer('DP00800001026', { ...refused, id: 'ANOTHER' }),
      answer('ROUTER116', refused),
      reset,
    ]) {
      rail.seen.length = 0;
      rail.scripts.set(signedPushes, [script]);
      expect(await airtel.push(prompt)).toMatchObject({ kind: 'unknown' });
      expect(seenAt(signedPushes)).toHaveLength(1);
    }
  });

  it.each([
    ['a page', (response) => response.writeHead(502).end('<html>')],
    ['no answer', reset],
    ['no key', json(200, { data: {}, status: { success: false } })],
    ['text that is no key', json(200, { data: { key: 'AAAA' } })],
    ['a key that is too short', key(rsa(512))],
  ] satisfies [string, Script][])(
    'is certainly not sent if the question for the key brings %s',
    async (_name, script) => {
      rail.scripts.set(keys, [script]);
      const failureCode = 'rail_unavailable';
      expect(await airtel.push(prompt)).toEqual({ kind: 'refused', failureCode });
      expect(await airtel.payouts.pay(order)).toEqual({ kind: 'refused', failureCode });
      expect(await airtel.payouts.canPay('demo')).toBe(false);
      expect(seenAt(signedPushes)).toHaveLength(0);
      expect(seenAt(orders)).toHaveLength(0);
    },
  );

  it('is not sent, within its deadline, if the question for the key hangs', async () => {
    await startSigning('all', 1000);
    rail.scripts.set(keys, [hang]);
    const failureCode = 'rail_unavailable';
    expect(await airtel.push(prompt)).toEqual({ kind: 'refused', failureCode });
    expect(seenAt(signedPushes)).toHaveLength(0);
  });
});
