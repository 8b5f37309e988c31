import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TimeoutStep } from './timeout-step.js';
import { accepted, paidCallback, RailHarness } from '../../../../../test/rail/harness.js';

const hourMs = 3_600_000;
const lost = { kind: 'unknown', late: Promise.resolve(undefined) } as const;
let harness: RailHarness;
let step: () => Promise<'idle' | 'busy'>;

beforeAll(async () => {
  harness = await RailHarness.start();
  const timeouts = harness.app.get(TimeoutStep, { strict: false });
  step = () => timeouts.step();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.database.query('delete from rail_queries');
  harness.rail.queried = [];
  // Ends any pause of the queries that an earlier test left behind.
  harness.clock.shiftMs += 60_000;
});

/** Lists a collection with an intent that long ago, as the projector does. */
async function listed(ageMs: number, push: Parameters<RailHarness['collection']>[0] = accepted()) {
  const stream = await harness.collection(push);
  await harness.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       values ($1, 'demo', $2, records.now_() - $3 * interval '1 millisecond')`,
    [stream, push.kind === 'accepted' ? push.railReference : null, ageMs],
  );
  return stream;
}

it('a collection without a report for 48 hours is listed for review, not before', async () => {
  const early = await listed(47 * hourMs);
  const due = await listed(48 * hourMs + 1);
  expect(await step()).toBe('idle');
  expect((await harness.history(due)).at(-1)).toMatchObject({
    type: 'ReviewFlagged',
    data: { why: 'no_word_from_rail' },
    metadata: { actor: { kind: 'system', id: 'worker' } },
  });
  expect((await harness.types(early)).at(-1)).toBe('RailPushAccepted');
});

it('a collection whose push and callback were both lost is listed, as it cannot be asked about', async () => {
  const stream = await listed(49 * hourMs, lost);
  await step();
  expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'ReviewFlagged']);
});

it('a collection is listed once, however many workers run and however far the view is behind', async () => {
  const stream = await listed(49 * hourMs);
  await Promise.all([step(), step(), step()]);
  await step();
  const types = await harness.types(stream);
  expect(types.filter((type) => type === 'ReviewFlagged')).toHaveLength(1);
});

it('a collection is not listed if a report came that the view does not show yet', async () => {
  const push = accepted();
  const stream = await listed(49 * hourMs, push);
  await harness.callBack(stream, paidCallback(push.railReference));
  await step();
  expect((await harness.types(stream)).at(-1)).toBe('WalletPosted');
});

it('a later callback still posts a listed collection', async () => {
  const push = accepted();
  const stream = await listed(49 * hourMs, push);
  await step();
  await harness.callBack(stream, paidCallback(push.railReference));
  expect((await harness.types(stream)).slice(-3)).toEqual([
    'ReviewFlagged',
    'RailConfirmed',
    'WalletPosted',
  ]);
});

it('many are listed in bounded batches', async () => {
  for (let count = 0; count < 70; count += 1) await listed(49 * hourMs);
  expect(await step()).toBe('busy');
  await harness.database.query(
    `delete from rail_queries where stream in
       (select stream from rail_queries order by intent_at, stream limit 64)`,
  );
  expect(await step()).toBe('idle');
});

it('collections of a merchant whose view is stuck hold up no other merchant’s', async () => {
  const still = [];
  for (let count = 0; count < 64; count += 1) still.push(await listed(50 * hourMs));
  await step();
  const late = await listed(49 * hourMs);
  // The view still lists the first ones, though they are under review by now.
  await step();
  expect((await harness.types(late)).at(-1)).toBe('ReviewFlagged');
  for (const stream of still.slice(0, 2))
    expect((await harness.types(stream)).filter((type) => type === 'ReviewFlagged')).toHaveLength(
      1,
    );
});

it('after our own outage the rail is asked first, and what it reports as paid needs no review', async () => {
  const push = accepted();
  const stream = await listed(60 * hourMs, push);
  harness.rail.queried = [{ kind: 'paid', resultCode: '0' }];
  await step();
  expect(harness.rail.asked).toContain(push.railReference);
  expect((await harness.types(stream)).slice(-2)).toEqual(['RailConfirmed', 'WalletPosted']);
});

describe('when the rail takes no question', () => {
  const busy = { kind: 'not_asked', why: 'spike_arrest' } as const;
  const isFlagged = async (stream: string) =>
    (await harness.types(stream)).includes('ReviewFlagged');

  it('a collection that could not be asked about is not listed until it was', async () => {
    const streams = await Promise.all(Array.from({ length: 64 }, () => listed(49 * hourMs)));
    const unanswered = await listed(49 * hourMs, lost);
    harness.rail.queried = [busy, busy, busy, busy];
    await step();
    await step();
    expect(await Promise.all(streams.map(isFlagged))).toEqual(streams.map(() => false));
    expect(await isFlagged(unanswered)).toBe(true);
    harness.rail.queried = [];
    harness.clock.shiftMs += 60_000;
    await harness.database.query('delete from rail_queries where stream = $1', [unanswered]);
    await step();
    await step();
    expect(await Promise.all(streams.map(isFlagged))).toEqual(streams.map(() => true));
  });

  it('a collection whose question got no answer is not listed', async () => {
    const stream = await listed(49 * hourMs);
    harness.rail.queried = [{ kind: 'unanswered' }];
    await step();
    expect(await isFlagged(stream)).toBe(false);
    await step();
    expect(await isFlagged(stream)).toBe(true);
  });

  it('a collection is listed anyway a day later', async () => {
    const stream = await listed(72 * hourMs + 1);
    harness.rail.queried = [busy];
    await step();
    expect(await isFlagged(stream)).toBe(true);
  });
});

it.each([
  ['listed where no query before it declined', 'unresolved', 60, 'ReviewFlagged'],
  ['listed where the query before it came with it', 'declined:expired', 0, 'ReviewFlagged'],
  ['failed where the query before it declined as well', 'declined:expired', 61, 'RailDeclined'],
])('a collection whose last question is declined is %s', async (_, before, seconds, last) => {
  const stream = await listed(49 * hourMs);
  await harness.database.query(
    `insert into records.rail_query_attempts (stream, attempt, outcome, attempted_at)
       values ($1, 8, $2, records.now_() - $3 * interval '1 second')`,
    [stream, before, seconds],
  );
  harness.rail.queried = [{ kind: 'declined', failureCode: 'expired' }];
  await step();
  expect((await harness.types(stream)).at(-1)).toBe(last);
});

it('a collection that is listed already is not asked about again', async () => {
  const push = accepted();
  await listed(49 * hourMs, push);
  await step();
  await step();
  expect(harness.rail.asked.filter((asked) => asked === push.railReference)).toHaveLength(1);
});
