/**
 * `npm test`: everything that CI checks. It ends with `N passed, N failed`; each check, the build and each test counts
 * as one. With jest's arguments (`npm test -- libs/domain/ledger`), it runs only the matching specs, and builds and
 * starts servers only if one of them needs them.
 */
import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawn, spawnSync } = await import('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = await import('node:fs');
const { availableParallelism, tmpdir } = await import('node:os');
const { delimiter, join, relative } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build, compileCache, install, node, NotPrepared, root } = await import('./prepare.mjs');
const { countTests, secondTries, withSecondTry } = await import('./second-try.mjs');
const { shiftedClock } = await import('./shifted-clock.mjs');

const jest = join(root, 'node_modules/jest/bin/jest.js');
const nodeOptions = [
  ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  `--import=${pathToFileURL(join(root, 'scripts', 'keep-compiled.mjs')).href}`,
].join(' ');
/** One more than the processors, because many specs wait for servers. */
const workers = Math.min(4, availableParallelism() + 1);
const longestCheck = 'check:lint';
const count = { passed: 0, failed: 0 };
/** True if everything runs. A spec that is run by its path gets no second try. */
const isWhole = process.argv.length === 2;
/** Specs that failed beside others and passed alone. */
const unsteady = [];
/** The programs that run at the moment. */
const running = new Set();

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });

try {
  install();
  const given = process.argv.slice(2);
  if (given.length === 0) await runAll();
  else await runMatching(given);
} catch (error) {
  count.failed += 1;
  if (!(error instanceof NotPrepared)) throw error;
  console.error(error.message);
} finally {
  for (const line of unsteady) console.log(line);
  console.log(`${count.passed} passed, ${count.failed} failed`);
}
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

/**
 * Runs each `check:` script of package.json, so that this and `npm run check` stay the same. The longest one runs beside
 * the others.
 */
async function runChecks() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((key) => key.startsWith('check:'));
  const inTurn = async (some) => {
    for (const name of some) {
      const code = await run('sh', ['-c', scripts[name]]);
      console.log(`${code === 0 ? 'PASS' : 'FAIL'} ${name}`);
      count[code === 0 ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all([
    inTurn([longestCheck]),
    inTurn(names.filter((name) => name !== longestCheck)),
  ]);
}

async function runAll() {
  await runChecks();
  buildOnce();
  await runShifted();
  // They wait for servers and deadlines for more than half of their time.
  await runJest(['integration'], [`--maxWorkers=${workers + 1}`]);
  // Only a person looks at pictures, and drawing them costs a minute.
  await runServices(['e2e', 'faults'], [], { SCREENSHOTS: 'off' });
}

/**
 * Prepares only what the matching specs need.
 * @param {string[]} given arguments of jest
 */
async function runMatching(given) {
  const projects = await projectsOf(given);
  if (projects.size === 0) console.log(`no spec matches ${given.join(' ')}`);
  const quick = ['unit', 'integration'].filter((name) => projects.has(name));
  // Unit specs run from the sources. The others start servers and services from dist.
  if (['integration', 'e2e', 'faults'].some((name) => projects.has(name))) buildOnce();
  if (quick.length > 0) await runJest(quick, [`--maxWorkers=${workers}`, ...given]);
  const services = ['e2e', 'faults'].filter((name) => projects.has(name));
  if (services.length > 0) await runServices(services, given);
}

/**
 * Returns the projects of jest's configuration that have a matching spec.
 * @param {string[]} given
 * @returns {Promise<Set<string>>}
 */
async function projectsOf(given) {
  const { default: config } = await import('../jest.config.mjs');
  const { status, stdout, stderr } = spawnSync(node, [jest, '--listTests', ...given], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new NotPrepared(stderr);
  const specs = stdout.split('\n').filter((path) => path !== '');
  const matching = config.projects.filter(({ testRegex }) =>
    specs.some((spec) => new RegExp(testRegex).test(spec)),
  );
  return new Set(matching.map(({ displayName }) => displayName));
}

function buildOnce() {
  build();
  count.passed += 1;
}

/**
 * Runs the specs that start whole services. They mostly wait for them, so three run at once, whatever the number of
 * processors. Specs that kill and freeze processes run among the others, because many of them at once would starve each
 * other.
 * @param {string[]} projects
 * @param {string[]} [given]
 * @param {Record<string, string>} [env]
 */
function runServices(projects, given = [], env = {}) {
  return runJest(projects, ['--maxWorkers=3', ...given], env);
}

/**
 * Runs the unit specs on another day than their authors did. A spec that compares a date with the clock then fails before
 * its day comes (docs/adr/0064).
 */
async function runShifted() {
  const clock = shiftedClock();
  console.log(
    clock
      ? `the unit specs under a clock that is shifted by ${clock.FAKETIME}`
      : 'SKIPPED the shifted clock of the unit specs: faketime was not found (apt-get install faketime)',
  );
  await runJest(['unit'], [`--maxWorkers=${workers}`], clock);
}

/**
 * Runs jest, and then once more, alone, the few specs that failed (docs/adr/0059).
 * @param {string[]} projects
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
async function runJest(projects, args, env = {}) {
  const selected = ['--selectProjects', ...projects];
  const first = await jestResults([...selected, ...args], env);
  if (first === undefined) {
    count.failed += 1;
    return;
  }
  const again = isWhole ? secondTries(first.results) : [];
  let { results, code } = first;
  if (again.length > 0) {
    console.log(`once more, alone: ${again.join(', ')}`);
    const alone = ['--runInBand', '--runTestsByPath', ...again];
    const second = await jestResults([...selected, ...alone], env);
    for (const { name, status } of second?.results.testResults ?? [])
      if (status === 'passed') unsteady.push(`UNSTEADY ${relative(root, name)}: passed alone`);
    if (second)
      ({ results, code } = { ...second, results: withSecondTry(results, second.results) });
  }
  const { passed, failed } = countTests(results);
  count.passed += passed;
  count.failed += failed === 0 && code !== 0 ? 1 : failed;
}

/** @returns undefined if jest ended without results */
async function jestResults(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'pesapost-results-'));
  const outputFile = join(folder, 'results.json');
  const order = ['--testSequencer', join(root, 'scripts/longest-first.mjs')];
  const results = ['--json', `--outputFile=${outputFile}`];
  const code = await run(node, [jest, ...results, ...order, ...args], env);
  try {
    return { code, results: JSON.parse(readFileSync(outputFile, 'utf8')) };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to ours
 * @returns {Promise<number>} its exit code
 */
function run(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      // jest --json repeats all results on stdout. Its report for people is on stderr.
      stdio: ['ignore', args.includes('--json') ? 'ignore' : 'inherit', 'inherit'],
      env: {
        ...compileCache,
        ...process.env,
        ...env,
        PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${nodeOptions}`,
      },
    });
    running.add(child);
    const end = (code) => {
      running.delete(child);
      resolve(code ?? 1);
    };
    child.on('error', () => end(1));
    child.on('exit', end);
  });
}
