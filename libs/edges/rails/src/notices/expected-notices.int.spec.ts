import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RecordedClaimedReferences } from '#adapters/rail-records';
import { SealedMessages } from '#domain/evidence';
import { DependencyUnavailable } from '#domain/kernel';
import { openEvidence } from '#shared/signing';
import { type RailHarness } from '../../../../../test/rail/harness.js';
import { accountNo, newReceipt, NoticeScene } from '../../test/notice-scene.js';
import { CollectionsClient } from '../collections-client.js';

const posted = ['CollectionIntentRecorded', 'RailConfirmed', 'WalletPosted'];

let scene: NoticeScene;
let harness: RailHarness;
let client: CollectionsClient;
beforeAll(async () => {
  scene = await NoticeScene.start();
  ({ harness } = scene);
  client = harness.app.get(CollectionsClient, { strict: false });
});
afterAll(() => harness.stop());
beforeEach(() => harness.database.query(`delete from records.callback_inbox`));

let references = 0;
/** @returns a reference that the customer types, and the stream of its expected payment */
async function expected(): Promise<{ readonly reference: string; readonly stream: string }> {
  references += 1;
  const reference = `INV${references}`;
  return { reference, stream: await scene.expect(reference) };
}

/** Lets two payments for an expected one go on only when both have found it unpaid. */
function race(): jest.SpiedFunction<CollectionsClient['receiveExpected']> {
  const receiveExpected = client.receiveExpected.bind(client);
  const { promise: both, resolve } = Promise.withResolvers<undefined>();
  let arrived = 0;
  return jest.spyOn(client, 'receiveExpected').mockImplementation(async (...of) => {
    arrived += 1;
    if (arrived === 2) resolve(undefined);
    await both;
    return receiveExpected(...of);
  });
}

/** @returns the receipts that the events of the stream name */
async function receiptsIn(stream: string): Promise<readonly string[]> {
  const events = await harness.history(stream);
  return events.flatMap(({ type, data }) => (type === 'RailConfirmed' ? [data.receipt ?? ''] : []));
}

/** Opens the sealed message of the stream, and the evidence of the confirmation that names it. */
async function messageOf(stream: string): Promise<string> {
  const [message, ...others] = await harness.messagesOf(stream);
  if (!message?.ownKey || others.length > 0) throw new Error('there is not exactly one message');
  const confirmed = (await harness.history(stream)).find(({ type }) => type === 'RailConfirmed');
  const { evidence, commitment } = confirmed?.metadata ?? {};
  if (!evidence || commitment === undefined) throw new Error('there is no evidence');
  expect(evidence.messageId).toBe(message.id);
  openEvidence(harness.keyring, { evidence, commitment }, message.ownKey);
  return harness.opened(message).toString();
}

describe('two payments that race for one expected payment', () => {
  it('are recorded in one step, one for it and one under its own receipt, each with its message', async () => {
    const { reference, stream } = await expected();
    const receipts = [newReceipt(), newReceipt()];
    for (const receipt of receipts)
      await scene.notify({ receipt, account: `${accountNo} ${reference}` });
    const racing = race();
    await scene.step();
    racing.mockRestore();
    expect(await scene.outcomes()).toEqual(['received', 'received']);
    expect(await harness.types(stream)).toEqual(posted);
    const [first = ''] = await receiptsIn(stream);
    const second = receipts.find((receipt) => receipt !== first) ?? '';
    expect(receipts).toContain(first);
    expect(await harness.types(scene.streamOf(second))).toEqual(posted);
    expect(await harness.types(scene.streamOf(first))).toEqual([]);
    expect(await messageOf(stream)).toContain(first);
    expect(await messageOf(scene.streamOf(second))).toContain(second);
  });

  it('are posted once each, however often and by whom they are reported', async () => {
    const { reference, stream } = await expected();
    const receipts = [newReceipt(), newReceipt()];
    const racing = race();
    const report = () =>
      Promise.all(
        receipts.flatMap((receipt) => [
          scene.notify({ receipt, account: `${accountNo} ${reference}` }),
          scene.listed(receipt, { accountNo, reference }).catch(() => []),
        ]),
      );
    await report();
    racing.mockRestore();
    for (let round = 0; round < 3; round += 1) {
      await scene.pass(0);
      await scene.step();
    }
    await report();
    await scene.step();
    expect(new Set(await scene.outcomes())).toEqual(new Set(['received']));
    const streams = [stream, ...receipts.map((receipt) => scene.streamOf(receipt))];
    const recorded = (await Promise.all(streams.map(receiptsIn))).flat();
    expect(recorded.toSorted()).toEqual(receipts.toSorted());
  });
});

describe('a payment whose claim names an expected payment', () => {
  const claim = (receipt: string, stream: string) =>
    new RecordedClaimedReferences(harness.database).claim({
      channel: 'mpesa',
      mode: 'demo',
      railReference: `c2b:${receipt}`,
      stream,
    });

  it('is recorded at once if another payment was first and the worker died after that', async () => {
    const { reference, stream } = await expected();
    const [first, second] = [newReceipt(), newReceipt()];
    await scene.notify({ receipt: first, account: `${accountNo} ${reference}` });
    await scene.step();
    await claim(second, stream);
    await scene.notify({ receipt: second, account: `${accountNo} ${reference}` });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['received', 'received']);
    expect(await harness.types(scene.streamOf(second))).toEqual(posted);
  });

  const away = new DependencyUnavailable('postgres', 'the test took it away');
  const messages = () => harness.app.get(SealedMessages, { strict: false });
  it.each([
    ['Postgres', () => jest.spyOn(messages(), 'drop').mockRejectedValueOnce(away)],
    ['the event store', () => jest.spyOn(client, 'receive').mockRejectedValueOnce(away)],
  ])(
    'is recorded under its receipt, with its message, if %s fails between the two',
    async (_, fail) => {
      const { reference, stream } = await expected();
      const receipts = [newReceipt(), newReceipt()];
      for (const receipt of receipts)
        await scene.notify({ receipt, account: `${accountNo} ${reference}` });
      const racing = race();
      const failing = fail();
      await scene.step();
      failing.mockRestore();
      racing.mockRestore();
      expect((await scene.outcomes()).toSorted()).toEqual(['DependencyUnavailable', 'received']);
      await scene.pass(0);
      await scene.step();
      expect(await scene.outcomes()).toEqual(['received', 'received']);
      const [first] = await receiptsIn(stream);
      const second = receipts.find((receipt) => receipt !== first) ?? '';
      expect(await messageOf(scene.streamOf(second))).toContain(second);
    },
  );

  it('waits while the expected payment may still get the money', async () => {
    const { stream } = await expected();
    const receipt = newReceipt();
    await claim(receipt, stream);
    await scene.notify({ receipt });
    await scene.step();
    expect(await scene.outcomes()).toEqual(['receipt_held']);
    expect(await harness.types(scene.streamOf(receipt))).toEqual([]);
  });
});
