import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';

interface Outcome {
  readonly status: string;
}
interface Suite extends Outcome {
  readonly name: string;
  readonly message: string;
  readonly assertionResults: readonly Outcome[];
}
interface Results {
  readonly testResults: readonly Suite[];
}
const { countTests, secondTries, withSecondTry } = (await import(
  join(process.cwd(), 'scripts', 'second-try.mjs')
)) as {
  countTests: (results: Results) => { passed: number; failed: number };
  secondTries: (results: Results) => string[];
  withSecondTry: (first: Results, second: Results) => Results;
};

const passed = { status: 'passed' };
const failed = { status: 'failed' };
const suite = (name: string, ...assertionResults: Outcome[]): Suite => ({
  name,
  status: assertionResults.every(({ status }) => status === 'passed') ? 'passed' : 'failed',
  message: '',
  assertionResults,
});
const late = suite('/libs/late.int.spec.ts', passed, failed);

describe('a failed spec', () => {
  it('is retried once, and its second outcome counts', () => {
    const first = { testResults: [suite('/libs/a.spec.ts', passed, passed), late] };
    expect(countTests(first)).toEqual({ passed: 3, failed: 1 });
    expect(secondTries(first)).toEqual([late.name]);
    const alone = { testResults: [suite(late.name, passed, passed)] };
    expect(countTests(withSecondTry(first, alone))).toEqual({ passed: 4, failed: 0 });
    expect(countTests(withSecondTry(first, { testResults: [late] }))).toEqual({
      passed: 3,
      failed: 1,
    });
  });

  it('counts as one failure if it could not run', () => {
    const broken = { ...suite('/libs/broken.spec.ts'), status: 'failed' };
    expect(countTests({ testResults: [broken] })).toEqual({ passed: 0, failed: 1 });
  });

  it.each([
    ['a refuted property', { ...late, message: 'Error: Property failed after 17 tests' }],
    ['an invariant', { ...late, name: '/test/invariants/under-load.e2e.spec.ts' }],
    ['the simulation', { ...late, name: '/test/simulation/simulation.e2e.spec.ts' }],
  ])('is not retried if it is a finding: %s', (_what, finding) => {
    expect(secondTries({ testResults: [late, finding] })).toEqual([]);
  });

  it('is not retried if it is one of many', () => {
    const many = [1, 2, 3, 4, 5].map((n) => ({ ...late, name: `/libs/${n}.spec.ts` }));
    expect(secondTries({ testResults: many })).toEqual([]);
    expect(secondTries({ testResults: many.slice(1) })).toHaveLength(4);
  });
});
