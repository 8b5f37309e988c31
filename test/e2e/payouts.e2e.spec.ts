import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  type Answer,
  eventually,
  issueCredential,
  MerchantClient,
  type OwnServers,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** A log of its own, so that the asserted sums belong to this merchant alone. */
let servers: OwnServers;
let service: Service;
let maker: MerchantClient;
let checker: MerchantClient;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_REVIEW_AFTER: '3s' });
  maker = service.merchant;
  const { merchantId, accountNo } = maker.credentials;
  const issued = await issueCredential(service.env, merchantId, 'the checker');
  checker = new MerchantClient(service.baseUrl, { merchantId, accountNo, ...issued });
  await signedIn(checker);
  await collected(1_000_000);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

/** Signs in once the credential is known to the service. */
function signedIn(client: MerchantClient): Promise<boolean> {
  return eventually(
    () =>
      client.signIn().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
}

async function collected(amountMinor: number): Promise<void> {
  const reference = `IN-${randomUUID()}`;
  await maker.collect({ reference, amount_minor: amountMinor });
  await eventually(
    () => maker.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed',
  );
  await eventually(balance, ({ posted }) => posted >= (amountMinor * 98) / 100);
}

function post(client: MerchantClient, path: string, body: object, key: string = randomUUID()) {
  const headers = { 'idempotency-key': key };
  return client.send('POST', path, { body: JSON.stringify(body), headers });
}
const request = (
  reference: string,
  fields: Readonly<Record<string, unknown>> = {},
  client: MerchantClient = maker,
): Promise<Answer> =>
  post(client, '/api/v4/payouts', {
    account_no: maker.credentials.accountNo,
    phone: '254712345678',
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference,
    ...fields,
  });
/** The stored data of calls: their claims and their bytes. */
async function keptOfCalls(): Promise<readonly unknown[]> {
  const database = new pg.Client({ connectionString: servers.env.DATABASE_URL });
  await database.connect();
  const { rows } = await database.query<object>(
    `select (select count(*) from records.idempotency_claims) as claims,
       (select count(*) from records.sealed_messages where kind = 'request') as messages`,
  );
  await database.end();
  return rows;
}
const decide = (
  reference: string,
  verdict: 'approve' | 'reject',
  client: MerchantClient = checker,
  body: object = {},
) => post(client, `/api/v4/payouts/${reference}/${verdict}`, body);
const read = async (reference: string) => (await maker.get(`/api/v4/payouts/${reference}`)).body;
const settled = (reference: string, status: string) =>
  eventually(
    () => read(reference),
    (item) => item['status'] === status,
  );
async function balance() {
  const { body } = await maker.get(`/api/v4/accounts/${maker.credentials.accountNo}/balance`);
  const [posted, reserved, available] = ['posted_minor', 'reserved_minor', 'available_minor'].map(
    (name) => Number(body[name]),
  ) as [number, number, number];
  return { posted, reserved, available };
}
/** The balance once no more than `outstanding` is reserved, so that earlier tests change it no more. */
const quiet = (outstanding = 0) => eventually(balance, ({ reserved }) => reserved === outstanding);
const stats = async () =>
  (await (await fetch(`${service.simulatorUrl}/_stats`)).json()) as Record<string, number>;

const whose = () => ['--merchant', maker.credentials.merchantId, '--mode', 'demo'];
type Json = Readonly<Record<string, unknown>>;
/** A command's last line is its answer, or the reason why it was refused. */
async function operator(...words: readonly string[]) {
  const { code, text: said } = await service.runCommand(words);
  return { code, said };
}
const answered = async (...words: readonly string[]): Promise<Json> => {
  const { code, said } = await operator(...words, '--json');
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('{') });
  return JSON.parse(said) as Json;
};
const by = (who: string) => ['--as', who, '--reason', 'line 12'];

describe('a payout', () => {
  it('is requested by one holder, approved by another, paid once, and listed', async () => {
    const before = await quiet();
    const asked = await request('PAY-1');
    expect([asked.status, asked.body]).toEqual([
      202,
      {
        status: 'pending_approval',
        reference: 'PAY-1',
        rail_reference: null,
        amount_minor: 10_000,
        currency: 'KES',
      },
    ]);
    await eventually(balance, ({ reserved }) => reserved === before.reserved + 10_150);
    expect((await decide('PAY-1', 'approve', maker)).body).toEqual({ error: 'same_holder' });
    const approved = await decide('PAY-1', 'approve', checker, { amount_minor: 10_000 });
    expect([approved.status, approved.body['status']]).toEqual([202, 'pending']);
    const item = await settled('PAY-1', 'completed');
    expect(item).toMatchObject({ type: 'payout', fee_minor: 150, failure_code: null });
    expect(typeof item['receipt']).toBe('string');
    await eventually(balance, ({ posted }) => posted === before.posted - 10_150);
    expect(await balance()).toEqual({
      posted: before.posted - 10_150,
      reserved: before.reserved,
      available: before.available - 10_150,
    });
    const listed = await eventually(
      () => maker.get('/api/v4/transactions?type=payout'),
      ({ body }) => (body['data'] as object[]).length > 0,
    );
    expect(listed.body['data']).toContainEqual(item);
    expect(await stats()).toMatchObject({ payouts: 1, paid_out: 1 });
  });

  it('is returned as it is if it exists, and nothing is recorded', async () => {
    const again = await request('PAY-1', { amount_minor: 20_000 });
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ status: 'completed', amount_minor: 10_000 });
    expect(again.headers.get('x-pp-existing')).toBe('true');
    expect(again.headers.get('x-pp-differs')).toBe('amount_minor');
  });

  it('releases the reserved amount when it is rejected', async () => {
    const before = await quiet();
    await request('PAY-2');
    const rejected = await decide('PAY-2', 'reject');
    expect(rejected.body['status']).toBe('rejected');
    expect((await decide('PAY-2', 'approve')).body).toEqual({ error: 'not_pending_approval' });
    await eventually(balance, ({ available }) => available === before.available);
    expect(await read('PAY-2')).toMatchObject({
      status: 'rejected',
      failure_code: 'rejected_by_holder',
    });
  });

  it('is not decided if the decision contains null for a value, and nothing is stored', async () => {
    await request('PAY-null');
    const before = await keptOfCalls();
    for (const [body, error] of [
      [{ amount_minor: null }, 'invalid_amount'],
      [{ phone: null }, 'invalid_phone'],
    ] as const)
      for (const verdict of ['approve', 'reject'] as const) {
        const answer = await decide('PAY-null', verdict, checker, body);
        expect([answer.status, answer.body['error']]).toEqual([400, error]);
      }
    expect(await keptOfCalls()).toEqual(before);
    expect((await decide('PAY-null', 'reject')).status).toBe(202);
  });

  it('is returned as it is for a repeated decision, and nothing more is stored', async () => {
    await request('PAY-again');
    await decide('PAY-again', 'reject');
    const before = await keptOfCalls();
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await decide('PAY-again', 'reject');
      expect([status, body['status']]).toEqual([202, 'rejected']);
    }
    expect(await keptOfCalls()).toEqual(before);
  });

  it('is rejected if it exceeds the available balance, and nothing is stored', async () => {
    const { available } = await quiet();
    const refused = await request('PAY-3', { amount_minor: available });
    expect([refused.status, refused.body]).toEqual([422, { error: 'insufficient_funds' }]);
    expect((await maker.get('/api/v4/payouts/PAY-3')).status).toBe(404);
  });

  it('is paid once if many race for the whole available balance', async () => {
    const before = await quiet();
    const paidBefore = (await stats())['paid_out'] ?? 0;
    // The fee is 1.5 %: the rest is less than the smallest payout.
    const amount = Math.floor(before.available / 1.015);
    const references = Array.from({ length: 100 }, (_, at) => `RACE-${at}`);
    const asked = await Promise.all(
      references.map((reference) => request(reference, { amount_minor: amount })),
    );
    const outcomes = asked.map(({ status, body }) =>
      [status, body['status'] ?? body['error']].join(' '),
    );
    const lost = ['422 insufficient_funds', '202 rejected'];
    expect(outcomes.filter((outcome) => !lost.includes(outcome))).toEqual(['202 pending_approval']);
    const decided = await Promise.all(references.map((reference) => decide(reference, 'approve')));
    const refusals = [404, 409];
    expect(decided.map(({ status }) => status).filter((of) => !refusals.includes(of))).toEqual([
      202,
    ]);
    const winner = references[outcomes.indexOf('202 pending_approval')] ?? '';
    const item = await settled(winner, 'completed');
    const posted = before.posted - amount - Number(item['fee_minor']);
    expect(posted).toBeLessThan(2);
    const settledAll = { posted, reserved: 0, available: posted };
    await eventually(balance, (now) => now.reserved === 0 && now.posted === posted);
    expect(await balance()).toEqual(settledAll);
    expect((await stats())['paid_out']).toBe(paidBefore + 1);
    await collected(1_000_000);
  });

  it('is rejected above the operator’s limits', async () => {
    const set = ['limits', 'set', '--merchant', maker.credentials.merchantId, '--mode', 'demo'];
    const by = ['--reason', 'test', '--as', 'spec'];
    const told = await pesapost(service.env, ...set, '--payout', '50000', ...by);
    // An omitted limit no longer applies.
    expect(told).toEqual({
      payout_minor: 50_000,
      day_minor: null,
      automatic_minor: null,
      automatic_day_minor: null,
    });
    const refused = await eventually(
      async () => {
        const reference = `PAY-4-${randomUUID()}`;
        const answer = await request(reference, { amount_minor: 50_001 });
        // Asked for before the limit reached the view: its money must not stay reserved for the tests that follow.
        if (answer.status === 202) await post(maker, `/api/v4/payouts/${reference}/cancel`, {});
        return answer;
      },
      ({ status }) => status === 422,
    );
    expect(refused.body).toEqual({ error: 'limit_exceeded' });
  });
});

describe('stopping', () => {
  const stop = (reference: string, client: MerchantClient = maker, body: object = {}) =>
    post(client, `/api/v4/payouts/${reference}/cancel`, body);

  it('cancels for the requester, reports it, returns the money, and is too late after the start', async () => {
    const before = await quiet();
    const reference = `STOP-${randomUUID()}`;
    await request(reference);
    expect((await stop(reference, maker, { why: 'x' })).body).toMatchObject({
      error: 'invalid_request',
    });
    const cancelled = await stop(reference);
    expect([cancelled.status, cancelled.body]).toMatchObject([202, { status: 'rejected' }]);
    expect(await read(reference)).toMatchObject({ status: 'rejected', failure_code: 'cancelled' });
    expect((await stop(reference, checker)).status).toBe(202);
    await eventually(balance, (now) => now.available === before.available);
    const sent = `STOP-${randomUUID()}`;
    await request(sent);
    await decide(sent, 'approve');
    await settled(sent, 'completed');
    expect(await stop(sent)).toMatchObject({ status: 409, body: { error: 'not_cancellable' } });
    expect((await stop(`STOP-${randomUUID()}`)).status).toBe(404);
  });

  it('pauses at once, shows it, and allows cancelling meanwhile; resuming sends what waits', async () => {
    expect(await answered('payout', 'pause', ...whose(), ...by('amina'))).toMatchObject({
      outcome: 'paused',
    });
    const [kept, stopped] = [`PAUSE-${randomUUID()}`, `PAUSE-${randomUUID()}`];
    for (const reference of [kept, stopped]) {
      await request(reference);
      await decide(reference, 'approve');
    }
    expect(await read(kept)).toMatchObject({ status: 'pending', paused: true });
    const listed = await eventually(
      () => maker.get('/api/v4/transactions?type=payout&limit=5'),
      ({ body }) => JSON.stringify(body).includes('"paused":true'),
    );
    expect(listed.status).toBe(200);
    expect(await stop(stopped, checker)).toMatchObject({ status: 202 });
    expect(await answered('payout', 'resume', ...whose(), ...by('amina'))).toMatchObject({
      outcome: 'resumed',
    });
    expect(await settled(kept, 'completed')).not.toHaveProperty('paused');
    expect(await read(stopped)).toMatchObject({ status: 'rejected' });
  });

  it('cancels the part of a batch that has not started', async () => {
    const batch = `STOP-${randomUUID()}`;
    const { accountNo } = maker.credentials;
    const items = [1, 2].map((at) => ({
      reference: `${batch}-${at}`,
      phone: '254712345678',
      amount_minor: 1_000,
    }));
    const asked = { reference: batch, account_no: accountNo, currency: 'KES', channel: 'mpesa' };
    expect((await post(maker, '/api/v4/payout-batches', { ...asked, items })).status).toBe(202);
    expect(await stop(`${batch}-1`)).toMatchObject({ status: 409 });
    const cancel = () => post(maker, `/api/v4/payout-batches/${batch}/cancel`, {});
    expect(await cancel()).toMatchObject({ status: 202, body: { status: 'rejected', count: 2 } });
    for (const { reference } of items)
      expect(await read(reference)).toMatchObject({ failure_code: 'cancelled' });
    expect((await cancel()).status).toBe(202);
  });
});

describe('payouts under each behaviour of the rail', () => {
  const known = async (reference: string, phone: string) => {
    await request(reference, { phone });
    await decide(reference, 'approve');
  };

  it.each([
    ['refused at once', '254700000101'],
    ['its result is a failure', '254700000102'],
  ])('a payout that is %s fails, and its money is available again', async (_what, phone) => {
    const before = await quiet();
    await known(`FAIL-${phone.slice(-3)}`, phone);
    expect(await settled(`FAIL-${phone.slice(-3)}`, 'failed')).toMatchObject({
      failure_code: expect.any(String),
    });
    await eventually(balance, ({ available }) => available === before.available);
  });

  it.each([
    ['whose answer is lost', '254700000103'],
    ['whose result is lost', '254700000104'],
    ['whose result comes twice', '254700000105'],
  ])('a payout %s is posted once and never sent again', async (_what, phone) => {
    const before = await stats();
    const { posted } = await quiet();
    await known(`PAID-${phone.slice(-3)}`, phone);
    await settled(`PAID-${phone.slice(-3)}`, 'completed');
    await eventually(balance, (now) => now.posted === posted - 10_150);
    expect((await stats())['paid_out']).toBe((before['paid_out'] ?? 0) + 1);
  });

  it('a payout that was declined, then paid without another result, is found by a query and posted', async () => {
    const before = await quiet();
    await known('LATE', '254700000019');
    await settled('LATE', 'failed');
    expect(await settled('LATE', 'completed')).toMatchObject({ under_review: true });
    await eventually(balance, ({ posted }) => posted === before.posted - 10_150);
    expect((await balance()).available).toBe(before.available - 10_150);
  });

  it('a payout approved while the rail is down waits, and is paid once the rail is back', async () => {
    const { posted } = await quiet();
    await service.kill('worker');
    await service.kill('daraja-simulator');
    await request('while-away');
    await decide('while-away', 'approve');
    await service.start('worker');
    await eventually(
      () => Promise.resolve(service.logLines().some((line) => line.includes('their rail cannot'))),
      Boolean,
    );
    expect(await read('while-away')).toMatchObject({ status: 'pending', rail_reference: null });
    await service.start('daraja-simulator');
    await settled('while-away', 'completed');
    await eventually(balance, (now) => now.posted === posted - 10_150);
  });

  it('a payout without any report stays pending, with its money reserved', async () => {
    const before = await quiet();
    await known('NEVER', '254700000106');
    await eventually(balance, ({ reserved }) => reserved === before.reserved + 10_150);
    expect(await read('NEVER')).toMatchObject({ status: 'pending' });
  });
});

/** Amount and fee of NEVER, which stay reserved. */
const neverPaid = 10_150;

describe('operators', () => {
  it('approve under their own name, never for the requester, and see open approvals', async () => {
    await request('OP-1');
    const listed = await eventually(
      () => answered('payout', 'list', ...whose(), '--status', 'pending_approval'),
      ({ payouts }) => (payouts as Json[]).some(({ reference }) => reference === 'OP-1'),
    );
    const waits = expect.objectContaining({ reference: 'OP-1', waits_for: 'an approval' });
    expect(listed['payouts']).toContainEqual(waits);
    const approve = ['payout', 'approve', 'OP-1', ...whose()];
    const own = await operator(...approve, ...by(' TILL'));
    expect(own).toEqual({
      code: 1,
      said: expect.stringContaining('another person than the requester'),
    });
    const other = await operator(...approve, ...by('joseph'), '--amount', '9999');
    expect(other).toEqual({ code: 1, said: expect.stringContaining('--amount is not') });
    expect(await answered(...approve, ...by('joseph'), '--amount', '10000')).toMatchObject({
      outcome: 'approved',
    });
    await settled('OP-1', 'completed');
    const shown = await answered('show', 'OP-1', ...whose());
    expect(shown).toMatchObject({ type: 'payout', asked_by: 'till', approved_by: 'joseph' });
    expect((await operator('payout', 'show', 'OP-1')).said).toContain('approved by');
  });

  it('reject, and the money is available again', async () => {
    const before = await quiet(neverPaid);
    await request('OP-2');
    const rejected = await operator('payout', 'reject', 'OP-2', ...whose(), ...by('joseph'));
    expect(rejected).toEqual({ code: 0, said: 'rejected: OP-2 is rejected' });
    await eventually(balance, ({ available }) => available === before.available);
  });

  it('cancel a payout until it is sent to the rail', async () => {
    const before = await quiet(neverPaid);
    const [waits, sent] = [`CLI-${randomUUID()}`, `CLI-${randomUUID()}`];
    await request(waits);
    expect(await answered('payout', 'cancel', waits, ...whose(), ...by('amina'))).toMatchObject({
      outcome: 'cancelled',
      status: 'rejected',
    });
    expect(await read(waits)).toMatchObject({ status: 'rejected', failure_code: 'cancelled' });
    await eventually(balance, ({ available }) => available === before.available);
    await request(sent);
    await decide(sent, 'approve');
    await settled(sent, 'completed');
    expect(await operator('payout', 'cancel', sent, ...whose(), ...by('amina'))).toEqual({
      code: 1,
      said: expect.stringContaining('it was given to the rail'),
    });
  });

  it('revoke a credential as compromised, so that what it approved is not sent', async () => {
    const { merchantId, accountNo } = maker.credentials;
    const issued = await issueCredential(service.env, merchantId, 'the thief');
    const thief = new MerchantClient(service.baseUrl, { merchantId, accountNo, ...issued });
    await signedIn(thief);
    await answered('payout', 'pause', ...whose(), ...by('amina'));
    const reference = `CLI-${randomUUID()}`;
    await request(reference);
    expect((await decide(reference, 'approve', thief)).status).toBe(202);
    const { credentials } = await answered('credential', 'list', '--merchant', merchantId);
    const its = (credentials as Json[]).find(({ holder }) => holder === 'the thief');
    const id = String(its?.['credential_id']);
    await answered('credential', 'revoke', id, '--compromised', ...by('amina'));
    await answered('payout', 'resume', ...whose(), ...by('amina'));
    await settled(reference, 'pending_approval');
    await answered('payout', 'cancel', reference, ...whose(), ...by('amina'));
    await quiet(neverPaid);
  });

  it('end, by two, a payout that the rail never reported; its money is free again', async () => {
    const before = await quiet(neverPaid);
    const listed = await eventually(
      () => answered('review', 'list', ...whose(), '--why', 'no_word_from_rail'),
      ({ reviews }) => (reviews as Json[]).some(({ reference }) => reference === 'NEVER'),
    );
    expect(listed['reviews']).toContainEqual(
      expect.objectContaining({ reference: 'NEVER', type: 'payout', status: 'pending' }),
    );
    expect(await read('NEVER')).toMatchObject({ under_review: true });
    const shown = await operator('review', 'show', 'NEVER', ...whose());
    expect(shown.said).toContain('review resolve NEVER --type payout');
    const failed = ['--decision', 'failed', ...by('asha')];
    const proposed = await answered('review', 'resolve', 'NEVER', ...whose(), ...failed);
    expect(proposed).toMatchObject({ outcome: 'proposed', decision: 'failed' });
    expect(await read('NEVER')).toMatchObject({ status: 'pending' });
    const confirm = ['review', 'confirm', 'NEVER', ...whose(), '--as'];
    const same = await operator(...confirm, 'ASHA');
    expect(same).toEqual({ code: 1, said: expect.stringContaining('cannot confirm it') });
    expect(await answered(...confirm, 'joseph')).toMatchObject({ status: 'failed' });
    expect(await read('NEVER')).toMatchObject({ failure_code: 'not_paid', under_review: false });
    await eventually(balance, ({ available }) => available === before.available + 10_150);
  });

  it('open a review of a declined payout that the statement shows as paid', async () => {
    const line = ['--receipt', 'NLJ7RT61SV', '--amount', '10000', ...by('asha')];
    const opened = await answered('review', 'open', 'FAIL-102', ...whose(), ...line);
    expect(opened).toMatchObject({
      outcome: 'proposed',
      decision: 'paid',
      confirm: expect.stringContaining('review confirm FAIL-102 --type payout'),
    });
    expect(await read('FAIL-102')).toMatchObject({ status: 'failed', under_review: true });
  });

  it('must choose the type if a collection and a payout have the same reference', async () => {
    await maker.collect({ reference: 'OP-1', amount_minor: 100 });
    const unclear = await operator('show', 'OP-1', ...whose());
    expect(unclear).toEqual({ code: 1, said: expect.stringContaining('--type') });
    const collection = await answered('show', 'OP-1', ...whose(), '--type', 'collection');
    expect(collection).toMatchObject({ type: 'collection', collection: { reference: 'OP-1' } });
  });

  it('set the only numbers that may be paid, and no screen shows one', async () => {
    const set = (...words: readonly string[]) =>
      operator('destinations', 'set', ...whose(), ...by('asha'), ...words);
    expect((await set()).code).toBe(2);
    const wrong = await set('--phones', '254712345678,25471234567');
    expect(wrong).toEqual({ code: 2, said: expect.stringContaining('number 2') });
    expect(wrong.said).not.toContain('2547123');
    const named = await set('--phones', '254712345678');
    expect(named).toEqual({ code: 0, said: expect.stringContaining('2547*****678') });
    const other = { phone: '254712345679' };
    const refused = await eventually(
      () => request(`DEST-${randomUUID()}`, other),
      ({ status }) => status === 403,
    );
    expect(refused.body).toEqual({ error: 'destination_not_allowed' });
    expect((await request('DEST-1')).status).toBe(202);
    expect((await set('--first-time-rule')).code).toBe(0);
    await eventually(
      () => request(`DEST-${randomUUID()}`, other),
      ({ status }) => status === 202,
    );
  });
});

describe('a batch of payouts', () => {
  const batchOf = (
    reference: string,
    items: readonly object[],
    client: MerchantClient = maker,
    key?: string,
  ) =>
    post(
      client,
      '/api/v4/payout-batches',
      {
        reference,
        account_no: maker.credentials.accountNo,
        currency: 'KES',
        channel: 'mpesa',
        items,
      },
      key,
    );
  /** Waits until the views contain the requests of the tests before. */
  const steady = async (): ReturnType<typeof balance> => {
    const now = await balance();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const later = await balance();
    return later.reserved === now.reserved && later.posted === now.posted ? later : steady();
  };
  const item = (reference: string, fields: Readonly<Record<string, unknown>> = {}) => ({
    reference,
    phone: '254712345678',
    amount_minor: 1000,
    ...fields,
  });
  const decideBatch = (
    reference: string,
    verdict: 'approve' | 'reject',
    client: MerchantClient = checker,
    body: object = {},
  ) => post(client, `/api/v4/payout-batches/${reference}/${verdict}`, body);
  const summary = async (reference: string) =>
    (await maker.get(`/api/v4/payout-batches/${reference}`)).body;

  it('is reserved as a whole and decided as one, and each payout has its own outcome', async () => {
    const before = await steady();
    const key = randomUUID();
    const items = [item('B-1/a'), item('B-1/b', { amount_minor: 2000, phone: '254700000102' })];
    const asked = await batchOf('B-1', items, maker, key);
    const whole = { reference: 'B-1', count: 2, amount_minor: 3000, currency: 'KES' };
    expect([asked.status, asked.body]).toEqual([202, { ...whole, status: 'pending_approval' }]);
    const again = await batchOf('B-1', items, maker, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await batchOf('B-1', [items[0] ?? {}, item('B-1/b')]);
    expect([other.status, other.headers.get('x-pp-differs')]).toEqual([202, 'items']);
    await eventually(balance, ({ reserved }) => reserved === before.reserved + 3045);

    expect((await decide('B-1/a', 'approve')).status).toBe(404);
    expect((await decide('B-1%2Fa', 'approve')).body).toEqual({ error: 'not_pending_approval' });
    expect((await decideBatch('B-1', 'approve', maker)).body).toEqual({ error: 'same_holder' });
    const wrong = await decideBatch('B-1', 'approve', checker, { amount_minor: 3001 });
    expect(wrong.body).toMatchObject({ error: 'invalid_amount' });
    for (const [repeated, error, field] of [
      [{ count: 3 }, 'invalid_request', 'count'],
      [{ amount_minor: 3001 }, 'invalid_amount', 'amount_minor'],
    ] as const) {
      const { status, body } = await decideBatch('B-1', 'approve', checker, repeated);
      expect([status, body['error'], body['detail']]).toEqual([
        400,
        error,
        expect.stringMatching(`^${field} must be the `),
      ]);
    }
    const approved = await decideBatch('B-1', 'approve', checker, { count: 2 });
    expect([approved.status, approved.body]).toEqual([202, { ...whole, status: 'pending' }]);
    const ended = await eventually(
      () => summary('B-1'),
      (body) => {
        const { completed, failed } = body['by_status'] as Record<string, { count: number }>;
        return (completed?.count ?? 0) + (failed?.count ?? 0) === 2;
      },
    );
    const none = { count: 0, amount_minor: 0 };
    expect(ended).toMatchObject({
      ...whole,
      status: 'pending',
      by_status: {
        pending_approval: none,
        pending: none,
        completed: { count: 1, amount_minor: 1000 },
        failed: { count: 1, amount_minor: 2000 },
        rejected: none,
      },
    });
    await eventually(balance, ({ available }) => available === before.available - 1015);
    const listed = await maker.get('/api/v4/transactions?batch=B-1&status=failed');
    expect(listed.body['data']).toMatchObject([{ reference: 'B-1/b', batch: 'B-1' }]);
  });

  it('returns all its money when it is rejected', async () => {
    const before = await balance();
    await batchOf('B-2', [item('B-2/a'), item('B-2/b')]);
    expect((await decideBatch('B-2', 'reject')).body['status']).toBe('rejected');
    expect((await decideBatch('B-2', 'approve')).body).toEqual({ error: 'not_pending_approval' });
    await eventually(balance, ({ available }) => available === before.available);
    expect(await read('B-2%2Fb')).toMatchObject({ status: 'rejected', batch: 'B-2' });
  });

  it('is listed, shown and decided by an operator under their own name', async () => {
    await batchOf('B-6', [item('B-6/a'), item('B-6/b')]);
    await batchOf('B-7', [item('B-7/a')]);
    const waiting = { status: 'pending_approval', waits_for: 'an approval', amount_minor: 2000 };
    await eventually(
      () => answered('payout', 'batch', 'list', ...whose(), '--status', 'pending_approval'),
      ({ batches }) => (batches as Json[]).every(({ waits_for: by }) => by === waiting.waits_for),
    ).then(({ batches }) => {
      expect(batches).toMatchObject([
        { reference: 'B-6', ...waiting, count: 2, unsettled: 2 },
        { reference: 'B-7' },
      ]);
    });
    const approve = ['payout', 'batch', 'approve', 'B-6', ...whose()];
    expect(await operator(...approve, ...by('TILL '))).toEqual({
      code: 1,
      said: expect.stringContaining('another person than the requester'),
    });
    expect(await operator(...approve, ...by('joseph'), '--count', '3')).toEqual({
      code: 1,
      said: expect.stringContaining('--count is not'),
    });
    const bound = ['--count', '2', '--amount', '2000'];
    const approved = { outcome: 'approved', status: 'pending', count: 2, amount_minor: 2000 };
    expect(await answered(...approve, ...by('joseph'), ...bound)).toEqual(approved);
    const shown = await eventually(
      () => answered('payout', 'batch', 'show', 'B-6'),
      ({ by_status }) => (by_status as Record<string, Json>)['completed']?.['count'] === 2,
    );
    expect(shown).toMatchObject({ asked_by: 'till', approved_by: 'joseph', status: 'pending' });
    const events = shown['events'] as Json[];
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['PayoutBatchRequested', null],
      ['PayoutBatchApproved', 'line 12'],
    ]);
    const reject = ['payout', 'batch', 'reject', 'B-7', ...whose(), ...by('joseph')];
    expect(await operator(...reject)).toEqual({
      code: 0,
      said: 'rejected: B-7 is rejected, 1 payouts',
    });
  });

  it('is cancelled by an operator, and then has nothing left to cancel', async () => {
    const cancel = ['payout', 'batch', 'cancel', 'B-9', ...whose(), ...by('amina')];
    expect(await operator(...cancel)).toEqual({
      code: 1,
      said: expect.stringContaining('no such batch of payouts'),
    });
    await batchOf('B-9', [item('B-9/a'), item('B-9/b')]);
    const cancelled = { outcome: 'cancelled', status: 'rejected', count: 2 };
    expect(await answered(...cancel)).toEqual(cancelled);
    expect(await answered(...cancel)).toEqual(cancelled);
    expect(await read('B-9%2Fa')).toMatchObject({ status: 'rejected', failure_code: 'cancelled' });
  });

  it('is completed by the approving operator if its process died', async () => {
    const point = 'eventstore:append PayoutBatchRequested:after';
    const dying = await service.startReplica('api', { CRASH_AT: `${point}#1` });
    const its = new MerchantClient(`http://127.0.0.1:${dying.ports.port}`, maker.credentials);
    await expect(batchOf('B-8', [item('B-8/a'), item('B-8/b')], its)).rejects.toThrow();
    await dying.ended;
    expect((await read('B-8%2Fa'))['error']).toBe('not_found');
    const approve = ['payout', 'batch', 'approve', 'B-8', ...whose(), ...by('joseph')];
    expect(await answered(...approve)).toMatchObject({ outcome: 'approved' });
    await settled('B-8%2Fb', 'completed');
  });

  it.each([
    ['items[1].phone: ', 'invalid_phone', [item('B-3/a'), item('B-3/b', { phone: '0712' })]],
    ['items[0].amount_minor: ', 'invalid_amount', [item('B-3/a', { amount_minor: 0.5 })]],
    ['items[1].reference: ', 'invalid_reference', [item('B-3/a'), item('B-3/a')]],
    ['items[1].reference: ', 'invalid_reference', [item('B-3/a'), item('B-1/a')]],
    ['items[0].reference: ', 'invalid_reference', [item('B-3/712345678')]],
    ['items[0]: "note"', 'invalid_request', [item('B-3/a', { note: 1 })]],
    ['items must be', 'invalid_request', []],
    ['items must be', 'invalid_request', Array.from({ length: 1001 }, (_, n) => item(`B-3/${n}`))],
  ])('with a bad payout is rejected by its position, %s%s, and records nothing', async (...of) => {
    const [place, error, items] = of;
    const refused = await batchOf('B-3', items);
    expect([refused.status, refused.body['error']]).toEqual([400, error]);
    expect(refused.body['detail']).toContain(place);
    expect((await maker.get('/api/v4/payout-batches/B-3')).status).toBe(404);
  });

  it('is rejected if it exceeds the available balance, and nothing is stored', async () => {
    const half = { amount_minor: Math.floor((await balance()).available / 2) };
    const refused = await batchOf('B-4', [item('B-4/a', half), item('B-4/b', half)]);
    expect([refused.status, refused.body['error']]).toEqual([422, expect.any(String)]);
    expect((await read('B-4%2Fa'))['error']).toBe('not_found');
  });

  it('may have 512 KiB, and no other call more than 64 KiB', async () => {
    const many = Array.from({ length: 1000 }, (_, number) =>
      item(`B-5/${'x'.repeat(50)}/${number}`, { amount_minor: 1 }),
    );
    const began = performance.now();
    const asked = await batchOf('B-5', many);
    expect([asked.status, asked.body['status']]).toEqual([202, 'pending_approval']);
    expect(asked.body['count']).toBe(1000);
    expect(performance.now() - began).toBeLessThan(60_000);
    await eventually(
      () => summary('B-5'),
      (body) =>
        (body['by_status'] as Record<string, { count: number }>)['pending_approval']?.count ===
        1000,
    );
    expect((await decideBatch('B-5', 'reject')).body['status']).toBe('rejected');
    const padded = { body: `{"items":[]}${' '.repeat(512 * 1024)}` };
    expect((await maker.send('POST', '/api/v4/payout-batches', padded)).status).toBe(413);
    const other = { body: `{}${' '.repeat(64 * 1024)}` };
    expect((await maker.send('POST', '/api/v4/payouts', other)).status).toBe(413);
  });
});

it('matches the log in the views', async () => {
  expect(await operator('verify', '--json')).toEqual({
    code: 0,
    said: expect.stringContaining('"differences":0,'),
  });
});
