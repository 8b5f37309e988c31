/** Prepares what every command needs: the packages of the lock file, and a dist that is no older than the sources. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The package of the lock file that brings Node 24 for this system; undefined if there is none (docs/adr/0006). */
const nodePackage = nodePackageOf(process.platform, process.arch);
/** Node 24 from that package, whatever Node runs this script. Without a package, the Node that runs this script. */
export const node = nodePackage ? join(root, 'node_modules', '.bin', 'node') : process.execPath;
/** V8's compile cache of our programs: a command starts in three quarters of the time. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'pesapost-compiled'),
};

/** A step that a person has to do first. The message is one line. */
export class NotPrepared extends Error {}

/** Installs if a package of the lock file is missing or has another version. */
export function install() {
  if (!nodePackage && Number.parseInt(process.versions.node) < 24)
    throw new NotPrepared(
      `npm brings no Node for ${process.platform} on ${process.arch}: install Node 24 (https://nodejs.org) and try again`,
    );
  if (!isInstalled()) {
    console.log('installing packages …');
    const wanted = ['--include=dev', '--include=optional'];
    npm('ci', ...wanted, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  }
  if (!isFile(node))
    throw new NotPrepared(`the package ${nodePackage} is missing: run npm ci --include=optional`);
}

/** Builds if a source has no output, or an older one. */
export function build() {
  if (isBuilt()) return;
  console.log('building …');
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  run(node, [nest, 'build'], 'the build failed');
  run(node, [join(root, 'scripts', 'bundle.mjs')], 'bundling failed');
}

/** Installs and builds whatever is missing. If a person has to do something first, it says what and ends. */
export function prepareOrExit() {
  try {
    install();
    build();
  } catch (error) {
    if (!(error instanceof NotPrepared)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Adds the settings of the file .env to those of the environment, which take precedence. */
export function nodeOptions() {
  const file = join(root, '.env');
  return isFile(file) ? [`--env-file=${file}`] : [];
}

/** @returns {boolean} true if npm's record of its installation names each package of the lock file */
function isInstalled() {
  try {
    const wanted = packagesOf('package-lock.json');
    const found = packagesOf(join('node_modules', '.package-lock.json'));
    return Object.entries(wanted).every(
      ([path, { version, optional, link }]) =>
        // Optional packages are those of other systems, except this system's Node.
        path === '' ||
        (optional === true && path !== `node_modules/${nodePackage}`) ||
        link === true ||
        found[path]?.version === version,
    );
  } catch {
    return false;
  }
}

/**
 * @param {string} platform
 * @param {string} arch
 * @returns {string | undefined}
 */
function nodePackageOf(platform, arch) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const name = `node-${platform}-${arch}`;
  return Object.hasOwn(optionalDependencies, name) ? name : undefined;
}

/** @param {string} file */
function packagesOf(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}

/** @param {string[]} args */
function npm(...args) {
  const program = process.env.npm_execpath;
  const failed = 'npm ci failed: see above, and whether this machine reaches its registry';
  if (program?.endsWith('.js')) run(process.execPath, [program, ...args], failed);
  else run('npm', args, failed);
}

/**
 * Runs a program whose output matters only if it fails.
 * @param {string} program
 * @param {string[]} args
 * @param {string} failed
 */
function run(program, args, failed) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  throw new NotPrepared(error ? `${failed} (${error.message})` : failed);
}

/** @returns {boolean} true if each source has an output that is no older */
function isBuilt() {
  const { include, exclude } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  const isExcluded = exclude.map(expressionOf);
  /** @param {string} path from the root */
  const sourcesIn = (path) =>
    entriesOf(join(root, path)).flatMap((entry) => {
      const inner = `${path}/${entry.name}`;
      if (isExcluded.some((expression) => expression.test(inner))) return [];
      if (entry.isDirectory()) return sourcesIn(inner);
      return /(?<!\.d)\.ts$/.test(inner) ? [inner] : [];
    });
  return include.flatMap(sourcesIn).every((source) => {
    const output = join(root, 'dist', source.replace(/\.ts$/, '.js'));
    return modified(output) >= modified(join(root, source));
  });
}

/**
 * Returns a pattern of tsconfig's as an expression that also matches paths below it.
 * @param {string} pattern
 */
function expressionOf(pattern) {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${source}(?:/|$)`);
}

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** @param {string} path */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} path */
function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
