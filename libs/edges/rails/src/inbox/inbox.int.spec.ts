import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type PushAnswer } from '#domain/rails';
import { DependencyUnavailable } from '#domain/kernel';
import { RecordedClaimedReferences } from '#adapters/rail-records';
import {
  accepted,
  declinedCallback,
  paidCallback,
  RailHarness,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';
import { InboxStep } from './inbox-step.js';
import { RailReferences } from './rail-references.js';
import { CollectionsClient } from '../collections-client.js';

let harness: RailHarness;
let step: () => Promise<unknown>;
const lost = { kind: 'unknown', late: Promise.resolve(undefined) } as const;
const paid = { kind: 'paid', resultCode: '0' } as const;
/** Far more than the inbox needs: a question that finds no turn (RAIL-23) is asked up to 16 s later. */
const longestWaitMs = 30_000;
/** Longer than an untrusted callback about an unknown checkout has to wait. */
const longMs = 161_000;
let asked: readonly string[] = [];

beforeAll(async () => {
  harness = await RailHarness.start();
  const inbox = harness.app.get(InboxStep, { strict: false });
  step = () => inbox.step();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  // Entries that an earlier test left must not use up the rail's answers to this test.
  await harness.database.query(
    `update records.callback_inbox set next_attempt_at = next_attempt_at + interval '1 day'
      where applied_at is null`,
  );
  // The earlier test's questions must not delay this test's by the pace (RAIL-23).
  harness.clock.shiftMs += 1000;
  harness.rail.asked.length = 0;
  harness.rail.queried = [];
  asked = harness.rail.asked;
});

/** Runs the worker's loop until all callbacks of the collection are applied. */
async function untilApplied(stream: string): Promise<string | null> {
  const giveUpAt = performance.now() + longestWaitMs;
  for (;;) {
    await step();
    const rows = await harness.inboxOf(stream);
    const [first] = rows;
    const waiting = rows.find(({ applied }) => !applied);
    if (first && !waiting) return first.outcome;
    if (performance.now() > giveUpAt) throw new Error(`not applied in time: ${waiting?.outcome}`);
    await sleep(50);
  }
}

/** Lets the worker ask the rail about the collection at once, however lately it asked (RAIL-23). */
async function askAgainNow(stream: string): Promise<void> {
  await harness.database.query(
    `update records.extra_rail_queries set asked_at = asked_at - interval '1 hour' where stream = $1`,
    [stream],
  );
}

describe('a callback of the rail in the inbox', () => {
  it('waits for the push’s own answer if it came first, and is then applied without a query', async () => {
    const { promise: late, resolve: answer } = Promise.withResolvers<PushAnswer | undefined>();
    const push = accepted();
    const stream = await harness.collection({ kind: 'unknown', late });
    await harness.callBack(stream, paidCallback(push.railReference));
    await step();
    answer(push);
    const timed = await harness.timedPostings('inbox');
    expect(await untilApplied(stream)).toBe('completed');
    expect(await harness.timedPostings('inbox')).toBe(timed + 1);
    expect(asked).toEqual([]);
    expect(await harness.types(stream)).toEqual([
      'CollectionIntentRecorded',
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is corroborated by a query within two seconds, with its receipt, if the push’s answer was lost', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback('ws_CO_lost'));
    harness.rail.queried = [paid];
    withReferences([]);
    expect(await untilApplied(stream)).toBe('completed');
    expect(asked).toEqual(['ws_CO_lost']);
    expect((await harness.history(stream)).slice(1)).toMatchObject([
      { type: 'RailPushAccepted', data: { railReference: 'ws_CO_lost' } },
      { type: 'RailConfirmed', data: { by: 'callback', receipt: 'NLJ7RT61SV' } },
      { type: 'WalletPosted' },
    ]);
  });

  it('goes to suspense once corroborated if it reports another amount', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback('ws_CO_other_amount', { amount: '251.00' }));
    harness.rail.queried = [paid];
    withReferences([]);
    await untilApplied(stream);
    expect((await harness.types(stream)).at(-1)).toBe('SuspensePosted');
  });

  it('posts what a query reports if its amount is unreadable, and the collection is flagged for review', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, paidCallback(push.railReference, { amount: '"1,000.00"' }));
    await step();
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'RailPushAccepted']);
    harness.rail.queried = [paid];
    await harness.ageInbox(stream, 10_000);
    expect(await untilApplied(stream)).toBe('completed');
    const [confirmed, , flagged, ...more] = (await harness.history(stream)).slice(2);
    expect(confirmed?.data).toMatchObject({ by: 'query', resultCode: '0', receipt: 'NLJ7RT61SV' });
    expect(confirmed?.data).not.toHaveProperty('amountMinor');
    expect(flagged).toMatchObject({ type: 'ReviewFlagged', data: { why: 'amount_unreadable' } });
    expect(more).toEqual([]);
  });

  it('is still flagged for review if its amount is unreadable and the payment was already posted', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, paidCallback(push.railReference));
    await harness.callBack(stream, paidCallback(push.railReference, { amount: '2.5e2' }));
    harness.rail.queried = [paid];
    expect(await untilApplied(stream)).toBe('completed');
    expect((await harness.history(stream)).at(-1)?.data).toEqual({ why: 'amount_unreadable' });
    expect((await harness.types(stream)).filter((type) => type === 'WalletPosted')).toHaveLength(1);
  });

  it('adds its receipt to a payment that a query posted without one, even if its amount is unreadable', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, paidCallback(push.railReference), untrustedAddress);
    harness.rail.queried = [paid];
    expect(await untilApplied(stream)).toBe('completed');
    const posted = await harness.history(stream);
    expect(posted.slice(2)).toMatchObject([
      { type: 'RailConfirmed', data: { by: 'query' } },
      { type: 'WalletPosted', data: { amountMinor: 25_000n } },
    ]);
    expect(posted[2]?.data).not.toHaveProperty('receipt');

    await harness.callBack(stream, paidCallback(push.railReference, { amount: '2.5e2' }));
    await askAgainNow(stream);
    harness.rail.queried = [paid];
    expect(await untilApplied(stream)).toBe('completed');
    expect((await harness.history(stream)).slice(posted.length)).toMatchObject([
      {
        type: 'RailReceiptRecorded',
        data: { receipt: 'NLJ7RT61SV', amountMinor: 25_000n, paidAt: '2026-01-02T00:04:05.000Z' },
      },
      { type: 'ReviewFlagged', data: { why: 'amount_unreadable' } },
    ]);
  });

  it('ends the collection if it reports a failure and a query agrees', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, declinedCallback('ws_CO_cancelled'));
    harness.rail.queried = [{ kind: 'declined', failureCode: 'cancelled' }];
    expect(await untilApplied(stream)).toBe('failed');
    expect((await harness.types(stream)).slice(1)).toEqual(['RailPushAccepted', 'RailDeclined']);
  });

  it('does not fail the collection if an untrusted sender reports the failure, even if a query agrees', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, declinedCallback(push.railReference), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [{ kind: 'declined', failureCode: 'cancelled' }];
    expect(await untilApplied(stream)).toBe('pending');
    expect(await harness.types(stream)).toHaveLength(2);
  });

  it('is asked about at growing gaps while nothing is settled, and left to people after 48 hours', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback('ws_CO_silent'));
    await step();
    for (const ageMs of [1000, 2000, 60_000]) {
      await harness.ageInbox(stream, ageMs);
      await step();
    }
    const [row] = await harness.inboxOf(stream);
    expect(row).toMatchObject({ attempts: 4, outcome: 'unresolved', applied: false });
    expect(row?.due_in_ms).toBeGreaterThan(50_000);
    expect(asked).toHaveLength(2);
    await harness.ageInbox(stream, 48 * 3_600_000);
    await step();
    expect(await harness.inboxOf(stream)).toMatchObject([
      { applied: true, outcome: 'left_for_review: unresolved' },
    ]);
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
  });

  it('waits its full time even if a worker’s clock is days ahead', async () => {
    const stream = await harness.collection(lost);
    const railReference = `ws_CO_${randomUUID()}`;
    await harness.callBack(stream, paidCallback(railReference));
    const days = 3 * 86_400_000;
    harness.clock.shiftMs += days;
    try {
      harness.rail.queried = [{ kind: 'unresolved' }];
      while ((await harness.inboxOf(stream)).some(({ attempts }) => attempts < 3)) {
        await step();
        await sleep(50);
      }
      expect(await harness.inboxOf(stream)).toMatchObject([
        { applied: false, outcome: 'unresolved' },
      ]);
    } finally {
      harness.clock.shiftMs -= days;
    }
  });

  it('waits while the event store is away, and is applied when it is back', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.store.isAway = true;
    await harness.callBack(stream, paidCallback(push.railReference));
    await expect(step()).rejects.toThrow('event store is unavailable');
    expect(await harness.inboxOf(stream)).toMatchObject([
      { applied: false, attempts: 0, outcome: 'EventStoreUnavailable' },
    ]);
    harness.store.isAway = false;
    expect(await untilApplied(stream)).toBe('completed');
    expect(asked).toEqual([]);
  });
});

describe('a callback under a key that this worker does not have', () => {
  it('waits for it, as while keys are rotated, and is left to people after 48 hours', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.store.isAway = true;
    await harness.callBack(stream, paidCallback(push.railReference));
    harness.store.isAway = false;
    await useKey('k2');
    await step();
    await harness.ageInbox(stream, 3_600_000);
    await step();
    const [row] = await harness.inboxOf(stream);
    expect(row).toMatchObject({ applied: false, outcome: 'unopenable', attempts: 2 });
    expect(row?.due_in_ms).toBeLessThanOrEqual(10_000);
    await useKey('k1');
    await harness.ageInbox(stream, 10_000);
    expect(await untilApplied(stream)).toBe('completed');

    const other = await harness.collection(lost);
    await harness.callBack(other, paidCallback('ws_CO_unopenable'));
    await harness.database.query(
      `update records.callback_inbox set key_id = 'k2' where stream = $1`,
      [other],
    );
    await harness.ageInbox(other, 48 * 3_600_000);
    expect(await untilApplied(other)).toBe('left_for_review: unopenable');

    function useKey(keyId: string): Promise<object[]> {
      return harness.database.query(
        'update records.callback_inbox set key_id = $2 where stream = $1',
        [stream, keyId],
      );
    }
  });
});

describe('an untrusted sender’s callback in the inbox', () => {
  it('posts only what a query reports if it names our own checkout', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(push.railReference, { amount: '999.00' });
    await harness.callBack(stream, body, untrustedAddress);
    harness.rail.queried = [{ ...paid, raw: Buffer.from('{"ResultCode":"0"}') }];
    expect(await untilApplied(stream)).toBe('completed');
    const confirmed = (await harness.history(stream))[2];
    expect(confirmed?.data).toEqual({ by: 'query', resultCode: '0' });
    const kept = await harness.messagesOf(stream);
    const cause = kept.find(({ id }) => id === confirmed?.metadata.causationId);
    expect(cause && harness.opened(cause).toString()).toBe('{"ResultCode":"0"}');
  });

  it('posts nothing if the rail gave our checkout to another collection, too; both are reviewed', async () => {
    const railReference = `ws_CO_${randomUUID()}`;
    const stream = await harness.collection(accepted(railReference));
    const other = await harness.collection(accepted(railReference));
    await harness.callBack(other, paidCallback(railReference));
    await harness.project([stream, other], railReference);
    await harness.callBack(stream, paidCallback(railReference), untrustedAddress);
    harness.rail.queried = [paid];
    expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(2)).toMatchObject([flag]);
    expect((await harness.history(other)).slice(4)).toMatchObject([flag]);
  });

  it('asks once for any number of callbacks, and again at growing gaps', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(push.railReference);
    for (let callback = 0; callback < 8; callback += 1)
      await harness.callBack(stream, body, untrustedAddress);
    const questions: number[] = [];
    for (const ageMs of [0, 2000, 4000, 2000, 11_000, 100]) {
      await age(stream, ageMs);
      await step();
      questions.push(asked.length);
    }
    expect(questions).toEqual([1, 1, 2, 2, 3, 3]);
    harness.rail.queried = [paid];
    await age(stream, 60_000);
    await step();
    expect(await harness.types(stream)).toContain('WalletPosted');
    await age(stream, 3_600_000);
    await step();
    expect(asked).toHaveLength(4);
    const rows = await harness.inboxOf(stream);
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(8).fill('completed'));

    async function age(of: string, ms: number): Promise<void> {
      await harness.ageInbox(of, ms);
      await harness.database.query(
        `update records.extra_rail_queries set asked_at = asked_at - $2 * interval '1 millisecond'
           where stream = $1`,
        [of, ms],
      );
      await harness.database.query(
        `update records.callback_inbox set next_attempt_at = records.now_() where stream = $1`,
        [of],
      );
    }
  });

  it('is not asked about until every push is answered if its checkout is unknown', async () => {
    const stream = await harness.collection(accepted());
    await harness.callBack(stream, paidCallback('ws_CO_strange'), untrustedAddress);
    await step();
    const [row] = await harness.inboxOf(stream);
    expect([row?.applied, asked]).toEqual([false, []]);
    expect(row?.due_in_ms).toBeGreaterThan(90_000);

    harness.rail.queried = [paid];
    await harness.ageInbox(stream, longMs);
    expect(await untilApplied(stream)).toBe('left_for_review: other_checkout');
    expect(asked).toEqual(['ws_CO_strange']);
    expect((await harness.history(stream)).slice(2)).toMatchObject([
      { type: 'ReviewFlagged', data: { why: 'other_checkout' } },
    ]);
  });

  it('posts what a query reports if no one else named its checkout and the push’s answer was lost', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback('ws_CO_unheard_of'), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid];
    withReferences([]);
    expect(await untilApplied(stream)).toBe('completed');
  });

  it('posts nothing if the rail brought its checkout for another collection, even one not yet settled', async () => {
    const [owner, stream] = [await harness.collection(lost), await harness.collection(lost)];
    const railReference = `ws_CO_brought_${randomUUID()}`;
    await harness.callBack(owner, paidCallback(railReference));
    await harness.callBack(stream, paidCallback(railReference), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid];
    withReferences([]);
    await step();
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
    expect(await harness.inboxOf(stream)).toMatchObject([
      { outcome: 'left_for_review: checkout_of_another' },
    ]);
    harness.rail.queried = [paid];
    expect(await untilApplied(owner)).toBe('completed');
  });

  it('leads to a review of both collections if the rail later reports its posted checkout for another', async () => {
    const [owner, stream] = [await harness.collection(lost), await harness.collection(lost)];
    const railReference = `ws_CO_${randomUUID()}`;
    await harness.callBack(stream, paidCallback(railReference), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid, paid];
    withReferences([]);
    expect(await untilApplied(stream)).toBe('completed');
    await harness.callBack(owner, paidCallback(railReference));
    expect(await untilApplied(owner)).toBe('left_for_review: checkout_of_another');
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(owner)).slice(1)).toMatchObject([flag]);
    expect((await harness.history(stream)).slice(3)).toMatchObject([flag]);
  });

  it.each([
    ['which has its money', true],
    ['which is about to get its money', false],
  ])(
    'leads to a review of both if its worker was suspended until its claim was another’s, %s',
    async (_, hasMoney) => {
      const push = accepted();
      const owner = await harness.collection(push);
      const settleOwner = () => harness.callBack(owner, paidCallback(push.railReference));
      if (hasMoney) await settleOwner();
      const stream = await harness.collection(lost);
      const railReference = `ws_CO_${randomUUID()}`;
      await harness.callBack(stream, paidCallback(railReference), untrustedAddress);
      await harness.ageInbox(stream, longMs);
      harness.rail.queried = [paid];
      withReferences([]);
      const client = harness.app.get(CollectionsClient, { strict: false });
      const confirm = client.confirm.bind(client);
      const confirming = jest
        .spyOn(client, 'confirm')
        .mockImplementation(async (key, report, of) => {
          if (report.by === 'query')
            await harness.database.query(
              'update records.confirmed_checkouts set stream = $2 where rail_reference = $1',
              [railReference, owner],
            );
          return confirm(key, report, of);
        });
      if (!hasMoney) {
        await step();
        expect(await harness.inboxOf(stream)).toMatchObject([
          { applied: false, outcome: 'checkout_held' },
        ]);
        await settleOwner();
        harness.rail.queried = [paid];
      }
      expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
      const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
      confirming.mockRestore();
      for (const each of [owner, stream])
        expect((await harness.history(each)).slice(-2)).toMatchObject([
          { type: 'WalletPosted' },
          flag,
        ]);
    },
  );

  it('leads to a review of both collections if it names a checkout that the rail gave to another', async () => {
    const push = accepted();
    const owner = await harness.collection(push);
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback(push.railReference));
    harness.rail.queried = [paid];
    withReferences([owner]);
    expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(1)).toMatchObject([flag]);
    expect((await harness.history(owner)).slice(2)).toMatchObject([flag]);
  });

  it('stays under review after a late refusal of the push if its checkout has posted for another collection', async () => {
    const posted = accepted();
    const claimant = await harness.collection(posted);
    await harness.callBack(claimant, paidCallback(posted.railReference));
    const { promise: late, resolve: answer } = Promise.withResolvers<PushAnswer | undefined>();
    const stream = await harness.collection({ kind: 'unknown', late });
    await harness.callBack(stream, paidCallback(posted.railReference));
    harness.rail.queried = [paid];
    withReferences([claimant]);
    expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
    answer({ kind: 'refused', failureCode: 'rail_refused' });
    const giveUpAt = performance.now() + longestWaitMs;
    while (!(await harness.types(stream)).includes('RailPushRejected')) {
      if (performance.now() > giveUpAt) throw new Error('the late answer was not recorded');
      await sleep(50);
    }
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(1)).toMatchObject([
      flag,
      { type: 'RailPushRejected', data: { failureCode: 'rail_refused' } },
      flag,
    ]);
  });

  it('posts nothing if its checkout is another collection’s', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback('ws_CO_anothers'), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid];
    withReferences(['collection-demo:m2:another']);
    expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
  });

  it.each([
    ['bears it already', [true]],
    ['is given it meanwhile', [false, true]],
    ['cannot be looked for after the claim', [false, undefined]],
  ])('leaves a checkout to its owner, who %s', async (_, ownedAtLooks) => {
    const push = accepted();
    const owner = await harness.collection(push);
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback(push.railReference), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid];
    const looks = jest.spyOn(harness.app.get(RailReferences, { strict: false }), 'streamsWith');
    looks.mockReset();
    for (const isOwned of ownedAtLooks)
      if (isOwned === undefined)
        looks.mockRejectedValueOnce(
          new DependencyUnavailable('read model', 'it is behind the log'),
        );
      else looks.mockResolvedValueOnce(isOwned ? [owner] : []);
    await step();
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
    const { railReference } = push;
    const claim = { channel: 'mpesa', mode: 'demo', railReference, stream: owner } as const;
    expect(await new RecordedClaimedReferences(harness.database).claim(claim)).toMatchObject({
      kind: 'claimed',
      isNew: true,
    });
  });

  it('posts nothing if its checkout has confirmed another collection', async () => {
    const other = 'collection-demo:m2:confirmed';
    const railReference = 'ws_CO_used';
    await new RecordedClaimedReferences(harness.database).claim({
      channel: 'mpesa',
      mode: 'demo',
      railReference,
      stream: other,
    });
    const stream = await harness.collection(lost);
    await harness.callBack(stream, paidCallback(railReference), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [paid];
    withReferences([]);
    expect(await untilApplied(stream)).toBe('left_for_review: checkout_of_another');
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
  });

  it('does not fail a collection if its checkout may belong to another', async () => {
    const stream = await harness.collection(lost);
    await harness.callBack(stream, declinedCallback('ws_CO_failed'), untrustedAddress);
    await harness.ageInbox(stream, longMs);
    harness.rail.queried = [{ kind: 'declined', failureCode: 'cancelled' }];
    expect(await untilApplied(stream)).toBe('other_reference');
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
  });
});

/** Sets the view's answer for a rail reference. The read models' own tests cover the view itself. */
function withReferences(streams: readonly string[]): void {
  const references = harness.app.get(RailReferences, { strict: false });
  jest.spyOn(references, 'streamsWith').mockResolvedValue(streams);
}
