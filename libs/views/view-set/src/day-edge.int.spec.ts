import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { dayBeginsAt } from './day-edge.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());

it.each([
  // Clocks go back from 01:00 to 00:00.
  ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00.000Z'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  // They go forward from 00:00 to 01:00.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ['Africa/Nairobi', '2026-11-24', '2026-11-23T21:00:00.000Z'],
])('a day of %s, %s, begins at %s', async (zone, day, begins) => {
  const [row] = await own.database.query<{ begins: Date }>(
    `select ${dayBeginsAt('$1::date', '$2::text')} as begins`,
    [day, zone],
  );
  expect(row?.begins.toISOString()).toBe(begins);
});

it('a day begins with the first instant that is of it, wherever clocks are changed', async () => {
  const zones = [
    ...['Atlantic/Azores', 'America/Havana', 'Africa/Cairo', 'Africa/Nairobi', 'Asia/Beirut'],
    ...['America/Asuncion', 'Asia/Tehran', 'Australia/Lord_Howe', 'Europe/London'],
  ];
  const wrong = await own.database.query(
    `select zone, day, begins
     from unnest($1::text[]) zone
     cross join generate_series('2005-01-01'::timestamp, '2035-12-31', '1 day') midnight
     cross join lateral (select midnight::date as day) of
     cross join lateral (select ${dayBeginsAt('day', 'zone')} as begins) edge
     where (begins at time zone zone)::date <> day
       or ((begins - interval '1 ms') at time zone zone)::date >= day`,
    [zones],
  );
  expect(wrong).toEqual([]);
});
