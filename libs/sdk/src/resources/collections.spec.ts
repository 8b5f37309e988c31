import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { clientOf, collection, failureOf, item, refused } from '../../test/fixtures.js';
import { ScriptedService } from '../../test/scripted-service.js';
import { type PesaPostOptions } from '../options.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) => clientOf(service, options);

describe('expecting a payment without a push', () => {
  const { phone: _phone, ...terms } = { ...collection, reference: 'INV7' };
  const expected = {
    status: 'pending',
    reference: 'INV7',
    amount_minor: 25_000,
    currency: 'KES',
    pay_to: { pay_bill: '600100', account: '10000001 INV7' },
  };

  it('sends the terms without a number, once under one key, and says what the customer types', async () => {
    service.turns = ['cut the connection', { status: 202, body: expected }];
    const answer = await client().collections.expect(terms);
    expect(answer).toMatchObject({ pay_to: expected.pay_to, amount_minor: 25_000n });
    const [first, second] = service.requests;
    expect(first?.url).toBe('/api/v4/expected-payments');
    expect(JSON.parse(first?.body ?? '')).toEqual(terms);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  it('fails if the reference is another collection’s', async () => {
    const headers = { 'X-PP-Existing': 'true', 'X-PP-Differs': 'amount_minor' };
    service.turns = [{ status: 202, headers, body: expected }];
    expect(await failureOf(client().collections.expect(terms))).toMatchObject({
      code: 'different_collection',
      differs: ['amount_minor'],
    });
  });
});

describe('waiting until a collection is settled', () => {
  it('asks until it is, through silence, trouble and a status that it does not know', async () => {
    const trouble = refused(503, 'service_unavailable');
    service.turns = [item('pending'), item('new'), trouble, 'cut the connection', item('failed')];
    const { collections } = client({ retries: { max: 0 } });
    await expect(collections.waitUntilSettled('INV-1')).resolves.toMatchObject({
      status: 'failed',
    });
  });

  it('ends when its time is up, also in the middle of a request, and tells what it saw last', async () => {
    service.turns = [item('pending'), 'say nothing'];
    const started = performance.now();
    const wait = client({ timeoutMs: 60_000 }).collections.waitUntilSettled('INV-1', {
      timeoutMs: 5_000,
    });
    expect(await failureOf(wait)).toMatchObject({
      code: 'not_settled',
      reference: 'INV-1',
      last: { status: 'pending' },
      attempts: 2,
    });
    expect(performance.now() - started).toBeLessThan(40_000);
  });

  it('ends after 120 s if the caller sets no time (SDK-16)', async () => {
    service.turns = ['say nothing'];
    jest.useFakeTimers({ now: Date.now() });
    try {
      let ended = false;
      const wait = failureOf(client().collections.waitUntilSettled('INV-1')).finally(() => {
        ended = true;
      });
      await jest.advanceTimersByTimeAsync(119_999);
      expect(ended).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await wait).toMatchObject({ code: 'not_settled', timeoutMs: 120_000 });
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not wait for what is not there', async () => {
    service.turns = [refused(404, 'not_found')];
    const error = await failureOf(client().collections.waitUntilSettled('INV-1'));
    expect(error.code).toBe('not_found');
  });
});
