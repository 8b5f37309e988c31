import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Database } from '#infra/postgres';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { type ActsWanted } from '#views/acts';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import { type Activity, type ActivityPlace, listActivity } from './activity.js';

const [amina, joseph] = ['i#amina', 'i#joseph'];
const minute = 60_000;
const begin = Date.parse('2026-11-20T10:00:00.000Z');

let own: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  own = await throwAwayDatabase();
  await createViews(own.database, viewSchema());
  database = own.database.beside({ searchPath: [viewSchema()] });
  await noteFresh(database, 0n, new Date());
  await database.query('update checkpoint set position = 100');
  // Events at 1, 3 and 5 minutes; proposals at 2 and 4, one of which is rejected at 4 as well.
  for (const at of [1, 3, 5])
    await database.query(
      `insert into acts (position, kind, type, recorded_at, actor, people, merchant_id, mode, stream, revision, details)
       values ($1, 'fee', 'FeeScheduleSet', $2, $3, array[$3], 'm-1', 'live', 'merchant-m-1', 0, '{}')`,
      [at, new Date(begin + at * minute), amina],
    );
  await proposed('m-1', 2);
  await proposed('m-2', 4, 'declined');
  await proposed('m-3', 4, 'decided');
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

/** A proposal of Amina, and its end at the same minute. */
async function proposed(merchant: string, at: number, outcome?: string): Promise<void> {
  const time = new Date(begin + at * minute);
  const isDeclined = outcome === 'declined';
  await database.query(
    `insert into records.review_proposals
       (id, stream, mode, decision, reason, proposed_by, proposed_at, ended_at, outcome, ended_by, end_reason)
     values ($1, $2, 'demo', 'refunded', 'line 12', $3, $4, $5, $6, $7, $8)`,
    [
      ...[randomUUID(), `collection-demo:${merchant}:INV-1`, amina, time],
      ...(outcome === undefined ? [null, null] : [time, outcome]),
      ...(isDeclined ? [joseph, 'another day'] : [null, null]),
    ],
  );
}

const nameOf = (entry: Activity): string => {
  if (entry.kind === 'act') return `event ${entry.act.position}`;
  const { type, stream } = entry.proposal;
  return `${type} ${stream.split(':')[1] ?? ''}`;
};

/** The entries, page for page. */
async function paged(limit: number, wanted: ActsWanted = {}): Promise<string[][]> {
  const pages: string[][] = [];
  for (let place: ActivityPlace | undefined = {}; place;) {
    const page = await listActivity(database, wanted, { place, limit });
    pages.push(page.entries.map(nameOf));
    place = page.next;
  }
  return pages;
}

describe('the activity log', () => {
  const all = ['event 5', 'declined m-2', 'event 3', 'proposed m-1', 'event 1'];

  it('has events and proposals in the order of time, and no end of a proposal that an event tells', async () => {
    const [page = [], ...others] = await paged(50);
    expect(others).toEqual([]);
    expect(page.filter((name) => all.includes(name))).toEqual(all);
    expect(page).toHaveLength(7);
    expect(page.indexOf('declined m-2')).toBeLessThan(page.indexOf('proposed m-2'));
  });

  it.each([1, 2, 3])('has each entry once, in pages of %i', async (limit) => {
    const [whole = []] = await paged(50);
    const pages = await paged(limit);
    expect(pages.flat()).toEqual(whole);
    expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
  });

  it('is filtered by person, merchant, type and time in both', async () => {
    expect((await paged(50, { people: [joseph] })).flat()).toEqual(['declined m-2']);
    expect((await paged(50, { merchantId: 'm-1' })).flat()).toEqual([
      ...['event 5', 'event 3', 'proposed m-1', 'event 1'],
    ]);
    expect((await paged(50, { kind: 'fee' })).flat()).toEqual(['event 5', 'event 3', 'event 1']);
    const [from, until] = [new Date(begin + 2 * minute), new Date(begin + 4 * minute)];
    expect((await paged(50, { from, until })).flat()).toEqual(['event 3', 'proposed m-1']);
  });
});
