import { eventually, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

let made = 0;
/** Creates a collection for a phone and returns its reference with the answer. */
async function collect(phone: string, fields: Readonly<Record<string, unknown>> = {}) {
  made += 1;
  const reference = `INV-${made}`;
  return { reference, answer: await service.merchant.collect({ phone, reference, ...fields }) };
}

const item = async (reference: string) =>
  (await service.merchant.get(`/api/v4/collections/${encodeURIComponent(reference)}`)).body;
const settled = (reference: string, status: string) =>
  eventually(
    () => item(reference),
    (found) => found['status'] === status,
  );

describe('a signed collection', () => {
  it('is pending at once, completed when the rail confirms, listed, and in the balance', async () => {
    const before = await service.merchant.get(
      `/api/v4/accounts/${service.merchant.credentials.accountNo}/balance`,
    );
    const { reference, answer } = await collect('254712345678', { amount_minor: 25_000 });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', reference, amount_minor: 25_000, currency: 'KES' },
    });
    expect(answer.body['rail_reference']).toMatch(/^ws_CO_/);

    const completed = await settled(reference, 'completed');
    expect(completed).toMatchObject({ fee_minor: 375, type: 'collection', under_review: false });
    expect(completed['receipt']).toMatch(/^[A-Z0-9]{10}$/);

    const listed = await eventually(
      () => service.merchant.get('/api/v4/transactions?status=completed&limit=1'),
      ({ body }) => (body['data'] as { reference: string }[])[0]?.reference === reference,
    );
    expect((listed.body['data'] as unknown[])[0]).toEqual(completed);

    const after = await service.merchant.get(
      `/api/v4/accounts/${service.merchant.credentials.accountNo}/balance`,
    );
    const posted = Number(after.body['posted_minor']) - Number(before.body['posted_minor']);
    expect(posted).toBe(25_000 - 375);
  });

  it('returns the current state of an existing reference, without another push', async () => {
    const { reference } = await collect('254712345678');
    await settled(reference, 'completed');
    const before = await pushes();
    const again = await service.merchant.collect({ reference, amount_minor: 77 });
    expect(again).toMatchObject({ status: 202, body: { status: 'completed', reference } });
    expect(await pushes()).toBe(before);
  });

  it('is pushed once if it is raced twenty times under one reference', async () => {
    const before = await pushes();
    const reference = 'RACED-1';
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.merchant.collect({ reference })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
    expect(await pushes()).toBe(before + 1);
  });
});

describe('a collection under each outcome at the rail', () => {
  it.each([
    ['254700000002', 'failed', { failure_code: 'cancelled' }],
    ['254700000003', 'failed', { failure_code: 'insufficient_funds' }],
    ['254700000004', 'failed', { failure_code: 'wrong_pin' }],
    ['254700000005', 'failed', { failure_code: 'no_answer' }],
    ['254700000006', 'completed', { receipt: null }],
    ['254700000007', 'completed', { failure_code: null }],
    ['254700000008', 'completed', { failure_code: null }],
    ['254700000009', 'completed', {}],
    ['254700000012', 'completed', {}],
    ['254700000015', 'completed', {}],
    ['254700000016', 'completed', { receipt: null }],
    ['254700000017', 'completed', {}],
    ['254700000018', 'completed', { receipt: null, failure_code: null }],
    ['254700000019', 'completed', { receipt: null, failure_code: null }],
    ['254700000020', 'failed', { failure_code: 'subscriber_busy' }],
    ['254700000021', 'completed', { receipt: expect.stringMatching(/./) }],
  ])('for %s ends %s', async (phone, status, more) => {
    const { reference, answer } = await collect(phone);
    expect(answer.status).toBe(202);
    expect(await settled(reference, status)).toMatchObject(more);
  });

  it('with another amount is in suspense, pending and under review', async () => {
    const { reference } = await collect('254700000010');
    const held = await eventually(
      () => item(reference),
      (found) => found['under_review'] === true,
    );
    expect(held).toMatchObject({ status: 'pending', amount_minor: 10_000, completed_at: null });
  });

  it.each(['254700000011', '254700000014'])('for %s is rejected at once', async (phone) => {
    const { reference, answer } = await collect(phone);
    expect(answer).toMatchObject({ status: 502, body: { error: 'rail_rejected' } });
    expect(await item(reference)).toMatchObject({ status: 'failed' });
  });

  it('stays pending and is not repeated if the push gets no answer and no report', async () => {
    const before = await pushes();
    const { reference, answer } = await collect('254700000013');
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', rail_reference: null },
    });
    expect(await pushes()).toBe(before + 1);
    const again = await service.merchant.collect({ phone: '254700000013', reference });
    expect(again).toMatchObject({ status: 202, body: { status: 'pending' } });
    expect(await pushes()).toBe(before + 1);
  });
});

describe('the data that the service writes', () => {
  it('contains no phone number, token, secret or signature in logs', async () => {
    const { accessToken } = await service.merchant.signIn();
    const logs = service.logLines().join('\n');
    expect(logs.length).toBeGreaterThan(1_000);
    expect(logs).not.toMatch(/254[17]\d{8}/);
    expect(logs).not.toContain(accessToken);
    expect(logs).not.toContain(service.merchant.credentials.clientSecret);
    expect(logs).not.toMatch(/\/rails\/[0-9a-f]{20}/);
    expect(logs).not.toContain('PRIVATE KEY');
  });

  it('contains no phone number from within the rail’s own ids', async () => {
    const { reference } = await collect('254700000021');
    const { rail_reference: id } = await settled(reference, 'completed');
    const feed = await eventually(
      () => service.merchant.get('/api/v4/events?limit=100'),
      ({ body }) => JSON.stringify(body).includes(reference),
    );
    const history = await service.runCommand(['events']);
    for (const text of [JSON.stringify(feed.body), history.text]) {
      expect(text).toContain(id);
      expect(text).not.toContain('700000021');
    }
    expect(service.logLines().join('\n')).not.toContain('700000021');
  });
});

async function pushes(): Promise<number> {
  const response = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await response.json()) as { pushes: number }).pushes;
}
