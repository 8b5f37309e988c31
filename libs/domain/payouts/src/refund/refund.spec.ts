import { collectionStream } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type AtCall, type MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { approve, declined, ofRail, paid, RefundScene } from '../../test/refund-scene.js';
import {
  collected,
  happened,
  type NotingRail,
  phone,
  type Phones,
  streamOf,
  wallet,
  type World,
} from '../../test/scene.js';

const refused = (refusal: string) => ({ ok: false, refusal });
const stands = (status: string, amountMinor = 10_000n) => ({
  ok: true,
  value: { view: { status, amountMinor } },
});

let scene: RefundScene;
let log: MemoryLog;
let rail: NotingRail;
let phones: Phones;
beforeEach(async () => {
  scene = await RefundScene.begin();
  ({ log, rail, phones } = scene);
});

const begin = (more: Partial<World> = {}, at?: AtCall) => scene.process(more, at);
const eventsOf = (stream: string): readonly RecordedEvent[] => scene.eventsOf(stream);
const sums = () => scene.sums();

describe('a refund of a whole collection', () => {
  it('is requested by one holder, approved by another, and reversed once by its receipt, without a fee', async () => {
    const { refund, decide, send, report } = begin();
    expect(await refund('R-1', { collection: 'INV-1' })).toMatchObject(stands('pending_approval'));
    expect(sums()).toEqual({ openMinor: 10_000n, refundedMinor: 0n });
    expect(await decide('R-1', approve)).toMatchObject({ value: { view: { status: 'pending' } } });
    expect(await send('R-1')).toMatchObject({ value: 'sent' });
    expect(await send('R-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toMatchObject([{ reverses: 'RCPTINV-1', amountMinor: 10_000n }]);
    expect(rail.orders[0]).not.toHaveProperty('phone');
    expect(phones.kept.size).toBe(0);
    await report('R-1', { ...ofRail, verdict: paid });
    expect(sums()).toEqual({ openMinor: 0n, refundedMinor: 10_000n });
    expect(eventsOf(streamOf('R-1')).at(-1)).toMatchObject({
      type: 'WalletPosted',
      data: {
        legs: [
          { account: 'wallet:1001', amountMinor: -10_000n },
          { account: 'rail-clearing:mpesa', amountMinor: 10_000n },
        ],
      },
    });
  });

  it('needs a second holder, even if its amount could be approved automatically', async () => {
    const terms = { automaticMaxMinor: 50_000n, automaticPerDayMinor: 50_000n };
    const { refund } = begin({ terms, paidBefore: new Set([`hmac of ${phone}`]) });
    expect(await refund('R-1', { collection: 'INV-1' })).toMatchObject(stands('pending_approval'));
  });

  it('needs neither the customer’s number nor a permitted destination nor the float', async () => {
    await collected(log, 'TILL', 10_000n, { isNumberHidden: true });
    rail.floatMinor = 0n;
    const { refund, decide, send } = begin({ terms: { destinations: new Set(['another']) } });
    expect(await refund('R-1', { collection: 'TILL' })).toMatchObject({ ok: true });
    expect(await decide('R-1', approve)).toMatchObject({ ok: true });
    expect(await send('R-1')).toMatchObject({ value: 'sent' });
  });

  it('is matched by the reversed receipt if the answer to the order was lost', async () => {
    rail.outcome = { kind: 'unknown' };
    const { refund, decide, send, report } = begin();
    await refund('R-1', { collection: 'INV-1' });
    await decide('R-1', approve);
    await send('R-1');
    const named = { originatorConversationId: 'rail-9', conversationId: 'AG_9' };
    expect(await report('R-1', { ...named, verdict: paid })).toEqual(refused('not_corroborated'));
    expect(await report('R-1', { ...named, reverses: 'OTHER', verdict: paid })).toEqual(
      refused('not_corroborated'),
    );
    expect(await report('R-1', { ...named, reverses: 'RCPTINV-1', verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
  });

  it('releases its claim if it fails, but still counts if it is paid after that', async () => {
    const { refund, decide, send, report } = begin();
    await refund('R-1', { collection: 'INV-1' });
    await decide('R-1', approve);
    await send('R-1');
    await report('R-1', { ...ofRail, verdict: declined });
    expect(sums()).toEqual({ openMinor: 0n, refundedMinor: 0n });
    expect(await refund('R-2', { collection: 'INV-1' })).toMatchObject(stands('pending_approval'));
    await report('R-1', { ...ofRail, verdict: paid });
    expect(sums()).toEqual({ openMinor: 10_000n, refundedMinor: 10_000n });
    expect(eventsOf(streamOf('R-1')).map(({ type }) => type)).toContain('ReviewFlagged');
  });

  it('releases its claim if it is rejected or cancelled', async () => {
    const { refund, decide, cancel } = begin();
    await refund('R-1', { collection: 'INV-1' });
    await decide('R-1', { verdict: 'reject', holder: 'joseph' });
    await refund('R-2', { collection: 'INV-1' });
    await cancel('R-2');
    expect(sums()).toEqual({ openMinor: 0n, refundedMinor: 0n });
    expect(await refund('R-3', { collection: 'INV-1' })).toMatchObject(stands('pending_approval'));
  });
});

describe('a refund of a part', () => {
  it('is sent to the number that paid', async () => {
    const { refund, decide, send, report } = begin();
    rail.outcome = { kind: 'accepted', conversationId: 'AG_1' };
    const part = { collection: 'INV-1', amountMinor: 4000n, to: phone };
    expect(await refund('R-1', part)).toMatchObject(stands('pending_approval', 4000n));
    expect(phones.kept.size).toBe(1);
    await decide('R-1', approve);
    await send('R-1');
    expect(rail.orders).toMatchObject([{ phone, amountMinor: 4000n }]);
    await report('R-1', { verdict: { ...paid, amountMinor: 4000n } });
    expect(sums()).toEqual({ openMinor: 0n, refundedMinor: 4000n });
    expect(phones.kept.size).toBe(0);
    // The rest is a part as well, because the rail reverses whole payments only.
    expect(await refund('R-2', { collection: 'INV-1' })).toEqual(refused('phone_needed'));
    expect(await refund('R-2', { collection: 'INV-1', to: phone })).toMatchObject(
      stands('pending_approval', 6000n),
    );
  });

  it('needs exactly that number, and a collection whose number the rail does not hide', async () => {
    await collected(log, 'TILL', 10_000n, { isNumberHidden: true });
    const { refund } = begin();
    const part = { amountMinor: 4000n };
    expect(await refund('R-1', { ...part, collection: 'INV-1' })).toEqual(refused('phone_needed'));
    expect(await refund('R-1', { ...part, collection: 'INV-1', to: '254700000001' })).toEqual(
      refused('phone_differs'),
    );
    expect(await refund('R-1', { ...part, collection: 'TILL' })).toEqual(refused('only_whole'));
    expect(await refund('R-1', { collection: 'TILL', to: phone })).toEqual(
      refused('phone_differs'),
    );
    expect(eventsOf(streamOf('R-1'))).toEqual([]);
  });

  it('may be of the whole amount if its receipt is not known or the rail does not reverse', async () => {
    await collected(log, 'QUERIED', 10_000n, { receipt: null });
    const { refund } = begin();
    expect(await refund('R-1', { collection: 'QUERIED' })).toEqual(refused('phone_needed'));
    expect(await refund('R-1', { collection: 'QUERIED', to: phone })).toMatchObject({ ok: true });
    rail.reverses = () => false;
    expect(await refund('R-2', { collection: 'INV-1' })).toEqual(refused('phone_needed'));
    expect(await refund('R-2', { collection: 'INV-1', to: phone })).toMatchObject({ ok: true });
    for (const reference of ['R-1', 'R-2'])
      expect(eventsOf(streamOf(reference))[0]?.data).not.toHaveProperty('refund.reverses');
  });
});

describe('a refund request that records nothing', () => {
  it.each([
    ['for an unknown collection', { collection: 'INV-9' }, 'unknown_collection'],
    ['above the amount', { collection: 'INV-1', amountMinor: 10_001n }, 'exceeds'],
    ['above the operator’s limit', { collection: 'INV-2' }, 'limit_exceeded'],
  ] as const)('is rejected if it is %s', async (_title, asked, refusal) => {
    await collected(log, 'INV-2', 20_001n);
    const before = log.events.length;
    const { refund } = begin({ terms: { maxMinor: 20_000n } });
    expect(await refund('R-1', asked)).toEqual(refused(refusal));
    expect(log.events).toHaveLength(before);
  });

  it('is rejected if its collection is pending or under review', async () => {
    const { merchantId, mode } = wallet;
    const intent = { ...wallet, amountMinor: 100n, feeMinor: 0n, channel: 'mpesa', origin: 'v4' };
    const pending = collectionStream({ merchantId, mode, reference: 'OPEN' });
    const data = { ...intent, reference: 'OPEN' };
    await happened(log, pending, [['CollectionIntentRecorded', data]], { commitment: 'c' });
    await collected(log, 'ASKED', 100n);
    const asked = collectionStream({ merchantId, mode, reference: 'ASKED' });
    await happened(log, asked, [['ReviewFlagged', { why: 'duplicate_receipt' }]]);
    const { refund } = begin();
    expect(await refund('R-1', { collection: 'OPEN' })).toEqual(refused('not_refundable'));
    expect(await refund('R-1', { collection: 'ASKED' })).toEqual(refused('not_refundable'));
  });

  it('is rejected if its reference contains the number that paid, even if nothing else names it', async () => {
    const { refund } = begin();
    const reference = `for-0${phone.slice(3)}`;
    expect(await refund(reference, { collection: 'INV-1' })).toEqual(refused('phone_in_reference'));
    expect(await refund('for-0712345679', { collection: 'INV-1' })).toMatchObject({ ok: true });
  });

  it('is rejected if the wallet does not have the money for it', async () => {
    const { refund } = begin({ credits: () => 9999n });
    expect(await refund('R-1', { collection: 'INV-1' })).toEqual(refused('insufficient_funds'));
  });

  it('returns the current state if its reference exists', async () => {
    const { refund, request } = begin();
    await request('P-1', 3000n);
    expect(await refund('P-1', { collection: 'INV-1' })).toMatchObject({
      value: { view: { amountMinor: 3000n }, existing: { reference: 'P-1' } },
    });
    await refund('R-1', { collection: 'INV-1' });
    const repeated = await refund('R-1', { collection: 'INV-1' });
    expect(repeated).toMatchObject({ value: { existing: { refund: { reference: 'INV-1' } } } });
    expect(sums()).toEqual({ openMinor: 10_000n, refundedMinor: 0n });
  });
});

it('two refunds of one collection at once never give back more than it brought', async () => {
  const waiting = Promise.withResolvers<undefined>();
  let reads = 0;
  // The first process has read the collection when the second one asks.
  const slow = begin({}, async () => {
    reads += 1;
    if (reads === 5) await waiting.promise;
  });
  const first = slow.refund('R-1', { collection: 'INV-1' });
  const second = await begin().refund('R-2', { collection: 'INV-1' });
  waiting.resolve(undefined);
  const both = [await first, second];
  expect(both.map((one) => one.ok && one.value.view.status).sort()).toEqual([
    'pending_approval',
    'rejected',
  ]);
  const events = [...eventsOf(streamOf('R-1')), ...eventsOf(streamOf('R-2'))];
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'PayoutRejected',
      data: expect.objectContaining({ reason: 'already_refunded' }),
    }),
  );
  expect(sums()).toEqual({ openMinor: 10_000n, refundedMinor: 0n });
  const reserved = log.events.findLast(({ stream }) => stream.startsWith('reservations-'));
  expect(reserved?.data).toMatchObject({ totalMinor: 10_000n });
});

it.each([...Array(12).keys()])(
  'a process that dies after %i calls leaves nothing that the worker cannot complete',
  async (calls) => {
    let made = 0;
    const dying = begin({}, () => {
      made += 1;
      return made > calls ? Promise.reject(new Error('died')) : Promise.resolve();
    });
    await dying.refund('R-1', { collection: 'INV-1' }).catch(() => undefined);
    const { complete, refund } = begin();
    await complete('R-1');
    expect(await refund('R-1', { collection: 'INV-1' })).toMatchObject(stands('pending_approval'));
    expect(sums()).toEqual({ openMinor: 10_000n, refundedMinor: 0n });
  },
);
