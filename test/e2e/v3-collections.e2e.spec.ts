import { describe, expect, it } from '@jest/globals';
import { type CollectionEvent } from '#domain/collections';
import { type EventMetadata } from '#domain/event-sourcing';
import { eventually, pesapost } from '#testing';
import { type V3Client } from './v3-client.js';
import { allowedHost, useV3Scene, type V3Scene } from './v3-scene.js';

let scene: V3Scene;
let client: V3Client;
useV3Scene((started) => {
  scene = started;
  client = scene.client;
});

describe('a V3 collection', () => {
  it('uses the pipeline of V4 and moves the balance of both', async () => {
    const before = await client.balance(['KE', scene.accountNumber, 'KES']);
    const sent = scene.values();
    const { status, body } = await client.collect(sent);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'ref', 'transactionId', 'amount', 'currency']);
    expect(body).toMatchObject({
      status: 'pending',
      ref: sent['ref'],
      amount: '250.00',
      currency: 'KES',
    });
    expect(body['transactionId']).toMatch(/^ws_CO_/);
    await eventually(
      () => scene.item(String(sent['ref'])),
      (found) => found['status'] === 'completed',
    );
    const after = await eventually(
      () => client.balance(['KE', scene.accountNumber, 'KES']),
      ({ body: { balance } }) => balance !== before.body['balance'],
    );
    const minor = ({ body: { balance } }: typeof after): number =>
      Number(String(balance).replace('.', ''));
    expect(minor(after) - minor(before)).toBe(25_000 - 375);
    expect(await client.collect(sent)).toMatchObject({
      body: { ...body, status: 'completed' },
    });
  });

  it('is pushed once if it is raced twenty times under one ref, and every caller gets its state', async () => {
    const before = await scene.pushes();
    const sent = scene.values();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.collect(sent)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body['ref']))).toEqual(new Set([sent['ref']]));
    expect(await scene.pushes()).toBe(before + 1);
    // The bytes of the recorded request stay, with its signature.
    const { merchantId } = scene.service.merchant.credentials;
    const { messages } = (await pesapost(
      scene.service.env,
      ...['evidence', 'show', String(sent['ref']), '--merchant', merchantId, '--mode', 'demo'],
      ...['--as', 'spec', '--reason', 'test'],
    )) as unknown as { messages: { kind: string; named_by: object[] }[] };
    expect(messages.filter(({ kind }) => kind === 'request')).toMatchObject([
      { named_by: [{ commitment_is: 'held', digest: 'matches', signature: 'valid' }] },
    ]);
  });

  it('shares its references with V4: the second caller gets the state, even for another amount', async () => {
    const sent = scene.values();
    const first = await client.collect(sent);
    const before = await scene.pushes();
    expect(await client.collect({ ...sent, amount: '999.99' })).toMatchObject({
      status: 200,
      body: { ref: sent['ref'], amount: '250.00', transactionId: first.body['transactionId'] },
    });
    expect(await scene.service.merchant.collect({ reference: sent['ref'] })).toMatchObject({
      status: 202,
      body: { amount_minor: 25_000, rail_reference: first.body['transactionId'] },
    });
    const reference = 'OF-V4';
    await scene.service.merchant.collect({ reference, amount_minor: 12_345 });
    expect(await client.collect(scene.values({ ref: reference }))).toMatchObject({
      status: 200,
      body: { ref: reference, amount: '123.45' },
    });
    expect(await scene.pushes()).toBe(before + 1);
  });

  it('is failed with 200 if the rail rejects it at once, now and when repeated', async () => {
    const sent = scene.values({ mobileNumber: '0700000011' });
    const refused = {
      status: 200,
      body: { status: 'failed', ref: sent['ref'], transactionId: null, amount: '250.00' },
    };
    expect(await client.collect(sent)).toMatchObject(refused);
    expect(await client.collect(sent)).toMatchObject(refused);
  });

  it('is pending without a transaction id if its push is not answered', async () => {
    const sent = scene.values({ mobileNumber: '+254700000013' });
    expect(await client.collect(sent)).toMatchObject({
      status: 200,
      body: { status: 'pending', transactionId: null },
    });
  });

  it('keeps the address for its callback', async () => {
    const callbackUrl = `https://${allowedHost}/paid`;
    const sent = scene.values({ callbackUrl });
    expect((await client.collect(sent)).status).toBe(200);
    const [intent] = await scene.history(sent['ref']);
    expect(intent?.data).toMatchObject({ callbackUrl, origin: 'v3' });
  });
});

/** Values that differ between any two collections: names, the rail's ids, times, digests of evidence. */
const ofThisOne = new Set(
  'reference accountReference railReference merchantRequestId receipt paidAt requestCommitment railCommitment'.split(
    ' ',
  ),
);

describe('the same collection by V3 and by V4', () => {
  it.each([
    ['254712345678', 'completed'],
    ['254700000002', 'failed'],
    ['254700000010', 'pending'],
    ['254700000011', 'failed'],
  ])('for %s leaves the same events, except for the requester', async (phone, status) => {
    // V4 accepts no reference with the customer's number.
    const name = phone.slice(-4);
    const [v3, v4] = [`DIFF-V3-${name}`, `DIFF-V4-${name}`];
    await client.collect(scene.values({ ref: v3, mobileNumber: phone, amount: '77.70' }));
    await scene.service.merchant.collect({ reference: v4, phone, amount_minor: 7_770 });
    const settled = (reference: string) =>
      eventually(
        () => scene.history(reference),
        (events) => events.length >= 2 && events.at(-1)?.type !== 'RailPushAccepted',
      );
    const [ofV3, ofV4] = [await settled(v3), await settled(v4)];
    expect(ofV3.map(essence)).toEqual(ofV4.map(essence));
    expect((await scene.item(v3))['status']).toBe(status);
    const [asked, askedV4] = [ofV3[0], ofV4[0]];
    expect(asked?.data).toMatchObject({ origin: 'v3' });
    expect(asked?.metadata).toMatchObject({
      v: askedV4?.metadata.v,
      actor: { kind: 'credential', id: client.credential.credentialId, holder: 'old shop' },
      commitment: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      evidence: { ciphertext: expect.any(String) as unknown },
    });
    expect(Object.keys(asked?.metadata ?? {})).toEqual(Object.keys(askedV4?.metadata ?? {}));
  });

  const essence = ({ type, data, metadata }: CollectionEvent & { metadata: EventMetadata }) => ({
    type,
    data: Object.fromEntries(
      Object.entries(data as object)
        .filter(([name]) => name !== 'origin')
        .map(([name, value]: [string, unknown]) => [name, ofThisOne.has(name) ? 'own' : value]),
    ),
    by: metadata.actor.kind,
    told: Object.keys(metadata).sort(),
  });
});
