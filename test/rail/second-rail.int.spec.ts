import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ClaimedReferences, InboxStep, QueryStep } from '#edges/rails';
import { sealCallbackToken } from '../../libs/edges/rails/src/callback/callback-keys.js';
import { paidCallback, railAddress, RailHarness, untrustedAddress } from './harness.js';
import { PigeonRail, pigeonAddress } from './pigeon.js';

const pigeon = new PigeonRail();
let harness: RailHarness;
beforeAll(async () => {
  harness = await RailHarness.start(undefined, [pigeon]);
});
afterAll(() => harness.stop());

async function pushed() {
  const stream = await harness.collection(undefined, undefined, 'pigeon');
  const prompt = pigeon.prompts.at(-1);
  if (!prompt) throw new Error('nothing was pushed');
  const token = prompt.callbackUrl.split('/').at(-1) ?? '';
  return { stream, token, railReference: prompt.railReference };
}
const time = '2026-01-02T03:04:05Z';

it('a second rail’s callback settles its collection, and gets the answer that its rail expects', async () => {
  const { stream, token, railReference } = await pushed();
  const answer = await harness.post(token, `${railReference} paid 25000 ${time}`, pigeonAddress);
  expect(answer).toEqual([200, pigeon.acknowledgement]);
  expect(await harness.types(stream)).toEqual([
    'CollectionIntentRecorded',
    'RailPushAccepted',
    'RailConfirmed',
    'WalletPosted',
  ]);
  const [intent, , confirmed, posted] = await harness.history(stream);
  expect(intent?.data).toMatchObject({ channel: 'pigeon' });
  expect(confirmed?.metadata.actor).toEqual({ kind: 'rail', id: 'pigeon' });
  expect(posted?.data).toMatchObject({
    legs: expect.arrayContaining([
      expect.objectContaining({ account: 'rail-clearing:pigeon' }),
    ]) as unknown,
  });
});

it('a callback from another rail’s address, or an unknown one, is left to a query of the second rail', async () => {
  for (const address of [railAddress, untrustedAddress]) {
    const { stream, token, railReference } = await pushed();
    await harness.post(token, `${railReference} paid 25000 ${time}`, address);
    expect(await harness.types(stream)).not.toContain('WalletPosted');
    pigeon.customers.set(railReference, 'pays');
    await harness.ageInbox(stream, 60_000);
    await harness.app.get(InboxStep, { strict: false }).step();
    expect(pigeon.asked).toContain(railReference);
    expect(await harness.types(stream)).toContain('WalletPosted');
  }
});

it('a token belongs to its rail: it does not admit another rail’s callback', async () => {
  const { stream, token, railReference } = await pushed();
  const answer = await harness.post(token, paidCallback(railReference));
  expect(answer).toEqual([200, pigeon.acknowledgement]);
  const before = await harness.types(stream);
  const ofMpesa = sealCallbackToken(harness.keyring, 'mpesa', stream);
  await harness.post(ofMpesa, `${railReference} paid 25000 ${time}`, pigeonAddress);
  expect(await harness.types(stream)).toEqual(before);
  expect(await harness.inboxOf(stream)).toEqual([]);
});

async function queryDue({ stream, railReference }: Record<'stream' | 'railReference', string>) {
  pigeon.customers.set(railReference, 'pays');
  await harness.database.query(
    `insert into rail_queries (stream, channel, mode, rail_reference, intent_at)
       values ($1, 'pigeon', 'demo', $2, records.now_() - interval '70 s')`,
    [stream, railReference],
  );
  await harness.app.get(QueryStep, { strict: false }).step();
}

it('the query schedule queries the second rail', async () => {
  const { stream, railReference } = await pushed();
  await queryDue({ stream, railReference });
  expect(pigeon.asked).toContain(railReference);
  expect(await harness.types(stream)).toContain('WalletPosted');
});

it('a reference that M-Pesa gave to another collection still belongs to the second rail', async () => {
  const { stream, railReference } = await pushed();
  const claims = harness.app.get(ClaimedReferences, { strict: false });
  const ofMpesa = { channel: 'mpesa', mode: 'demo', railReference } as const;
  await claims.claim({ ...ofMpesa, stream: 'collection-demo:m2:of-mpesa' });
  await queryDue({ stream, railReference });
  expect(await harness.types(stream)).toContain('WalletPosted');
  const again = await claims.claim({ ...ofMpesa, stream });
  expect(again).toMatchObject({ kind: 'taken', stream: 'collection-demo:m2:of-mpesa' });
});
