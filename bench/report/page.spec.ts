import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { describe, expect, it } from '@jest/globals';
import { comparison, pageOf } from './page.js';
import { type Results, runResultsOf, withRun } from './results.js';

const { machine, cases } = JSON.parse(
  readFileSync(join(packageDirectory(), 'bench/report/samples/results.json'), 'utf8'),
) as Results;
const sample: Results = { machine, cases };
const page = pageOf(sample);
const text = page.get('README.md') ?? '';

describe('the page of results', () => {
  it('names its machine, day and commit', () => {
    for (const words of [machine.processor, machine.system, ...machine.programs])
      expect(text).toContain(words);
    for (const { date, commit } of cases) expect(text).toContain(`${date}, commit \`${commit}\``);
  });

  it('has a section with a picture for each case, and a row for each measurement', () => {
    for (const { name, runs } of cases) {
      expect(text).toContain(`\n## ${name}\n`);
      for (const row of runs[0]?.measurements ?? []) expect(text).toContain(`| \`${row.name}\` |`);
    }
    const pictures = [...text.matchAll(/\]\(([\w-]+\.svg)\)/g)].map(([, file]) => file);
    expect(pictures.length).toBeGreaterThan(0);
    expect([...page.keys()].sort()).toEqual(['README.md', ...pictures].sort());
    for (const file of pictures) expect(page.get(file ?? '')).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it('has the median of the runs and their spread', () => {
    const read = cases.find(({ name }) => name === 'read');
    const values = (read?.runs ?? []).map(({ measurements: [row] }) => row?.value ?? Number.NaN);
    expect(values).toHaveLength(3);
    const [min, median, max] = values.toSorted((a, b) => a - b).map(String);
    expect(text).toContain(`| \`read\` | ${median} (${min}–${max}) | events/s |`);
  });

  it('has the processor time of each system by process, the median of the runs', () => {
    const about = { name: 'peer', about: 'Peers.', date: '2026-01-31', commit: 'abc' };
    const run = (api: number) =>
      runResultsOf({
        measurements: [],
        notes: [],
        costs: [
          { of: 'service', ms: { api, redis: 0.1 } },
          { of: 'row', ms: { peer: 0.5, redis: 0.2 } },
        ],
      });
    const results = [0.7, 0.9, 0.8].reduce(
      (known: Results, api) => withRun(known, about, run(api)),
      { machine, cases: [] },
    );
    const found = pageOf(results).get('README.md') ?? '';
    expect(found).toContain('| ms of processor for one | service | row |');
    expect(found).toContain('| api | 0.8 (0.7–0.9) | – |');
    expect(found).toContain('| redis | 0.1 | 0.2 |');
    expect(found).toContain('| **all** | 0.9 (0.8–1) | 0.7 |');
  });

  it('has the speed of the machine in the runs that measured it', () => {
    const about = { name: 'create', about: 'Creates.', date: '2026-01-31', commit: 'abc' };
    const run = runResultsOf({ measurements: [], notes: [] });
    const fast = withRun({ machine, cases: [] }, about, { ...run, machineMs: [66, 68] });
    const both = withRun(withRun(fast, about, run), about, { ...run, machineMs: [67, 70] });
    const found = pageOf(both).get('README.md') ?? '';
    expect(found).toContain('3 runs, 2026-01-31, commit `abc`. Fixed work: 67.5 (66–70) ms.');
    expect(text).not.toContain('Fixed work:');
  });

  it('names what failed', () => {
    const about = { name: 'soak', about: 'An hour.', date: '2026-01-31', commit: 'abc' };
    const failed = withRun(sample, about, { failure: 'no disk' });
    const failedPage = pageOf(failed).get('README.md') ?? '';
    expect(failedPage).toContain('0 runs, 2026-01-31, commit `abc`.');
    expect(failedPage).toContain('- A run failed: no disk');
  });
});

describe('the comparison with a peer', () => {
  it.each([
    [{ median: 0.5, min: 0.4, max: 0.8 }, '**the peer is faster**: 2.00 times as many'],
    [{ median: 2, min: 1.5, max: 2.5 }, 'the service is faster: 2.00 times as many'],
    [{ median: 1.1, min: 0.9, max: 1.2 }, 'no difference that these runs could tell'],
  ])('for %p says %p', (ratio, words) => {
    expect(comparison(ratio)).toContain(words);
  });

  it('is there for each of its variants', () => {
    for (const name of ['peer_row', 'peer_group'])
      expect(text).toMatch(new RegExp(`^- \`${name}\`: .*faster`, 'm'));
  });
});

describe('runs of a case', () => {
  const about = { name: 'create', about: 'Creates.', date: '2026-01-31', commit: 'abc' };
  const run = (rates: readonly (readonly [number, number])[]) =>
    runResultsOf({
      measurements: [],
      notes: [],
      series: [
        {
          name: 'rates',
          title: 'rates',
          x: 'x',
          y: 'y',
          lines: [{ label: 'ours', points: rates }],
        },
      ],
    });
  const of = (...runs: (readonly (readonly [number, number])[])[]): string => {
    const results = runs.reduce((known: Results, rates) => withRun(known, about, run(rates)), {
      machine,
      cases: [],
    } satisfies Results);
    return pageOf(results).get('rates.svg') ?? '';
  };

  it('are one line of medians if they were measured at the same places', () => {
    const median = of([
      [1, 2],
      [2, 2],
    ]);
    const three = of(...[1, 2, 9].map((y) => [[1, y] as const, [2, y] as const]));
    expect(three).toBe(median);
  });

  it('are a line each if they were measured at different times', () => {
    const each = of([[1.1, 5]], [[1.2, 5]]);
    expect(each).toContain('ours, run 1');
    expect(each).toContain('ours, run 2');
  });
});
