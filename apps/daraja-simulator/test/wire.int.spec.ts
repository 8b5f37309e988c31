import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, Simulator } from './harness.js';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await Simulator.start();
});

afterAll(async () => {
  await simulator.dispose();
});

describe('the token', () => {
  it('is returned with its lifetime as text', async () => {
    expect(await simulator.generate('simulator-key:simulator-secret')).toMatchObject({
      status: 200,
      body: { access_token: expect.stringMatching(/^[\w-]{28}$/), expires_in: '3599' },
    });
    await simulator.authenticate();
  });

  it.each([
    { pair: 'simulator-key:wrong', query: '?grant_type=client_credentials', code: '400.008.01' },
    { pair: 'simulator-key:simulator-secret', query: '?grant_type=password', code: '400.008.02' },
    { pair: 'simulator-key:simulator-secret', query: '', code: '400.008.02' },
  ])('is refused with $code to $pair$query', async ({ pair, query, code }) => {
    expect(await simulator.generate(pair, query)).toMatchObject({
      status: 400,
      body: { errorCode: code },
    });
  });

  it('ends the previous one', async () => {
    const first = await simulator.authenticate();
    const second = await simulator.authenticate();
    const path = '/mpesa/stkpush/v1/processrequest';
    expect(await simulator.post(path, {}, first)).toMatchObject({
      status: 404,
      body: { errorCode: '404.001.03', requestId: expect.any(String) },
    });
    expect((await simulator.post(path, {}, second)).body['errorCode']).toBe('400.002.02');
  });

  it('comes before the body: a bad token and a bad body give 404.001.03', async () => {
    const answer = await simulator.post('/mpesa/stkpushquery/v1/query', 'not JSON', 'x');
    expect(answer.body['errorCode']).toBe('404.001.03');
  });

  it('ends by age', async () => {
    await simulator.end('SIGTERM');
    await simulator.restart({ CLOCK_OFFSET: '1h' });
    expect((await simulator.push('254712345678')).body['errorCode']).toBe('404.001.03');
    await simulator.authenticate();
    expect((await simulator.push('254712345678')).status).toBe(200);
  });
});

describe('the fields of a push', () => {
  it.each([
    ['BusinessShortCode', '12'],
    ['BusinessShortCode', undefined],
    ['Password', ''],
    ['Timestamp', '2026030112300'],
    ['Timestamp', '20260230123000'],
    ['TransactionType', 'CustomerPayBill'],
    ['Amount', 0],
    ['Amount', '250000.01'],
    ['Amount', '1.001'],
    ['Amount', '-1'],
    ['Amount', '1e2'],
    ['PartyA', '0712345678'],
    ['PartyB', 'x'],
    ['PhoneNumber', '254812345678'],
    ['PhoneNumber', { toString: 1 }],
    ['CallBackURL', 'ftp://127.0.0.1/rails/00'],
    ['CallBackURL', 'https://example.com/mpesa/callback'],
    ['AccountReference', ''],
    ['AccountReference', '1234567890123'],
    ['TransactionDesc', '12345678901234'],
    ['TransactionDesc', undefined],
  ])('%s %p is refused with 400.002.02', async (name, value) => {
    expect(await simulator.push('254712345678', { [name]: value })).toMatchObject({
      status: 400,
      body: { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` },
    });
  });

  it.each([0.01, '0.01', 1, '250000', 249999.99])('Amount %p is accepted', async (Amount) => {
    expect((await simulator.push('254712345678', { Amount })).status).toBe(200);
  });

  it('PartyB may be any till number in a purchase at a till', async () => {
    const till = { TransactionType: 'CustomerBuyGoodsOnline', PartyB: '832909' };
    expect((await simulator.push('254712345678', till)).status).toBe(200);
  });

  it('another shortcode, or a password made otherwise, gives 500.001.1001', async () => {
    expect(await simulator.push('254712345678', { BusinessShortCode: 600000 })).toMatchObject({
      status: 500,
      body: { errorCode: '500.001.1001', errorMessage: 'Merchant does not exist' },
    });
    expect(await simulator.push('254712345678', { Timestamp: '20260301123001' })).toMatchObject({
      status: 500,
      body: { errorCode: '500.001.1001', errorMessage: 'Wrong credentials' },
    });
  });

  it.each(['not JSON', '[1', '"text"', 'null', ''])('the body %p is 400.002.05', async (body) => {
    const answer = await simulator.post('/mpesa/stkpush/v1/processrequest', body);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: '400.002.05' } });
  });

  it('a query for a checkout that does not exist is 400.002.02', async () => {
    expect((await simulator.query('ws_CO_1')).body['errorCode']).toBe('400.002.02');
  });
});

describe('the statement', () => {
  it('has the portal’s columns, newest first, balances that add up, and no whole phone number', async () => {
    await simulator.end('SIGTERM');
    await simulator.dispose();
    simulator = await Simulator.start();
    const pushes = [
      { Amount: '100.5', AccountReference: 'FIRST', phone: '254712345678' },
      { Amount: 20, AccountReference: 'THIRD, "3"', phone: '254700000010' },
    ];
    for (const { phone, ...fields } of pushes) {
      await simulator.push(phone, fields);
      await eventually(async () => {
        const { pushes: accepted, paid } = await simulator.stats();
        return accepted === paid;
      });
    }
    const [header, newest, oldest, ...rest] = (await simulator.statementText()).split('\r\n');
    expect(header).toBe(
      'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,' +
        'Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.',
    );
    const time = String.raw`\d{2}-\d{2}-20\d{2} \d{2}:\d{2}:\d{2}`;
    expect(newest).toMatch(
      new RegExp(
        String.raw`^[A-Z0-9]{10},${time},${time},` +
          String.raw`"Pay Bill Online from 2547\*{5}010 - TEST CUSTOMER Acc. THIRD, ""3""",Completed,` +
          String.raw`20\.01,,120\.51,true,Pay Bill Online,2547\*{5}010 - TEST CUSTOMER,,"THIRD, ""3"""$`,
      ),
    );
    expect(oldest).toMatch(/,Completed,100\.50,,100\.50,true,.*,FIRST$/);
    expect(rest).toEqual(['']);
  });
});
