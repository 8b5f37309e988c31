import { expect, it } from '@jest/globals';
import { ClockWatch } from './clock-watch.js';

it('reports once that the clocks moved apart, to either side, and once that they agree again', () => {
  const said: unknown[] = [];
  const watch = new ClockWatch({
    error: (details: unknown, text?: unknown) => said.push([details, text]),
    info: (text: unknown) => said.push(text),
  } as never);
  const read = (sentMs: number, databaseMs: number, answeredMs = sentMs) => {
    watch.compare({ sentMs, databaseMs, answeredMs });
  };
  read(100_000, 100_000);
  read(105_000, 100_000);
  // An answer that took long says nothing.
  read(100_000, 108_000, 109_000);
  expect(said).toEqual([]);
  read(700_000, 100_000);
  expect(watch.aheadSeconds).toBe(600);
  read(701_000, 101_000);
  expect(said).toEqual([
    [
      { code: 'clocks_apart', aheadSeconds: 600 },
      expect.stringContaining('is 600 s ahead of Postgres’: set the wrong one (NTP)'),
    ],
  ]);
  read(100_000, 100_000);
  read(101_000, 101_000);
  expect(watch.aheadSeconds).toBe(0);
  expect(said.slice(1)).toEqual([expect.stringContaining('agrees with Postgres’ again')]);
  read(100_000, 220_000);
  expect(said.at(-1)).toEqual([
    { code: 'clocks_apart', aheadSeconds: -120 },
    expect.stringContaining('is 120 s behind Postgres’'),
  ]);
  expect(watch.aheadSeconds).toBe(-120);
});
