import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { cases, runEach } from './cases.js';
import { type BenchCase, measurement, type Measurement } from './measurement.js';
import { type Fixture } from './servers/fixture.js';

const [first, second, third] = cases.filter(({ floor }) => floor === undefined) as [
  BenchCase,
  BenchCase,
  BenchCase,
];
const figure = (name: string): Measurement =>
  measurement({ name, value: 2, unit: '1/s', floor: 4, anon_mb: null });

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
});

it('a case that fails is named, and the figures before and after it are kept', async () => {
  jest.spyOn(first, 'run').mockResolvedValue({ measurements: [figure('a')], notes: [] });
  jest.spyOn(second, 'run').mockRejectedValue(new Error('no server'));
  jest.spyOn(third, 'run').mockResolvedValue({ measurements: [figure('c')], notes: [] });
  const kept: string[][] = [];
  const run = await runEach(
    [first, second, third],
    { seconds: 1, rows: 1 },
    {} as Fixture,
    (measurements) => {
      kept.push(measurements.map(({ name }) => name));
      return Promise.resolve();
    },
  );
  expect(kept).toEqual([['a'], ['a'], ['a', 'c']]);
  expect(run).toEqual({ measurements: [figure('a'), figure('c')], failed: [second.name] });
});

it('a rehearsal tries a case again, because a busy machine may fail it once', async () => {
  const run = jest.spyOn(first, 'run').mockRejectedValueOnce(new Error('busy'));
  run.mockResolvedValue({ measurements: [figure('a')], notes: [] });
  jest.spyOn(second, 'run').mockRejectedValue(new Error('no server'));
  const options = { seconds: 1, rows: 1, tries: 2 };
  const outcome = await runEach([first, second], options, {} as Fixture, () => Promise.resolve());
  expect(outcome).toEqual({ measurements: [figure('a')], failed: [second.name] });
  expect(run).toHaveBeenCalledTimes(2);
});
