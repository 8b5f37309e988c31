/**
 * `npm test`: everything that CI checks. Closes with `N passed, N failed`; each check, the build and each test
 * counts as one. Arguments are handed to jest: `npm test -- libs/domain/ledger`.
 */
import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawn } = await import('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = await import('node:fs');
const { availableParallelism, tmpdir } = await import('node:os');
const { delimiter, join } = await import('node:path');
const { build, install, node, NotPrepared, root } = await import('./prepare.mjs');
const { shiftedClock } = await import('./shifted-clock.mjs');

const count = { passed: 0, failed: 0 };
let current;

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    current?.kill(signal);
    process.exit(1);
  });

try {
  install();
  await runChecks();
  build();
  count.passed += 1;
  await runTests();
} catch (error) {
  count.failed += 1;
  if (!(error instanceof NotPrepared)) throw error;
  console.error(error.message);
} finally {
  console.log(`${count.passed} passed, ${count.failed} failed`);
}
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

/** Each `check:` script of package.json, so that this and `npm run check` cannot drift apart. */
async function runChecks() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(scripts).filter((key) => key.startsWith('check:'))) {
    const code = await run('sh', ['-c', scripts[name]]);
    console.log(`${code === 0 ? 'PASS' : 'FAIL'} ${name}`);
    count[code === 0 ? 'passed' : 'failed'] += 1;
  }
}

/**
 * End-to-end specs start whole services and mostly wait for them, so two run at a time. Those that kill and freeze
 * hold the service against the clock, and run alone.
 */
async function runTests() {
  const workers = Math.max(1, Math.min(4, availableParallelism()));
  const given = process.argv.slice(2);
  // A path names specs of one project, mostly.
  if (given.length > 0) given.push('--passWithNoTests');
  await runJest(['--selectProjects', 'unit', 'integration', `--maxWorkers=${workers}`, ...given]);
  await runShifted([`--maxWorkers=${workers}`, ...given]);
  await runJest(['--selectProjects', 'e2e', '--maxWorkers=2', ...given]);
  await runJest(['--selectProjects', 'faults', '--maxWorkers=1', ...given]);
}

/**
 * The quick specs once more, on another day: a date that a spec holds against the clock shows before its day comes.
 * @param {string[]} args
 */
async function runShifted(args) {
  const clock = shiftedClock();
  if (clock) {
    console.log(`the unit specs under a clock that is shifted by ${clock.FAKETIME}`);
    await runJest(['--selectProjects', 'unit', '--forceExit', ...args], clock);
  } else
    console.log(
      'SKIPPED the unit specs under a shifted clock: faketime was not found (apt-get install faketime)',
    );
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
async function runJest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pesapost-results-'));
  const outputFile = join(folder, 'results.json');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const code = await run(node, [jest, '--json', `--outputFile=${outputFile}`, ...args], env);
  const { passed, failed } = readResults(outputFile);
  rmSync(folder, { recursive: true, force: true });
  count.passed += passed;
  count.failed += failed === 0 && code !== 0 ? 1 : failed;
}

/** A file of tests that could not run at all counts as one failure. */
function readResults(file) {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8'));
    return {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env] besides ours
 * @returns {Promise<number>} its exit code
 */
function run(program, args, env = {}) {
  return new Promise((resolve) => {
    current = spawn(program, args, {
      cwd: root,
      // jest --json repeats all results on stdout; its report for people is on stderr.
      stdio: ['ignore', args.includes('--json') ? 'ignore' : 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...env,
        PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
      },
    });
    current.on('error', () => resolve(1));
    current.on('exit', (code) => resolve(code ?? 1));
  });
}
