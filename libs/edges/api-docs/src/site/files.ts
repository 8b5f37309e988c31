import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packageDirectory } from '#infra/runtime';
import { style } from './style.js';

/** A file that pages load. Its address changes with its bytes, so that browsers may keep it for ever. */
export interface StaticFile {
  readonly address: string;
  readonly type: string;
  readonly bytes: Buffer;
}

const names = ['style', 'page', 'walk-through', 'signing-steps'] as const;
type FileName = (typeof names)[number];

export type FileAddresses = Readonly<Record<FileName, string>>;

export const staticFolder = '/docs/static';

/** Returns the style and the scripts of the site. The scripts are read from the build. */
export function siteFiles(): Readonly<Record<FileName, StaticFile>> {
  const steps = scriptFile('signing-steps', compiled('signing-steps'));
  // A hashed address takes the place of the module's own name.
  const walkThrough = compiled('walk-through').replace(
    "'./signing-steps.js'",
    `'${steps.address}'`,
  );
  return {
    style: file('style.css', 'text/css; charset=utf-8', style),
    page: scriptFile('page', compiled('page')),
    'walk-through': scriptFile('walk-through', walkThrough),
    'signing-steps': steps,
  };
}

export function addressesOf(files: Readonly<Record<FileName, StaticFile>>): FileAddresses {
  return Object.fromEntries(
    names.map((name) => [name, files[name].address]),
  ) as unknown as FileAddresses;
}

function scriptFile(name: FileName, text: string): StaticFile {
  return file(`${name}.js`, 'text/javascript; charset=utf-8', text);
}

function file(name: string, type: string, text: string): StaticFile {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { address: `${staticFolder}/${name.replace('.', `-${hash}.`)}`, type, bytes };
}

/** Returns the compiled module of `browser/`, without the pointer to its source map, which is not served. */
function compiled(module: FileName): string {
  const built = packageDirectory('dist/libs/edges/api-docs/src/browser', `${module}.js`);
  return readFileSync(built, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
}
