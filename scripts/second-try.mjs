/** The most specs that get a second try. If more fail, something is broken, and the machine is not to blame. */
const most = 4;

/**
 * A failure in these is a finding, whatever a second try says: a property that was refuted is refuted, and an invariant
 * does not hold now and then.
 */
const findings = { message: /Property failed after/, path: /\/test\/(invariants|simulation)\// };

/**
 * Returns the specs of a run of jest that may be tried once more, alone: without the other workers, a deadline that a
 * busy machine missed has room.
 * @param {{testResults: {name: string, status: string, message: string}[]}} results as `jest --json` writes them
 * @returns {string[]} paths; none if another spec failed that may not
 */
export function secondTries({ testResults }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  const isFinding = ({ name, message }) =>
    findings.path.test(name) || findings.message.test(message);
  return failed.length > most || failed.some(isFinding) ? [] : failed.map(({ name }) => name);
}

/**
 * Replaces the outcomes of the specs that were tried again.
 * @param {{testResults: {name: string}[]}} first
 * @param {{testResults: {name: string}[]}} second
 */
export function withSecondTry(first, second) {
  const again = new Map(second.testResults.map((result) => [result.name, result]));
  return { testResults: first.testResults.map((result) => again.get(result.name) ?? result) };
}

/**
 * Counts the tests of a run. A spec that could not run at all counts as one failure.
 * @param {{testResults: {status: string, assertionResults: {status: string}[]}[]}} results
 * @returns {{passed: number, failed: number}}
 */
export function countTests({ testResults }) {
  const count = { passed: 0, failed: 0 };
  for (const { status, assertionResults } of testResults) {
    const failed = assertionResults.filter((each) => each.status === 'failed').length;
    count.passed += assertionResults.filter((each) => each.status === 'passed').length;
    count.failed += failed === 0 && status === 'failed' ? 1 : failed;
  }
  return count;
}
