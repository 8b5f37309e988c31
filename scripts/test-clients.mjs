/**
 * `npm run test:clients`: every client of the API through the conformance suite (clients/conformance). It installs the
 * languages that are missing, and ends with `N passed, N failed`. Arguments are jest's.
 */
import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawnSync } = await import('node:child_process');
const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } = await import('node:fs');
const { delimiter, join } = await import('node:path');
const { homedir, tmpdir } = await import('node:os');
const { build, compileCache, install, node, NotPrepared, root } = await import('./prepare.mjs');
const { countTests } = await import('./second-try.mjs');

/** @param {string[]} names of libraries that Debian has for Java */
const jars = (...names) => names.map((name) => `/usr/share/java/${name}.jar`);

/** A program of each language that works only if it is complete, and the packages of Debian that bring it. */
const toolchains = [
  {
    check: ['/usr/bin/python3', '-c', 'import cryptography'],
    packages: ['python3', 'python3-cryptography'],
  },
  { check: ['go', 'version'], packages: ['golang-go'] },
  {
    check: [
      '/usr/bin/php',
      '-r',
      'exit(PHP_VERSION_ID >= 80200 && function_exists("curl_init") ? 0 : 1);',
    ],
    packages: ['php-cli', 'php-curl'],
  },
  {
    check: [
      'sh',
      '-ec',
      `phpunit --version; phpcs --version; composer --version; doxygen --version
       php -r 'foreach (["Routing", "Events", "Cache"] as $part) require "Illuminate/$part/autoload.php";'`,
    ],
    packages: [
      ...['phpunit', 'php-codesniffer', 'composer', 'doxygen'],
      ...['php-illuminate-routing', 'php-illuminate-events', 'php-illuminate-cache'],
    ],
  },
  // Debian has no package of it.
  {
    check: ['dotnet', '--version'],
    packages: [],
    byHand: 'the .NET SDK 10 or later (https://dotnet.microsoft.com/download)',
  },
  { check: ['javac', '--release', '17', '--version'], packages: ['openjdk-17-jdk-headless'] },
  { check: ['mvn', '--version'], packages: ['maven'] },
  { check: ['ls', ...jars('junit-jupiter-engine')], packages: ['junit5'] },
  {
    check: ['ls', ...jars('spring3-test', 'spring3-web.servlet', 'servlet-api')],
    packages: ['libspring-test-java', 'libspring-web-servlet-java', 'libservlet-api-java'],
  },
];

let count = { passed: 0, failed: 0 };
try {
  install();
  for (const toolchain of toolchains) requireToolchain(toolchain);
  build();
  buildGo('clients/conformance/drivers/go', 'go-driver');
  buildGo('clients/samples/go', 'go-samples');
  buildCSharp('clients/conformance/drivers/csharp');
  buildCSharp('clients/samples/csharp');
  compileJava('client', 'clients/java/src/main/java');
  compileJava('driver', 'clients/conformance/drivers/java');
  compileJava('samples', 'clients/samples/java');
  count = runSuite(process.argv.slice(2));
} catch (error) {
  count.failed += 1;
  if (!(error instanceof NotPrepared)) throw error;
  console.error(error.message);
} finally {
  console.log(`${count.passed} passed, ${count.failed} failed`);
}
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);

/** @param {{ check: string[], packages: string[], byHand?: string }} toolchain */
function requireToolchain({ check, packages, byHand }) {
  const works = () => spawnSync(check[0], check.slice(1)).status === 0;
  if (works()) return;
  if (byHand !== undefined) throw new NotPrepared(`${check.join(' ')} fails: install ${byHand}`);
  console.log(`installing ${packages.join(', ')} …`);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const words = [
    '-o',
    'DPkg::Lock::Timeout=120',
    'install',
    '-y',
    '--no-install-recommends',
    ...packages,
  ];
  if (spawnSync('apt-get', words, options).status !== 0) {
    spawnSync('apt-get', ['update'], options);
    spawnSync('apt-get', words, options);
  }
  if (!works())
    throw new NotPrepared(
      `${check.join(' ')} fails: as root, run apt-get install ${packages.join(' ')}`,
    );
}

/**
 * Go's cache is the user's own, and Go fetches nothing.
 * @param {string} folder
 * @param {string} program
 */
function buildGo(folder, program) {
  const words = ['build', '-o', join(root, 'dist/clients', program), '.'];
  const { status } = spawnSync('go', words, {
    cwd: join(root, folder),
    stdio: 'inherit',
    env: {
      ...process.env,
      HOME: homedir(),
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      GOTOOLCHAIN: 'local',
    },
  });
  if (status !== 0) throw new NotPrepared(`the build of ${folder} failed`);
}

/**
 * The build fetches no package. Its home is its own, so that no setting of the user's changes it.
 * @param {string} folder
 */
function buildCSharp(folder) {
  const home = join(root, 'dist/clients/dotnet-home');
  mkdirSync(home, { recursive: true });
  const words = ['build', '-c', 'Release', '--nologo', '-v', 'quiet'];
  const { status } = spawnSync('dotnet', words, {
    cwd: join(root, folder),
    stdio: 'inherit',
    env: {
      ...process.env,
      HOME: home,
      DOTNET_CLI_HOME: home,
      DOTNET_CLI_TELEMETRY_OPTOUT: '1',
      DOTNET_NOLOGO: '1',
      // Neither a compiler nor a build server outlives the build.
      MSBUILDDISABLENODEREUSE: '1',
      UseSharedCompilation: 'false',
    },
  });
  if (status !== 0) throw new NotPrepared(`the build of ${folder} failed`);
}

/**
 * @param {string} name of the folder of classes
 * @param {string} sources a folder
 */
function compileJava(name, sources) {
  const classes = join(root, 'dist/clients/java');
  const files = readdirSync(join(root, sources), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(root, sources, file));
  rmSync(join(classes, name), { recursive: true, force: true });
  const words = ['--release', '17', '-cp', join(classes, 'client'), '-d', join(classes, name)];
  const { status } = spawnSync('javac', [...words, ...files], { stdio: 'inherit' });
  if (status !== 0) throw new NotPrepared(`the compilation of Java's ${name} failed`);
}

/** @param {string[]} given */
function runSuite(given) {
  const folder = mkdtempSync(join(tmpdir(), 'pesapost-results-'));
  const file = join(folder, 'results.json');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const config = ['--config', join(root, 'jest.clients.config.mjs')];
  try {
    spawnSync(node, [jest, ...config, '--json', `--outputFile=${file}`, ...given], {
      cwd: root,
      // jest --json repeats all results on stdout. Its report for people is on stderr.
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...compileCache,
        ...process.env,
        PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
      },
    });
    return countTests(JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
