/** What has to be there before anything runs: the packages of the lock file, and dist no older than the sources. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Node 24, as the package `node` brings it, whatever Node runs this script. */
export const node = join(root, 'node_modules', '.bin', 'node');

const builtFolders = ['apps', 'libs', 'bench'];

/** Something that a person has to do first; the message is one line. */
export class NotPrepared extends Error {}

/** Installs where a package of the lock file is missing or of another version. */
export function install() {
  if (!isInstalled()) {
    console.log('installing packages …');
    npm('ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  }
  if (!isFile(node))
    throw new NotPrepared(
      'the package "node" has not run its install script: run npm ci --ignore-scripts=false',
    );
}

/** Builds where a source has no output, or one that is older. */
export function build() {
  if (isBuilt()) return;
  console.log('building …');
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  run(node, [nest, 'build'], 'the build failed');
}

/** Beside the settings of the environment, which come first, those of the file .env. */
export function nodeOptions() {
  const file = join(root, '.env');
  return isFile(file) ? [`--env-file=${file}`] : [];
}

/** @returns {boolean} whether npm's note of what it installed names each package of the lock file */
function isInstalled() {
  try {
    const wanted = packagesOf('package-lock.json');
    const found = packagesOf(join('node_modules', '.package-lock.json'));
    return Object.entries(wanted).every(
      ([path, { version, optional, link }]) =>
        // Optional packages are those of other systems.
        path === '' || optional === true || link === true || found[path]?.version === version,
    );
  } catch {
    return false;
  }
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
 * Runs a program whose output is of interest only where it fails.
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

/** @returns {boolean} */
export function isBuilt() {
  return builtFolders.every((folder) =>
    sourcesIn(join(root, folder)).every((source) => {
      const output = join(root, 'dist', source.slice(root.length, -'.ts'.length) + '.js');
      return modified(output) >= modified(source);
    }),
  );
}

/**
 * The sources that the build compiles: see tsconfig.build.json.
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesIn(folder) {
  if (folder === join(root, 'libs', 'testing')) return [];
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.ts$/.test(path) && !/\.(spec|d)\.ts$/.test(path) ? [path] : [];
  });
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
