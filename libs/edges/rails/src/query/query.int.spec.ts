import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordedClaimedReferences } from '#adapters/rail-records';
import { QueryStep } from './query-step.js';
import { dueRailQueries } from '#views/rail-queries';
import { openEvidence, sha256Hex } from '#shared/signing';
import {
  accepted,
  declinedCallback,
  paidCallback,
  RailHarness,
} from '../../../../../test/rail/harness.js';

let harness: RailHarness;
let step: () => Promise<unknown>;
const paid = { kind: 'paid', resultCode: '0' } as const;
const expired = { kind: 'declined', failureCode: 'expired' } as const;

beforeAll(async () => {
  harness = await RailHarness.start();
  const queries = harness.app.get(QueryStep, { strict: false });
  step = () => queries.step();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  harness.rail.asked.length = 0;
  harness.rail.queried = [];
  await harness.database.query('delete from rail_queries');
  // Ends any pause of the queries that an earlier test left behind.
  harness.clock.shiftMs += 60_000;
});

/** Lists a collection with an intent that long ago, as the projector does. */
async function silent(ageMs: number, push = accepted()) {
  const stream = await harness.collection(push);
  await list(stream, ageMs, push.railReference);
  return { stream, railReference: push.railReference };
}

function list(stream: string, ageMs: number, railReference: string | null): Promise<object[]> {
  return harness.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       values ($1, 'demo', $2, records.now_() - $3 * interval '1 millisecond')`,
    [stream, railReference, ageMs],
  );
}

/** Notes that the collection has failed, as the projector does. */
function projectDecline(stream: string): Promise<object[]> {
  return harness.database.query('update rail_queries set declined = true where stream = $1', [
    stream,
  ]);
}

function attempts(stream: string): Promise<object[]> {
  return harness.database.query(
    'select attempt, outcome from records.rail_query_attempts where stream = $1 order by attempt',
    [stream],
  );
}

/** Makes the listed collections and the asked questions older. */
async function pass(ms: number): Promise<void> {
  harness.clock.shiftMs += ms;
  for (const [table, column] of [
    ['rail_queries', 'intent_at'],
    ['records.rail_query_attempts', 'attempted_at'],
  ])
    await harness.database.query(
      `update ${table} set ${column} = ${column} - $1 * interval '1 millisecond'`,
      [ms],
    );
}

describe('a collection that the rail has not reported on', () => {
  it('is asked about when the first delay is over, not before', async () => {
    const early = await silent(50_000);
    const due = await silent(66_000);
    harness.rail.queried = [paid];
    await step();
    expect(harness.rail.asked).toEqual([due.railReference]);
    expect((await harness.history(due.stream)).slice(2)).toMatchObject([
      { type: 'RailConfirmed', data: { by: 'query', resultCode: '0' } },
      { type: 'WalletPosted', data: { amountMinor: 25_000n, feeMinor: 375n } },
    ]);
    expect(await attempts(due.stream)).toEqual([{ attempt: 1, outcome: 'paid' }]);
    expect(await attempts(early.stream)).toEqual([]);
  });

  it('is posted on evidence that the records hold: the bytes of the answer', async () => {
    const { stream, railReference } = await silent(66_001);
    const raw = Buffer.from('{"ResponseCode":"0","ResultCode":"0"}');
    harness.rail.queried = [{ ...paid, raw }];
    await step();
    const history = await harness.history(stream);
    const wallet = history.at(-1);
    const [row, ...others] = await harness.messagesOf(stream);
    expect([row?.id, others]).toEqual([wallet?.metadata.causationId, []]);
    if (!row || !wallet?.metadata.evidence) throw new Error('there is no evidence');
    expect(harness.opened(row)).toEqual(raw);
    const { evidence, commitment = '' } = wallet.metadata;
    const { json } = openEvidence(harness.keyring, { evidence, commitment }, row.ownKey);
    expect(JSON.parse(json.toString())).toEqual({ asked: railReference, digest: sha256Hex(raw) });
    expect(history.at(-2)?.data).toEqual({ by: 'query', resultCode: '0' });
  });

  it('gets its receipt from the callback that comes after, and no second posting', async () => {
    const { stream, railReference } = await silent(66_001);
    harness.rail.queried = [paid];
    await step();
    await harness.callBack(stream, paidCallback(railReference));
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailConfirmed',
      'WalletPosted',
      'RailReceiptRecorded',
    ]);
  });

  it('is asked about again at the next delay if nothing is settled, and not after the last', async () => {
    const { stream } = await silent(66_001);
    await step();
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'unresolved' }]);
    await pass(600_000);
    await step();
    await step();
    expect(await attempts(stream)).toHaveLength(2);
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'RailPushAccepted']);
  });

  it('is asked about one gap after another if all delays are over, as after an outage', async () => {
    const { stream } = await silent(600_000);
    await step();
    await step();
    expect(await attempts(stream)).toHaveLength(1);
    await pass(236_000);
    await step();
    expect(await attempts(stream)).toHaveLength(1);
    await pass(20_000);
    await step();
    expect(await attempts(stream)).toHaveLength(2);
  });

  it('is not asked about a day after the last delay', async () => {
    await silent(300_000 + 86_400_000 + 1000);
    await step();
    expect(harness.rail.asked).toEqual([]);
  });

  it('is asked about again if nothing was sent, or if a worker was killed while asking', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [{ kind: 'not_asked' }, paid];
    await step();
    await step();
    expect(harness.rail.asked).toHaveLength(1);
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'asking' }]);
    await pass(66_000);
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'paid' }]);
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
  });

  it('is asked about again if the answer could not be recorded', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [paid, paid];
    harness.store.isAway = true;
    await step();
    harness.store.isAway = false;
    await pass(66_000);
    await step();
    expect(harness.rail.asked).toHaveLength(2);
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
  });

  it('fails only when the next query repeats the decline', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [expired, expired];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'declined:expired' }]);
    expect(await harness.types(stream)).toHaveLength(2);
    await pass(330_000);
    await step();
    expect((await harness.history(stream)).at(-1)).toMatchObject({
      type: 'RailDeclined',
      data: { by: 'query', failureCode: 'expired' },
    });
  });

  it('is not failed by a decline that the next query does not repeat, and that is counted', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [expired, { kind: 'declined', failureCode: 'no_answer' }];
    await step();
    await pass(330_000);
    await step();
    expect(await attempts(stream)).toHaveLength(2);
    expect(await harness.types(stream)).toHaveLength(2);
    expect(await harness.metrics.registry.metrics()).toMatch(
      /^pesapost_rail_queries_contradicted_total{mode="demo",how="decline_not_repeated"} \d+$/m,
    );
  });

  it('is posted if the first query denies the payment and the next one reports it', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [expired, paid];
    await step();
    await pass(330_000);
    await step();
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
  });

  it('is asked about once, however many workers there are', async () => {
    await silent(66_001);
    await Promise.all([step(), step(), step()]);
    expect(harness.rail.asked).toHaveLength(1);
  });

  it('cannot be asked about without a rail reference', async () => {
    const stream = await harness.collection({ kind: 'unknown', late: Promise.resolve(undefined) });
    await list(stream, 400_000, null);
    await step();
    expect(harness.rail.asked).toEqual([]);
  });

  it('is not posted by a rail reference that another collection has claimed', async () => {
    const { stream, railReference } = await silent(66_001);
    const other = 'collection-demo:m2:confirmed';
    await new RecordedClaimedReferences(harness.database).claim({
      channel: 'mpesa',
      mode: 'demo',
      railReference,
      stream: other,
    });
    harness.rail.queried = [paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'asking' }]);
    expect(await harness.types(stream)).toHaveLength(2);
  });

  it('is posted five minutes later if the claim is an untrusted sender’s that posted nothing', async () => {
    const { stream, railReference } = await silent(66_001);
    // The state that a worker leaves if it is killed between its claim and its second look at the owners.
    const claimant = await harness.collection(accepted());
    await new RecordedClaimedReferences(harness.database).claim({
      channel: 'mpesa',
      mode: 'demo',
      railReference,
      stream: claimant,
    });
    harness.rail.queried = [paid, paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'asking' }]);
    await harness.database.query(
      `update records.confirmed_checkouts set confirmed_at = confirmed_at - interval '301 s'`,
    );
    await pass(300_000);
    await step();
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
    expect(await harness.types(claimant)).toHaveLength(2);
  });

  it('is not posted by a rail reference that the rail’s callback brought for another; both are reviewed', async () => {
    const { stream, railReference } = await silent(66_001);
    const lost = { kind: 'unknown', late: Promise.resolve(undefined) } as const;
    const claimant = await harness.collection(lost);
    await harness.callBack(claimant, paidCallback(railReference));
    await harness.database.query(
      `update records.confirmed_checkouts set confirmed_at = confirmed_at - interval '301 s'`,
    );
    harness.rail.queried = [paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'checkout_of_another' }]);
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(2)).toMatchObject([flag]);
    expect((await harness.history(claimant)).slice(1)).toMatchObject([flag]);
  });

  it('is never posted by a rail reference that has posted money for another; both are reviewed', async () => {
    const { stream, railReference } = await silent(66_001);
    const posted = accepted();
    const claimant = await harness.collection(posted);
    await harness.callBack(claimant, paidCallback(posted.railReference));
    await new RecordedClaimedReferences(harness.database).claim({
      channel: 'mpesa',
      mode: 'demo',
      railReference,
      stream: claimant,
    });
    await harness.database.query(
      `update records.confirmed_checkouts set confirmed_at = confirmed_at - interval '1 day'`,
    );
    harness.rail.queried = [paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'checkout_of_another' }]);
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(2)).toMatchObject([flag]);
    expect((await harness.history(claimant)).slice(4)).toMatchObject([flag]);
  });

  it('is not posted if the rail gave its checkout to another that has posted, too; both are reviewed', async () => {
    const { stream, railReference } = await silent(66_001);
    const other = await harness.collection(accepted(railReference));
    await harness.callBack(other, paidCallback(railReference));
    await harness.project([stream, other], railReference);
    harness.rail.queried = [paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'checkout_of_another' }]);
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(2)).toMatchObject([flag]);
    expect((await harness.history(other)).slice(4)).toMatchObject([flag]);
  });

  it('is not posted by a query if the rail gave its checkout to others, too; each needs its own callback', async () => {
    const { stream, railReference } = await silent(66_001);
    const other = await harness.collection(accepted(railReference));
    await harness.project([stream, other], railReference);
    harness.rail.queried = [paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'checkout_of_another' }]);
    const flag = { type: 'ReviewFlagged', data: { why: 'checkout_of_another' } };
    expect((await harness.history(stream)).slice(2)).toMatchObject([flag]);
    await harness.callBack(other, paidCallback(railReference));
    expect((await harness.history(other)).slice(2)).toMatchObject([
      flag,
      { type: 'RailConfirmed', data: { by: 'callback', receipt: 'NLJ7RT61SV' } },
      { type: 'WalletPosted' },
      flag,
    ]);
    expect(await harness.types(stream)).not.toContain('WalletPosted');
  });

  it('is posted if the event store is back before the worker gives up', async () => {
    const { stream } = await silent(66_001);
    harness.rail.queried = [paid];
    harness.store.isAway = true;
    setTimeout(() => {
      harness.store.isAway = false;
    }, 300);
    await step();
    expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
  });

  it('is asked about once, like a hundred others, if two workers ask at the same time', async () => {
    await harness.database.query(
      `insert into rail_queries (stream, mode, rail_reference, intent_at)
         select 'collection-demo:hundred:' || n, 'demo', 'ws_CO_hundred_' || n, records.now_() - interval '70 s'
           from generate_series(1, 100) n`,
    );
    await Promise.all([step(), step()]);
    await Promise.all([step(), step()]);
    expect(harness.rail.asked).toHaveLength(100);
    expect(new Set(harness.rail.asked).size).toBe(100);
  });
});

describe('a collection that was declined', () => {
  const declined = async (ageMs = 66_001) => {
    const found = await silent(ageMs);
    await harness.callBack(found.stream, declinedCallback(found.railReference, 1037));
    await projectDecline(found.stream);
    return found;
  };

  it('is asked about until the last delay, and posted if it was paid after all', async () => {
    const { stream } = await declined();
    harness.rail.queried = [{ kind: 'declined', failureCode: 'no_answer' }, paid];
    await step();
    expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'declined:no_answer' }]);
    await pass(330_000);
    await step();
    expect((await harness.types(stream)).slice(2)).toEqual([
      'RailDeclined',
      'RailConfirmed',
      'WalletPosted',
    ]);
    expect(await harness.metrics.registry.metrics()).toMatch(
      /^pesapost_rail_declines_reversed_total{mode="demo",by="query"} \d+$/m,
    );
  });

  it('keeps its decline if queries report another one, and is not asked about after the last delay', async () => {
    const { stream } = await declined();
    harness.rail.queried = [expired, expired];
    for (const ms of [330_000, 330_000, 86_400_000]) {
      await step();
      await pass(ms);
    }
    expect(harness.rail.asked).toHaveLength(2);
    expect((await harness.history(stream)).at(-1)).toMatchObject({
      type: 'RailDeclined',
      data: { by: 'callback', failureCode: 'no_answer' },
    });
  });

  it('waits if pending collections are due, since callers are waiting for those', async () => {
    await harness.database.query(
      `insert into rail_queries (stream, mode, rail_reference, intent_at, declined)
         select 'collection-demo:declined:' || n, 'demo', 'ws_CO_declined_' || n,
             records.now_() - interval '80 s', true
           from generate_series(1, 70) n`,
    );
    const { railReference } = await silent(70_000);
    await step();
    expect(harness.rail.asked).toHaveLength(64);
    expect(harness.rail.asked).toContain(railReference);
  });
});

describe('many collections started at the same moment', () => {
  it('are not all asked about within one second, nor any before its delay', async () => {
    await harness.database.query(
      `insert into rail_queries (stream, mode, rail_reference, intent_at)
         select 'collection-demo:burst:' || n, 'demo', 'ws_CO_burst_' || n, records.now_() - interval '59 s'
           from generate_series(1, 600) n`,
    );
    const mode = 'demo';
    const dueNow = async () =>
      (
        await dueRailQueries(harness.database, {
          delaysMs: [60_000],
          channel: 'mpesa',
          mode,
          max: 1000,
        })
      ).due.length;
    const due: number[] = [];
    for (let second = 0; second <= 8; second += 1) {
      due.push(await dueNow());
      await pass(1000);
    }
    expect(due[0]).toBe(0);
    expect(due.at(-1)).toBe(600);
    const each = due.slice(1).map((sum, index) => sum - (due[index] ?? 0));
    expect(Math.max(...each)).toBeLessThan(200);
  });
});

describe('while the rail has no time for queries', () => {
  it('no query is asked or counted, and all are once the rail has time', async () => {
    const pushes = await Promise.all([1, 2, 3].map(() => silent(66_001)));
    const busy = { kind: 'not_asked', why: 'spike_arrest' } as const;
    harness.rail.queried = [busy, busy, busy];
    await step();
    const before = harness.rail.asked.length;
    await step();
    await step();
    expect(harness.rail.asked).toHaveLength(before);
    harness.rail.queried = [];
    await pass(30_000);
    await step();
    await step();
    expect(new Set(harness.rail.asked.slice(before)).size).toBe(3);
    for (const { stream } of pushes)
      expect(await attempts(stream)).toEqual([{ attempt: 1, outcome: 'unresolved' }]);
  });
});
