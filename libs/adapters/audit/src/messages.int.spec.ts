import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { messagesKeptSince } from './messages.js';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 20);
let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());

it('messages that a shorter retention deleted are none that are missing, unless they are young', async () => {
  const sinceDays = async (retentionDays: number): Promise<number> => {
    const retentionMs = retentionDays * dayMs;
    return (nowMs - (await messagesKeptSince(own.database, { nowMs, retentionMs }))) / dayMs;
  };
  expect(await sinceDays(2000)).toBe(2000);
  for (const [deletedDaysAgo, expected] of [
    [100, 100],
    [3000, 2000],
    [1, 90],
  ] as const) {
    await own.database.query(
      `insert into records.emptied_tables values ('sealed_messages', to_timestamp($1::float8 / 1000))
       on conflict (table_name) do update set up_to = excluded.up_to`,
      [nowMs - deletedDaysAgo * dayMs],
    );
    expect(await sinceDays(2000)).toBe(expected);
  }
});
