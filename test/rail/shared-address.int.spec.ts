import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InboxStep, QueryStep, sealSharedToken, UnopenedStep } from '#edges/rails';
import { Keyring } from '#shared/signing';
import { FinalStatusCheck } from '../../libs/edges/rails/src/timeouts/final-status-check.js';
import { CourierRail } from './courier.js';
import { RailHarness } from './harness.js';

const courier = new CourierRail();
let harness: RailHarness;
beforeAll(async () => {
  harness = await RailHarness.start(undefined, [courier]);
});
afterAll(() => harness.stop());
beforeEach(() => {
  courier.losesAnswers = false;
  courier.asked.length = 0;
});

async function pushed() {
  const stream = await harness.collection(undefined, undefined, 'courier');
  const [intent] = await harness.history(stream);
  const { accountReference = '' } = (intent?.data ?? {}) as { accountReference?: string };
  return { stream, accountReference };
}

const shared = (mode: 'demo' | 'live' = 'demo') =>
  `shared/${sealSharedToken(harness.keyring, { channel: 'courier', mode })}`;

describe('a callback at a shared address (AIR-7)', () => {
  it('posts nothing itself, but makes the worker query at once', async () => {
    const { stream, accountReference } = await pushed();
    await harness.project([stream], accountReference, { channel: 'courier' });
    courier.customers.set(accountReference, 'pays');
    expect(await harness.post(shared(), accountReference)).toEqual([200, courier.acknowledgement]);
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'RailPushAccepted']);
    await harness.app.get(InboxStep, { strict: false }).step();
    expect(courier.asked).toEqual([accountReference]);
    expect(await harness.types(stream)).toEqual([
      'CollectionIntentRecorded',
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
    const confirmed = (await harness.history(stream)).find(({ type }) => type === 'RailConfirmed');
    expect(confirmed?.data).toEqual({
      by: 'query',
      resultCode: 'paid',
      receipt: `MP.${accountReference}`,
    });
  });

  it('under a key that this process does not have yet is stored for a worker that has it', async () => {
    const fresh = { id: 'k2', bytes: Buffer.alloc(32, 8) };
    const newRing = Keyring.from([fresh, { id: 'k1', bytes: Buffer.alloc(32, 7) }]);
    const deployed = await RailHarness.beside(harness, newRing);
    const { stream, accountReference } = await pushed();
    await harness.project([stream], accountReference, { channel: 'courier' });
    courier.customers.set(accountReference, 'pays');
    const token = sealSharedToken(newRing, { channel: 'courier', mode: 'demo' });
    const kept = async () =>
      (await harness.database.query('select from records.unopened_callbacks')).length;
    // No process of this installation has noted the key yet, so the token is as good as made up.
    await harness.post(`shared/${token}`, accountReference);
    expect(await kept()).toBe(0);
    await harness.database.query(
      `insert into records.token_keys (key_id, last_used_at) values ('k2', records.now_())`,
    );
    expect((await harness.post(`shared/${token}`, accountReference))[0]).toBe(200);
    expect(await kept()).toBe(1);
    await deployed.get(UnopenedStep, { strict: false }).step();
    await deployed.get(InboxStep, { strict: false }).step();
    expect(await harness.types(stream)).toContain('WalletPosted');
    expect(await kept()).toBe(0);
  });

  it('settles nothing if it is false: the rail reports that the push is pending', async () => {
    const { stream, accountReference } = await pushed();
    await harness.project([stream], accountReference, { channel: 'courier' });
    await harness.post(shared(), accountReference);
    await harness.app.get(InboxStep, { strict: false }).step();
    expect(courier.asked).toEqual([accountReference]);
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'RailPushAccepted']);
  });

  it.each([
    ['an unknown push', '0123456789AB'],
    ['nothing', '{}'],
  ])('about %s changes nothing, and gets the usual answer', async (_what, body) => {
    const entries = () =>
      harness.database.query('select from records.callback_inbox', []).then((rows) => rows.length);
    const before = await entries();
    expect(await harness.post(shared(), body)).toEqual([200, courier.acknowledgement]);
    expect(await entries()).toBe(before);
  });

  it('finds no push of this mode if it has the token of the other mode', async () => {
    const { stream, accountReference } = await pushed();
    await harness.project([stream], accountReference, { channel: 'courier' });
    await harness.post(shared('live'), accountReference);
    expect(await harness.inboxOf(stream)).toEqual([]);
  });

  it('is not a notice, and a rail without such an address accepts none', async () => {
    const { stream, accountReference } = await pushed();
    await harness.project([stream], accountReference, { channel: 'courier' });
    const ofMpesa = sealSharedToken(harness.keyring, { channel: 'mpesa', mode: 'demo' });
    await harness.post(`shared/${ofMpesa}`, accountReference);
    await harness.post(shared().replace('shared/', 'c2b/'), accountReference);
    expect(await harness.inboxOf(stream)).toEqual([]);
  });
});

describe('a push whose answer was lost (AIR-8)', () => {
  it('is queried by our own reference, and its acceptance is recorded with the payment', async () => {
    courier.losesAnswers = true;
    const { stream, accountReference } = await pushed();
    await harness.project([stream], null, { channel: 'courier', accountReference });
    await harness.database.query(
      `insert into rail_queries (stream, channel, mode, intent_at)
         values ($1, 'courier', 'demo', records.now_() - interval '70 s')`,
      [stream],
    );
    courier.customers.set(accountReference, 'pays');
    await harness.app.get(QueryStep, { strict: false }).step();
    expect(courier.asked).toContain(accountReference);
    expect(await harness.types(stream)).toEqual([
      'CollectionIntentRecorded',
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is queried once more before people are asked', async () => {
    courier.losesAnswers = true;
    const { stream, accountReference } = await pushed();
    const check = harness.app.get(FinalStatusCheck, { strict: false });
    const overdue = { stream, isLate: false, intentAt: new Date(0) };
    courier.customers.set(accountReference, 'pays');
    expect(await check.at(overdue)).toBe('settled');
    expect(await harness.types(stream)).toContain('WalletPosted');
  });
});
