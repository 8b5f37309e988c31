import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type QueryOutcome } from '#domain/rails';
import { type AnsweredPush, type MakeTokenSource, type TokenSource } from '#edges/rails';
import { Metrics, SystemClock, SystemTimer } from '#infra/runtime';
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

async function start(tokens: MakeTokenSource = (options): TokenSource => new OwnToken(options)) {
  const port = await rail.listen();
  const settings = {
    url: `http://127.0.0.1:${port}`,
    clientId: 'client',
    clientSecret: 'secret',
    country: 'KE',
    stepMinor: 1n,
    payouts: { encryptedPin: 'c2VhbGVk', perSecond: 10 },
  };
  airtel = new AirtelRail({
    rails: { demo: settings, live: undefined },
    pushTimeoutMs: 20_000,
    lateAnswerMs: 60_000,
    clock: new SystemClock(),
    timer: new NoWait(),
    metrics: new Metrics(),
    tokens,
  });
}

beforeEach(async () => {
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
  ])('that is refused with status 200 and %s is refused: %s', async (code, failureCode) => {
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

  it('whose answer is lost is accepted as soon as an enquiry knows its id', async () => {
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

  it('that is turned away for its rate is sent again, and is refused in time if that lasts', async () => {
    rail.scripts.set(pushes, [json(429, {}), json(429, {}), answer('DP00800001006')]);
    expect(await airtel.push(prompt)).toMatchObject({ kind: 'accepted' });
    rail.scripts.set(pushes, [json(429, {})]);
    expect(await airtel.push(prompt)).toEqual({ kind: 'refused', failureCode: 'rail_busy' });
  });

  it('that is certainly refused is so with any HTTP status', async () => {
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
  ] satisfies [string, Script, string][])('of “%s” is no outcome', async (_name, script, kind) => {
    expect((await asked(script)).kind).toBe(kind);
  });

  it('that hangs ends at its deadline', async () => {
    expect(await asked(hang)).toEqual({ kind: 'unanswered' });
  });
});

describe('a callback of Airtel', () => {
  const read = (body: unknown) => airtel.readCallback(Buffer.from(JSON.stringify(body)));

  it('that says TS makes us enquire', () => {
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
    'is none: %j',
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
  ])('that Airtel certainly refuses with %s is refused: %s', async (code, failureCode) => {
    rail.scripts.set(order, [paid(code, { success: false })]);
    expect(await payouts().pay(payment)).toMatchObject({ kind: 'refused', failureCode });
  });

  it('that the gateway refuses without the envelope is refused, too', async () => {
    rail.scripts.set(order, [json(400, { status_code: 'ROUTER115', status_message: 'x' })]);
    expect(await payouts().pay(payment)).toMatchObject({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
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

  it('cannot be a reversal: no enquiry would tell what became of it', async () => {
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

  it('of which Airtel does not know the name, or says nothing readable, stays open', async () => {
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
