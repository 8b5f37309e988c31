import { collectionStream } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type AtCall, type MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { approve, declined, ofRail, paid, RefundScene } from '../../test/refund-scene.js';
import {
  happened,
  type NotingRail,
  phone,
  type Phones,
  streamOf,
  wallet,
} from '../../test/scene.js';

const { merchantId, mode } = wallet;
const collection = collectionStream({ merchantId, mode, reference: 'INV-1' });

let scene: RefundScene;
let log: MemoryLog;
let rail: NotingRail;
let phones: Phones;
beforeEach(async () => {
  scene = await RefundScene.begin();
  ({ log, rail, phones } = scene);
});

const begin = (at?: AtCall) => scene.process({}, at);
type Process = ReturnType<typeof begin>;
const eventsOf = (stream: string): readonly RecordedEvent[] => scene.eventsOf(stream);
const typesOf = (stream: string) => eventsOf(stream).map(({ type }) => type);
const refundsNow = () => scene.refunds();
/** A whole refund that has failed, and that the rail may still report as paid. */
async function failedRefund({ refund, decide, send, report }: Process): Promise<void> {
  await refund('R-1', { collection: 'INV-1' });
  await decide('R-1', approve);
  await send('R-1');
  await report('R-1', { ...ofRail, verdict: declined });
}

describe('a refund that is checked again when it is sent (REF-10)', () => {
  it('is not sent if another refund was paid late from the same money', async () => {
    const process = begin();
    const { refund, decide, send, report, cancel } = process;
    await failedRefund(process);
    await refund('R-2', { collection: 'INV-1', amountMinor: 4000n, to: phone });
    await decide('R-2', approve);
    await report('R-1', { ...ofRail, verdict: paid });
    expect(await send('R-2')).toMatchObject({ value: 'expired' });
    expect(rail.orders).toHaveLength(1);
    expect(eventsOf(streamOf('R-2')).at(-1)).toMatchObject({
      type: 'PayoutApprovalExpired',
      data: { why: 'checks' },
    });
    // A new approval changes nothing about the money.
    await decide('R-2', { ...approve, holder: 'wanjiru' });
    expect(await send('R-2')).toMatchObject({ value: 'expired' });
    await cancel('R-2');
    expect(refundsNow()).toMatchObject({ openMinor: 0n, refundedMinor: 10_000n });
  });

  it('is not sent while the collection is under review, but is sent after a decision', async () => {
    const { refund, decide, send } = begin();
    await refund('R-1', { collection: 'INV-1' });
    await decide('R-1', approve);
    await happened(log, collection, [['ReviewFlagged', { why: 'declined_after_payment' }]]);
    expect(await send('R-1')).toMatchObject({ value: 'expired' });
    const decision = { decision: 'paid', reason: 'line 12', proposedBy: 'a', confirmedBy: 'b' };
    await happened(log, collection, [['ReviewDecided', decision]]);
    await decide('R-1', { ...approve, holder: 'wanjiru' });
    expect(await send('R-1')).toMatchObject({ value: 'sent' });
    expect(rail.orders).toHaveLength(1);
  });

  it('is not sent without its claim on the collection', async () => {
    const { refund, decide, send } = begin();
    await refund('R-1', { collection: 'INV-1' });
    await decide('R-1', approve);
    const released = { payoutReference: 'R-1', amountMinor: 10_000n };
    await happened(log, collection, [
      ['RefundReleased', { ...released, openMinor: 0n, refundedMinor: 0n }],
    ]);
    expect(await send('R-1')).toMatchObject({ value: 'expired' });
    expect(rail.orders).toEqual([]);
  });
});

it('a reversal stores no phone number, even if the request names it (REF-11)', async () => {
  const { refund, decide, send } = begin();
  expect(await refund('R-1', { collection: 'INV-1', to: phone })).toMatchObject({ ok: true });
  expect(phones.kept.size).toBe(0);
  await decide('R-1', approve);
  expect(await send('R-1')).toMatchObject({ value: 'sent' });
  expect(rail.orders).toMatchObject([{ reverses: 'RCPTINV-1' }]);
});

it('a decline that names only the reversed receipt releases nothing (REF-6)', async () => {
  rail.outcome = { kind: 'unknown' };
  const { refund, decide, send, report } = begin();
  await refund('R-1', { collection: 'INV-1' });
  await decide('R-1', approve);
  await send('R-1');
  const ofAnother = { originatorConversationId: 'rail-9', conversationId: 'AG_9' };
  expect(await report('R-1', { ...ofAnother, reverses: 'RCPTINV-1', verdict: declined })).toEqual({
    ok: false,
    refusal: 'not_corroborated',
  });
  expect(refundsNow()).toMatchObject({ openMinor: 10_000n, refundedMinor: 0n });
  // The report that is believed says that it is about a reversal (REF-12).
  expect(await report('R-1', { ...ofAnother, reverses: 'RCPTINV-1', verdict: paid })).toMatchObject(
    { value: { status: 'completed', isReversal: true } },
  );
});

it('a claim is not released if the failed refund is known to be paid (REF-7)', async () => {
  const { refund, decide, send, report } = begin();
  await refund('R-1', { collection: 'INV-1' });
  await decide('R-1', approve);
  await send('R-1');
  // The process that recorded the decline died before it released anything.
  await happened(log, streamOf('R-1'), [
    ['RailDeclined', { by: 'callback', failureCode: 'rail_declined' }],
  ]);
  await report('R-1', { ...ofRail, verdict: paid });
  expect(typesOf(collection).slice(-2)).toEqual(['RefundReserved', 'RefundPaid']);
  expect(refundsNow()).toMatchObject({ openMinor: 0n, refundedMinor: 10_000n });
});

it('a collection that was refunded more than it collected has nothing left to refund', async () => {
  const process = begin();
  const { refund, decide, send, report } = process;
  await failedRefund(process);
  await refund('R-2', { collection: 'INV-1', amountMinor: 4000n, to: phone });
  await decide('R-2', approve);
  await send('R-2');
  await report('R-1', { ...ofRail, verdict: paid });
  await report('R-2', {
    ...ofRail,
    verdict: { ...paid, receipt: 'NLK8RU72TX', amountMinor: 4000n },
  });
  expect(refundsNow()).toMatchObject({ openMinor: 0n, refundedMinor: 14_000n });
  expect(await refund('R-3', { collection: 'INV-1', to: phone })).toEqual({
    ok: false,
    refusal: 'not_refundable',
  });
});

it.each([...Array(12).keys()])(
  'a request held before call %i gets the state of a simultaneous request for the same refund',
  async (held) => {
    const waiting = Promise.withResolvers<undefined>();
    let calls = 0;
    const slow = begin(async () => {
      calls += 1;
      if (calls > held) await waiting.promise;
    });
    const first = slow.refund('R-1', { collection: 'INV-1' });
    const second = await begin().refund('R-1', { collection: 'INV-1' });
    waiting.resolve(undefined);
    for (const answer of [await first, second])
      expect(answer).toMatchObject({ ok: true, value: { view: { status: 'pending_approval' } } });
    expect(refundsNow()).toMatchObject({ openMinor: 10_000n, refundedMinor: 0n });
  },
);

it('a rejected refund that the rail received anyway goes to review, even after its money was released', async () => {
  await begin().refund('R-1', { collection: 'INV-1' });
  // The process dies between the release of the money and that of the claim.
  const dying = begin((what, stream) =>
    what === 'append sent' && stream === collection
      ? Promise.reject(new Error('died'))
      : Promise.resolve(),
  );
  await dying.cancel('R-1').catch(() => undefined);
  expect(refundsNow()).toMatchObject({ openMinor: 10_000n });
  const orderedBefore = new Set([streamOf('R-1')]);
  const { complete } = scene.process({ orderedBefore });
  await complete('R-1');
  expect(eventsOf(streamOf('R-1')).at(-1)).toMatchObject({
    type: 'ReviewFlagged',
    data: { why: 'given_before' },
  });
  expect(refundsNow()).toMatchObject({ openMinor: 10_000n });
});
