import { DependencyUnavailable } from '#domain/kernel';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findBearers } from './bearers.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

it('nobody is said to bear a payment by views that do not hold its whole day', async () => {
  const untilMs = Date.UTC(2026, 10, 20, 21);
  const payments = [{ receipt: 'TKN2B1KLFT', code: 'CODE00000001' }];
  const found = () =>
    findBearers(own.database, { mode: 'demo', day: '2026-11-20', untilMs, payments });
  const heldAll = (atMs: number | null) =>
    own.database.query('update checkpoint set fresh_at = to_timestamp($1::float8 / 1000)', [atMs]);
  // While they are built, and where the projector stands still.
  for (const atMs of [null, untilMs - 1200_000, untilMs]) {
    await heldAll(atMs);
    await expect(found()).rejects.toBeInstanceOf(DependencyUnavailable);
  }
  await heldAll(untilMs + 600_000);
  expect(await found()).toEqual(new Map());
});
