import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type PaymentListRail } from '#edges/rails';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { RecordedTakenHours } from './taken-hours.js';

const minuteMs = 60_000;
const rail: PaymentListRail = {
  channel: 'mpesa',
  mode: 'demo',
  lookBackMs: 48 * 60 * minuteMs,
  timezone: 'Africa/Nairobi',
};

let own: ThrowAwayDatabase;
let hours: RecordedTakenHours;
beforeAll(async () => {
  own = await throwAwayDatabase();
  hours = new RecordedTakenHours(own.database);
});
afterAll(() => own.drop());
beforeEach(() => own.database.query('delete from records.taken_hours'));

/** Moves all that is recorded into the past. */
const pass = (minutes: number) =>
  own.database.query(
    `update records.taken_hours set asked_until = asked_until - $1 * interval '1 minute',
       next_attempt_at = next_attempt_at - $1 * interval '1 minute'`,
    [minutes],
  );

it('asks an hour after it began, about the time since then with an overlap, up to a quarter of an hour ago', async () => {
  expect(await hours.due(rail)).toBeUndefined();
  await pass(74);
  expect(await hours.due(rail)).toBeUndefined();
  await pass(2);
  const hour = await hours.due(rail);
  if (!hour) throw new Error('nothing is due');
  expect(Math.round((hour.untilMs - hour.fromMs) / minuteMs)).toBe(71);
  await hours.asked(rail, hour);
  expect(await hours.due(rail)).toBeUndefined();
  await pass(61);
  const next = await hours.due(rail);
  expect(Math.round(((next?.fromMs ?? 0) - hour.untilMs) / minuteMs)).toBe(-71);
});

it('asks an hour later about all of the time of which the rail named no payment', async () => {
  await hours.due(rail);
  await pass(80);
  const hour = await hours.due(rail);
  if (!hour) throw new Error('nothing is due');
  await hours.asked(rail, { untilMs: hour.fromMs });
  await pass(59);
  expect(await hours.due(rail)).toBeUndefined();
  await pass(2);
  const next = await hours.due(rail);
  if (!next) throw new Error('nothing is due');
  // All has moved into the past by 61 minutes.
  expect(Math.round((next.fromMs - hour.fromMs) / minuteMs)).toBe(-61);
  expect(Math.round((next.untilMs - next.fromMs) / minuteMs)).toBe(75 + 61);
});

it('lets one worker ask at a time, and another one if there is no answer', async () => {
  await hours.due(rail);
  await pass(80);
  const both = await Promise.all([hours.due(rail), hours.due(rail)]);
  expect(both.filter((hour) => hour !== undefined)).toHaveLength(1);
  await pass(6);
  expect(await hours.due(rail)).toBeDefined();
});

it('asks about nothing that the rail has forgotten', async () => {
  await hours.due(rail);
  await pass(60 * 72);
  const hour = await hours.due(rail);
  const ageMs = (hour?.untilMs ?? 0) - (hour?.fromMs ?? 0);
  expect(Math.round(ageMs / minuteMs)).toBe(48 * 60 - 30);
});

it('does not go back if an earlier question ends late', async () => {
  await hours.due(rail);
  await pass(80);
  const hour = await hours.due(rail);
  if (!hour) throw new Error('nothing is due');
  await hours.asked(rail, hour);
  await hours.asked(rail, { untilMs: hour.untilMs - 30 * minuteMs });
  expect(await hours.due(rail)).toBeUndefined();
});

it('counts each mode by itself', async () => {
  const live: PaymentListRail = { ...rail, mode: 'live' };
  await hours.due(rail);
  await hours.due(live);
  await pass(80);
  expect(await hours.due(live)).toBeDefined();
  expect(await hours.due(rail)).toBeDefined();
});
