import { describe, expect, it } from '@jest/globals';
import { type Json } from './driver.js';
import { describeEachClient, type Scene } from './scene.js';
import { accepted, answer, collection, header, raw, refused } from './turns.js';

const create = ['collections.create', [collection]] as const;
const { phone: _phone, ...payment } = collection;
const batch = {
  reference: 'B/1',
  account_no: '10000001',
  currency: 'KES',
  channel: 'mpesa',
  items: [{ reference: 'P/1', phone: '254712345678', amount_minor: '9007199254740993' }],
};
const refund = { reference: 'R/1', amount_minor: '100', phone: '254712345678' };

/** Each call with its words, and the request that it makes. */
const calls: readonly (readonly [string, readonly unknown[], string, Json | undefined])[] = [
  ['collections.create', [collection], 'POST /api/v4/collections', collection],
  ['collections.expect', [payment], 'POST /api/v4/expected-payments', payment],
  ['collections.refund', ['INV/1', refund], 'POST /api/v4/collections/INV%2F1/refund', refund],
  ['collections.get', ['INV/1'], 'GET /api/v4/collections/INV%2F1', undefined],
  ['collections.receipt', ['INV/1'], 'GET /api/v4/collections/INV%2F1/receipt', undefined],
  ['payouts.request', [collection], 'POST /api/v4/payouts', collection],
  ['payouts.approve', ['P/1'], 'POST /api/v4/payouts/P%2F1/approve', {}],
  [
    'payouts.approve',
    ['P/1', { phone: '254712345678', amount_minor: '100' }],
    'POST /api/v4/payouts/P%2F1/approve',
    { phone: '254712345678', amount_minor: '100' },
  ],
  ['payouts.reject', ['P/1'], 'POST /api/v4/payouts/P%2F1/reject', {}],
  ['payouts.cancel', ['P/1'], 'POST /api/v4/payouts/P%2F1/cancel', {}],
  ['payouts.get', ['P/1'], 'GET /api/v4/payouts/P%2F1', undefined],
  ['payout_batches.create', [batch], 'POST /api/v4/payout-batches', batch],
  [
    'payout_batches.approve',
    ['B/1', { count: 1, amount_minor: '100' }],
    'POST /api/v4/payout-batches/B%2F1/approve',
    { count: 1, amount_minor: '100' },
  ],
  ['payout_batches.reject', ['B/1'], 'POST /api/v4/payout-batches/B%2F1/reject', {}],
  ['payout_batches.cancel', ['B/1'], 'POST /api/v4/payout-batches/B%2F1/cancel', {}],
  ['payout_batches.get', ['B/1'], 'GET /api/v4/payout-batches/B%2F1', undefined],
  ['accounts.balance', ['10000001'], 'GET /api/v4/accounts/10000001/balance', undefined],
];

const differences = [
  ['collections.create', [collection], 'different_collection'],
  ['collections.expect', [payment], 'different_collection'],
  ['collections.refund', ['INV/1', refund], 'different_payout'],
  ['payouts.request', [collection], 'different_payout'],
  ['payout_batches.create', [batch], 'different_payout_batch'],
] as const;

describeEachClient((scene) => {
  describe('requests', () => {
    it.each(calls)('%s(%j) sends %s', async (method, words, line, body) => {
      scene.service.turns = [answer(200, { status: 'pending' }, { 'X-PP-Ledger-Position': '41' })];
      const client = await scene.client();
      await client.call(method, words);
      const [request] = scene.service.requests;
      expect(`${request?.method ?? ''} ${request?.url ?? ''}`).toBe(line);
      expect(withAmountsAsText(request?.body ?? '')).toEqual(body);
      const isPost = line.startsWith('POST ');
      expect(request?.headers['content-type']).toBe(isPost ? 'application/json' : undefined);
      expect(request?.headers['idempotency-key'] === undefined).toBe(!isPost);
    });
  });

  describe('an existing reference', () => {
    existing(scene);
  });

  describe('errors', () => {
    errors(scene);
  });

  describe('amounts', () => {
    amounts(scene);
  });

  it('keeps members and statuses that it does not know (SDK-12)', async () => {
    const item = {
      status: 'on_the_moon',
      amount_minor: 1,
      colour: 'red',
      more: { deep: [1, null] },
    };
    scene.service.turns = [answer(200, item)];
    const client = await scene.client();
    expect(await client.call('collections.get', ['INV/1'])).toEqual({ ...item, amount_minor: '1' });
  });

  it('sends and returns positions, so that a caller reads its own writes', async () => {
    scene.service.turns = [answer(200, { posted_minor: 1 }, { 'X-PP-Ledger-Position': '43' })];
    const client = await scene.client();
    const options = { min_position: '41', at_position: '42' };
    const balance = await client.call('accounts.balance', ['10000001'], options);
    expect(balance).toEqual({ posted_minor: '1', ledger_position: '43' });
    const { requests } = scene.service;
    expect(header(requests, 'x-pp-min-position')).toEqual(['41']);
    expect(header(requests, 'x-pp-at-position')).toEqual(['42']);
  });
});

function existing(scene: Scene): void {
  it('is returned if it is the same (SDK-5)', async () => {
    const headers = { 'X-PP-Existing': 'true', 'Idempotent-Replayed': 'true' };
    scene.service.turns = [answer(202, { status: 'completed' }, headers), accepted];
    const client = await scene.client();
    const again = await client.call(...create);
    expect(again).toMatchObject({ status: 'completed', existing: true, replayed: true });
    const first = await client.call(...create);
    expect(first).toMatchObject({ status: 'pending', existing: false, replayed: false });
  });

  it.each(differences)('fails if it differs: %s (SDK-5)', async (method, words, code) => {
    const earlier = { status: 'completed', reference: 'INV/1', amount_minor: 100 };
    const headers = { 'X-PP-Existing': 'true', 'X-PP-Differs': 'amount_minor, phone' };
    scene.service.turns = [answer(202, earlier, headers)];
    const client = await scene.client();
    expect(await client.failure(method, words)).toMatchObject({
      type: 'call',
      code,
      kind: 'refused',
      reference: 'INV/1',
      differs: ['amount_minor', 'phone'],
      existing: { status: 'completed', amount_minor: '100', existing: true },
    });
    expect(scene.service.requests).toHaveLength(1);
  });
}

function errors(scene: Scene): void {
  it('have the facts of the answer and of the call (SDK-10)', async () => {
    const body = { error: 'invalid_phone', detail: 'phone must be 12 digits' };
    scene.service.turns = [answer(400, body, { 'X-Request-Id': 'r-1' })];
    const client = await scene.client();
    const failure = await client.failure(...create, { idempotency_key: 'key-1' });
    expect(failure).toMatchObject({
      code: 'invalid_phone',
      kind: 'request',
      status: 400,
      detail: 'phone must be 12 digits',
      request_id: 'r-1',
      call: 'POST /api/v4/collections',
      attempts: 1,
      idempotency_key: 'key-1',
    });
    expect(failure['message']).toContain('phone must be 12 digits');
  });

  it('have the code of a newer service in wire_code (SDK-11)', async () => {
    scene.service.turns = [refused(418, 'teapot')];
    const client = await scene.client();
    expect(await client.failure(...create)).toMatchObject({
      code: 'unknown_code',
      wire_code: 'teapot',
      kind: 'unknown',
    });
  });

  it.each([
    ['a page', raw(200, '<html></html>')],
    ['a list', raw(200, '[]')],
    ['a text', raw(200, '"ok"')],
    ['nothing', raw(200, '')],
    ['a number that is not JSON', raw(200, '{"amount_minor":NaN}')],
    ['an error page', raw(502, '<html></html>')],
    ['an error without a code', answer(500, { message: 'no' })],
  ])('are unexpected_answer if the answer is %s (SDK-11)', async (_name, turn) => {
    scene.service.turns = [turn];
    const client = await scene.client();
    const failure = await client.failure(...create);
    expect(failure).toMatchObject({ code: 'unexpected_answer', kind: 'unknown' });
  });
}

function amounts(scene: Scene): void {
  it.each(['9007199254740993', '123456789012345678901234567890'])(
    'are exact in a request: %s (SDK-13)',
    async (amount_minor) => {
      scene.service.turns = [accepted];
      const client = await scene.client();
      await client.call('collections.create', [{ ...collection, amount_minor }]);
      expect(scene.service.requests[0]?.body).toContain(`"amount_minor":${amount_minor}`);
    },
  );

  it('are exact in an answer, at any depth (SDK-13)', async () => {
    const text =
      '{"posted_minor":9007199254740993,"reserved_minor":-9007199254740993,"by":[{"sum_minor":123456789012345678901}]}';
    scene.service.turns = [raw(200, text)];
    const client = await scene.client();
    expect(await client.call('accounts.balance', ['1'])).toMatchObject({
      posted_minor: '9007199254740993',
      reserved_minor: '-9007199254740993',
      by: [{ sum_minor: '123456789012345678901' }],
    });
  });

  it.each([250.5, 1e21, true, null, 'KES 250'])(
    'are refused before anything is sent if they are no integer: %j (SDK-13)',
    async (amount_minor) => {
      const client = await scene.client();
      const item = { ...collection, amount_minor };
      const failure = await client.failure('collections.create', [item]);
      expect(failure).toMatchObject({ type: 'mistake' });
      const items = [{ ...batch.items[0], amount_minor }];
      const inBatch = await client.failure('payout_batches.create', [{ ...batch, items }]);
      expect(inBatch).toMatchObject({ type: 'mistake' });
      expect(scene.service.tokenRequests).toEqual([]);
    },
  );
}

/** Returns the JSON with its amounts as the digits that were sent; undefined if there is no text. */
function withAmountsAsText(text: string): unknown {
  if (text === '') return undefined;
  return JSON.parse(text.replaceAll(/(_minor":)(\d+)/g, '$1"$2"'));
}
