import { describe, expect, it } from '@jest/globals';
import { concludeDrill, type DrillFindings, drillStanding } from './index.js';

const dayMs = 86_400_000;

const good: DrillFindings = {
  copy: 'restored',
  nowMs: 7_200_500,
  reachesToMs: 3_600_000,
  position: 77n,
  records: [
    { table: 'idempotency_claims', rows: 40, missing: 0, newer: 3, areMore: false },
    { table: 'data_keys', rows: 2, missing: 0, newer: 0, areMore: false },
  ],
  opened: [{ table: 'data_keys', opened: 2, unopenable: 0, erased: 1 }],
  views: [
    { table: 'balances', isSame: true },
    { table: 'transactions', isSame: true },
  ],
  seals: { heads: 4, fault: undefined },
};

describe('a drill', () => {
  it('holds if the copy lacks only newer rows, and states the age of the copy', () => {
    expect(concludeDrill(good)).toEqual({
      copy: 'restored',
      outcome: 'held',
      reachesTo: '1970-01-01T01:00:00.000Z',
      ageSeconds: 3600,
      position: '77',
      tables: 2,
      rows: 42,
      newer: 3,
      opened: 2,
      views: 2,
      heads: 4,
      faults: [],
    });
  });

  it.each<[string, Partial<DrillFindings>, object]>([
    [
      'a row is missing',
      { records: [{ table: 'secrets', rows: 1, missing: 2, newer: 0, areMore: false }] },
      { check: 'records', table: 'secrets', count: 2 },
    ],
    [
      'a row does not open',
      { opened: [{ table: 'link_secrets', opened: 8, unopenable: 1, erased: 0 }] },
      { check: 'sealed', table: 'link_secrets', count: 1 },
    ],
    [
      'a table of the views differs',
      { views: [{ table: 'balances', isSame: false }] },
      { check: 'views', table: 'balances', count: 1 },
    ],
    [
      'the trees are not those of the heads',
      { seals: { heads: 4, fault: 'another root' } },
      { check: 'seals', count: 1 },
    ],
  ])('fails if %s, and names it', (_what, over, fault) => {
    expect(concludeDrill({ ...good, ...over })).toMatchObject({
      outcome: 'failed',
      faults: [fault],
    });
  });

  it('has an age of zero, never less, if the clocks of two machines differ', () => {
    expect(concludeDrill({ ...good, nowMs: good.reachesToMs - 5 }).ageSeconds).toBe(0);
  });
});

describe('the last drill', () => {
  it.each<[string, Parameters<typeof drillStanding>[0], string]>([
    ['is asked for where there was none', undefined, 'never'],
    ['failed', { outcome: 'failed', recordedAtMs: 100 * dayMs }, 'failed'],
    ['counts for 90 days', { outcome: 'held', recordedAtMs: 10 * dayMs }, 'held'],
    ['is old from then on', { outcome: 'held', recordedAtMs: 10 * dayMs - 1 }, 'old'],
  ])('%s', (_what, last, standing) => {
    expect(drillStanding(last, 100 * dayMs)).toBe(standing);
  });
});
