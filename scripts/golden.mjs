/**
 * `npm run golden`: writes the golden files from the code. After a change to the interface, read the difference here. A
 * test fails if a file differs from the code's output.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root } from './prepare.mjs';

install();
build();
const { goldenDocument } = await import('../dist/libs/edges/api-docs/src/index.js');
writeFileSync(join(root, 'openapi.json'), goldenDocument());
console.log('openapi.json');

const { glossaryPage } = await import('../dist/libs/shared/glossary/src/index.js');
writeFileSync(join(root, 'docs', 'reference', 'glossary.md'), glossaryPage());
console.log('docs/reference/glossary.md');

// The page is one file, so that it works from a disk: a browser loads no module from there.
const verifier = (name) => join(root, 'verifier', name);
const [page, script] = ['page.html', 'verify.mjs'].map((name) =>
  readFileSync(verifier(name), 'utf8'),
);
writeFileSync(
  verifier('index.html'),
  page.replace('/* verify.mjs */', () => script),
);
console.log('verifier/index.html');
