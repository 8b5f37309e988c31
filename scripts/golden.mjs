/**
 * `npm run golden`: writes the golden files from the code. Who changes the interface reads the difference here; a
 * test fails where the file is another than the code would write.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root } from './prepare.mjs';

install();
build();
const { goldenDocument } = await import('../dist/libs/edges/api-docs/src/index.js');
writeFileSync(join(root, 'openapi.json'), goldenDocument());
console.log('openapi.json');
