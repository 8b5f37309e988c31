import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LeasedEntries } from './inbox/inbox.js';
import { QuerySchedule } from './query/query-schedule.js';
import { QueryStep } from './query/query-step.js';
import { accepted, paidCallback, RailHarness } from '../../../../test/rail/harness.js';
import { InboxStep } from './inbox/inbox-step.js';

/** The part of ten seconds that is left after the next worker has looked. */
const recoveryMs = 9000;
let harness: RailHarness;

beforeAll(async () => {
  harness = await RailHarness.start();
});
afterAll(() => harness.stop());
beforeEach(() => {
  harness.rail.asked.length = 0;
});

describe('work that a killed worker had leased', () => {
  it('resumes within ten seconds if it was a callback, but not while the worker may still handle it', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.store.isAway = true;
    await harness.callBack(stream, paidCallback(push.railReference));
    harness.store.isAway = false;
    expect(await harness.app.get(LeasedEntries, { strict: false }).lease(16)).toHaveLength(1);
    const inbox = harness.app.get(InboxStep, { strict: false });
    await harness.ageInbox(stream, recoveryMs - 5000);
    await inbox.step();
    expect(await harness.inboxOf(stream)).toMatchObject([{ applied: false, attempts: 1 }]);
    await harness.ageInbox(stream, 5000);
    await inbox.step();
    expect(await harness.inboxOf(stream)).toMatchObject([{ applied: true, outcome: 'completed' }]);
  });

  it('resumes within ten seconds if it was a question to the rail', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.database.query(
      `insert into rail_queries values ($1, 'demo', $2, records.now_() - interval '70 s')`,
      [stream, push.railReference],
    );
    const schedule = harness.app.get(QuerySchedule, { strict: false });
    expect(await schedule.lease({ stream, attempt: 1 })).toBe(true);
    const queries = harness.app.get(QueryStep, { strict: false });
    const passes = (ms: number): Promise<object[]> =>
      harness.database.query(
        `update records.rail_query_attempts set attempted_at = attempted_at - $1 * interval '1 ms'`,
        [ms],
      );
    await passes(recoveryMs - 5000);
    await queries.step();
    expect(harness.rail.asked).toEqual([]);
    await passes(5000);
    await queries.step();
    expect(harness.rail.asked).toEqual([push.railReference]);
  });
});
