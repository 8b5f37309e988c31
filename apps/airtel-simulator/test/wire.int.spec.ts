import { constants, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#testing';
import { callbackKey, pushBody, Receiver, Simulator } from './harness.js';

let simulator: Simulator;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  simulator = await Simulator.start({ SIMULATOR_AIRTEL_CALLBACK_URL: receiver.url });
});

afterAll(async () => {
  await simulator.dispose();
  receiver.close();
});

const phone = '254733123456';

describe('a token', () => {
  it('comes with its lifetime as text', async () => {
    const { http, body } = await simulator.grant();
    expect({ http, life: body.expires_in }).toEqual({ http: 200, life: '180' });
  });

  it.each([{ client_secret: 'wrong' }, { client_id: 'wrong' }, { grant_type: 'password' }])(
    'is refused with HTTP 200 and an error for %j',
    async (wrong) => {
      const { http, body } = await simulator.grant(wrong);
      expect({ http, error: body.error }).toEqual({ http: 200, error: 'invalid_client' });
      expect(body.access_token).toBeUndefined();
    },
  );

  it('remains valid after another one is issued', async () => {
    const first = (await simulator.grant()).body.access_token ?? '';
    await simulator.grant();
    const headers = { authorization: `Bearer ${first}` };
    expect((await simulator.push(phone, { headers })).http).toBe(200);
  });

  it.each(['', 'Bearer ', 'Bearer wrong', 'Basic c2ltdWxhdG9y'])(
    'is needed: %p is answered with 401',
    async (authorization) => {
      const { http, body } = await simulator.push(phone, { headers: { authorization } });
      expect({ http, error: body.error }).toEqual({ http: 401, error: 'invalid_token' });
    },
  );

  it('expires after 180 s, even across a restart', async () => {
    const authorization = `Bearer ${(await simulator.grant()).body.access_token ?? ''}`;
    const statuses: number[] = [];
    for (const CLOCK_OFFSET of ['0', '30s', '181s']) {
      await simulator.end('SIGTERM');
      await simulator.restart({ CLOCK_OFFSET });
      statuses.push((await simulator.push(phone, { headers: { authorization } })).http);
    }
    expect(statuses).toEqual([200, 200, 401]);
    await simulator.end('SIGTERM');
    await simulator.restart();
  });
});

describe('a request', () => {
  it.each([
    { headers: { 'x-country': 'UG' }, code: 'ROUTER006' },
    { headers: { 'x-currency': 'UGX' }, code: 'ROUTER112' },
  ])('with $headers is refused with $code', async ({ headers, code }) => {
    const answer = await simulator.push(phone, { headers });
    expect(answer).toMatchObject({ http: 200, code });
    expect(answer.body.status?.success).toBe(false);
  });

  it.each([
    {
      name: 'a number with the country’s code',
      more: { msisdn: '254733123456' },
      code: 'ESB000033',
    },
    { name: 'a number with a zero', more: { msisdn: '0733123456' }, code: 'ESB000033' },
    { name: 'no number', more: { msisdn: '' }, code: 'ROUTER003' },
    { name: 'another country', more: { country: 'UG' }, code: 'ESB000034' },
    { name: 'another currency', more: { currency: 'UGX' }, code: 'ESB000035' },
  ])('with $name is refused with $code', async ({ more, code }) => {
    const body = pushBody(phone, { id: simulator.id() });
    const subscriber = { ...body.subscriber, ...more };
    const answer = await simulator.call('POST', '/merchant/v1/payments/', { ...body, subscriber });
    expect(answer).toMatchObject({ http: 200, code });
  });

  it.each([
    { more: { id: 'abc' }, code: 'ESB000008' },
    { more: { id: 'A'.repeat(65) }, code: 'ESB000008' },
    { more: { id: 'PP-0001' }, code: 'ESB000008' },
    { more: { id: '' }, code: 'ROUTER003' },
    { more: { amount: 0 }, code: 'DP00800001004' },
    { more: { amount: -1 }, code: 'DP00800001004' },
    { more: { amount: '1,000' }, code: 'DP00800001004' },
    { more: { amount: 250_000.01 }, code: 'DP00800001003' },
  ])('with $more is refused with $code', async ({ more, code }) => {
    expect(await simulator.push(phone, { ...more })).toMatchObject({ http: 200, code });
  });

  it.each([
    { id: 'abcd', amount: 1 },
    { id: 'B'.repeat(64), amount: '250.50' },
    { id: 'cdef', amount: 250_000 },
  ])('with id $id and amount $amount is accepted', async (options) => {
    const { code, body } = await simulator.push(phone, options);
    expect(code).toBe('DP00800001006');
    expect(body.data?.transaction).toEqual({ id: options.id, status: 'SUCCESS' });
    expect(body.status).toMatchObject({ code: '200', success: true, result_code: 'ESB000010' });
  });

  it('with an id that was used before is a duplicate, and pays nothing again', async () => {
    const id = simulator.id();
    const racing = await Promise.all([1, 2, 3].map(() => simulator.push(phone, { id })));
    expect(racing.map(({ code }) => code).sort()).toEqual([
      'DP00800001006',
      'ESB000041',
      'ESB000041',
    ]);
    await simulator.settled(receiver);
    expect(receiver.of(id)).toHaveLength(1);
    expect((await simulator.push(phone, { id })).code).toBe('ESB000041');
  });

  it('is refused if its body is not JSON or not an object', async () => {
    for (const body of ['{', '[]', '"text"'])
      expect((await simulator.call('POST', '/merchant/v1/payments/', body)).code).toBe('ROUTER003');
  });
});

describe('a signature', () => {
  const path = '/merchant/v2/payments/';
  const text = (id: string): string => JSON.stringify(pushBody(phone, { id }));

  it('is needed by v2', async () => {
    expect((await simulator.push(phone, { version: 'v2' })).code).toBe('DP00800001026');
  });

  it.each(['1024', '2048'])('is accepted if its key has %s bits', async (bits) => {
    await simulator.portal({ key_bits: bits });
    const body = text(simulator.id());
    const answer = await simulator.call('POST', path, body, await simulator.signature(body));
    expect(answer.code).toBe('DP00800001006');
    await simulator.portal({ key_bits: '1024' });
  });

  it('covers the body byte for byte', async () => {
    const body = text(simulator.id());
    const signed = await simulator.signature(body);
    const spaced = body.replace(',', ', ');
    expect((await simulator.call('POST', path, spaced, signed)).code).toBe('DP00800001026');
    for (const name of ['x-signature', 'x-key'])
      expect((await simulator.call('POST', path, body, { ...signed, [name]: 'AAAA' })).code).toBe(
        'DP00800001026',
      );
    expect((await simulator.call('POST', path, body, signed)).code).toBe('DP00800001006');
  });

  it('on v1 is checked if it is present, and required if the portal says so', async () => {
    const v1 = '/merchant/v1/payments/';
    const [one, other] = [text(simulator.id()), text(simulator.id())];
    const signed = await simulator.signature(one);
    expect((await simulator.call('POST', v1, other, signed)).code).toBe('DP00800001026');
    expect((await simulator.call('POST', v1, one, signed)).code).toBe('DP00800001006');
    await simulator.portal({ signing: 'always' });
    expect((await simulator.push(phone)).code).toBe('DP00800001026');
    await simulator.portal({ signing: 'v2' });
  });

  it('on a payout is accepted, checked, or refused with ROUTER116, as the portal says', async () => {
    const payout = async (): Promise<string> =>
      JSON.stringify({
        payee: { currency: 'KES', msisdn: '733123456' },
        reference: 'Payout',
        pin: await simulator.sealed('1234'),
        transaction: { amount: 1, id: simulator.id(), type: 'B2C' },
      });
    const send = async (body: string, signed: string) =>
      (
        await simulator.call(
          'POST',
          '/standard/v2/disbursements/',
          body,
          await simulator.signature(signed),
        )
      ).code;
    const [one, other, third] = [await payout(), await payout(), await payout()];
    expect(await send(one, one)).toBe('DP00900001001');
    expect(await send(other, one)).toBe('DP00900001016');
    await simulator.portal({ signed_payouts: 'refused' });
    expect(await send(third, third)).toBe('ROUTER116');
    await simulator.portal({ signed_payouts: 'accepted' });
  });
});

describe('the portal', () => {
  afterEach(async () => {
    await simulator.portal({
      callback_hash: 'transaction',
      callback_tries: '1',
      router_errors: 'envelope',
      bad_secret: '200',
      bad_token: '401',
      success_code: '001',
      failed_money_id: 'absent',
      reference: 'any',
      callback_url: null,
    });
  });

  const callbackOf = async (to: string) => {
    const id = simulator.id();
    await simulator.push(to, { id });
    await receiver.saying(id, 1);
    return { id, ...receiver.of(id)[0] };
  };
  const hmac = (covered: string): string =>
    createHmac('sha256', callbackKey).update(covered).digest('base64');

  it('shows its settings', async () => {
    const { body } = await simulator.call('GET', '/_portal');
    expect(body).toMatchObject({ callback_url: receiver.url, callback_hash: 'transaction' });
  });

  it('hashes the transaction, in bytes that JSON.stringify does not write again', async () => {
    const { raw = '', hash, transaction } = await callbackOf(phone);
    const covered = raw.slice('{"transaction":'.length, raw.lastIndexOf(',"hash"'));
    expect(hash).toBe(hmac(covered));
    expect(hash).not.toBe(hmac(JSON.stringify(transaction)));
    expect(Object.keys(transaction ?? {})).toEqual([
      'id',
      'message',
      'status_code',
      'airtel_money_id',
    ]);
    expect(transaction?.message).toContain('Paid KES 250.00 to ');
  });

  it('hashes the body without the hash, if it says so', async () => {
    await simulator.portal({ callback_hash: 'body' });
    const { raw = '', hash } = await callbackOf(phone);
    expect(hash).toBe(hmac(`${raw.slice(0, raw.lastIndexOf(',"hash"'))}}`));
  });

  it('sends no hash, if it says so', async () => {
    await simulator.portal({ callback_hash: 'none' });
    expect((await callbackOf(phone)).raw).not.toContain('hash');
  });

  it.each([
    { way: 'absent', id: undefined },
    { way: 'empty', id: '' },
    { way: 'present', id: expect.stringMatching(/^MP\d{6}\.\d{4}\.[A-Z]\d{5}$/) },
  ])('has the id of a failure $way', async ({ way, id }) => {
    await simulator.portal({ failed_money_id: way });
    const { id: own, transaction } = await callbackOf('254733000002');
    expect(transaction?.airtel_money_id).toEqual(id);
    const enquiry = await simulator.enquire(own);
    expect(enquiry.body.data?.transaction?.['airtel_money_id']).toEqual(id);
  });

  it('writes the gateway’s refusals flat, if it says so', async () => {
    await simulator.portal({ router_errors: 'flat' });
    const { http, body } = await simulator.push(phone, { headers: { 'x-country': 'UG' } });
    expect({ http, body }).toEqual({
      http: 400,
      body: { status_code: 'ROUTER006', status_message: 'Invalid country.' },
    });
  });

  it('chooses the statuses of bad credentials, and the code of a success', async () => {
    await simulator.portal({ bad_secret: '401', bad_token: '403', success_code: '006' });
    expect((await simulator.grant({ client_secret: 'wrong' })).http).toBe(401);
    expect((await simulator.push(phone, { headers: { authorization: '' } })).http).toBe(403);
    const { id } = await callbackOf(phone);
    const { code, body } = await simulator.enquire(id);
    expect({ code, status: body.data?.transaction?.['status'] }).toEqual({
      code: 'DP00800001006',
      status: 'TS',
    });
  });

  it('may be strict about references', async () => {
    await simulator.portal({ reference: 'strict' });
    expect((await simulator.push(phone)).code).toBe('ESB000008');
  });

  it('sets the single callback address, across restarts, until null restores the setting', async () => {
    const other = await Receiver.start();
    await simulator.portal({ callback_url: other.url });
    await simulator.end('SIGKILL');
    await simulator.restart();
    const id = simulator.id();
    await simulator.push(phone, { id });
    expect(await other.saying(id, 1)).toEqual(['TS']);
    expect(receiver.of(id)).toEqual([]);
    other.close();
    await simulator.portal({ callback_url: null });
    await callbackOf(phone);
  });

  it('tries a callback that is not accepted three times, if it says so', async () => {
    await simulator.portal({ callback_tries: '3' });
    receiver.refusals = 2;
    const { id } = await callbackOf(phone);
    expect(await receiver.saying(id, 3)).toEqual(['TS', 'TS', 'TS']);
    await simulator.settled(receiver);
    expect(receiver.of(id)).toHaveLength(3);
  });

  it('tries it once otherwise', async () => {
    receiver.refusals = 1;
    const { id } = await callbackOf(phone);
    await simulator.settled(receiver);
    expect(receiver.of(id)).toHaveLength(1);
  });

  it.each([{ callback_url: 'ftp://x' }, { callback_hash: 'other' }, { unknown: 'x' }])(
    'refuses %j',
    async (members) => {
      expect((await simulator.portal(members)).http).toBe(400);
    },
  );
});

describe('the encryption key', () => {
  it('is an RSA key that takes a PIN, in both of its lengths', async () => {
    for (const bits of ['1024', '2048']) {
      const pin = await simulator.sealed('1234', { bits, padding: constants.RSA_PKCS1_PADDING });
      expect((await simulator.disburse(phone, { pin })).code).toBe('DP00900001001');
    }
    const { body } = await simulator.call('GET', '/v1/rsa/encryption-keys');
    expect(body.data).toEqual({
      key_id: 1024,
      key: expect.stringMatching(/^MIGf/) as unknown,
      valid_upto: expect.stringMatching(/^\d\d-\d\d-20\d\d \d\d:\d\d:\d\d$/) as unknown,
    });
  });
});

it('an address that Airtel does not have is answered with 404', async () => {
  expect((await simulator.call('GET', '/standard/v9/payments/abcd')).http).toBe(404);
});

it('no log line contains a number or the callbacks’ address', async () => {
  await simulator.portal({ callback_url: 'http://127.0.0.1:9/rails/feed' });
  await simulator.push(phone);
  await eventually(
    () => Promise.resolve(simulator.output),
    (output) => output.includes('callback lost'),
  );
  expect(simulator.output).not.toMatch(/(?:254)?[17]33\d{6}/);
  expect(simulator.output).not.toContain('rails/');
});
