/** `npm run bench`: installs and builds what is missing, then measures on Node 24. */
import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawn } = await import('node:child_process');
const { join } = await import('node:path');
const { build, install, node, NotPrepared, root } = await import('./prepare.mjs');

try {
  install();
  build();
} catch (error) {
  if (!(error instanceof NotPrepared)) throw error;
  console.error(error.message);
  process.exit(1);
}

const bench = spawn(node, [join(root, 'dist/bench/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Ctrl-C reaches the bench itself, which stops its servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => bench.kill(signal));
bench.on('exit', (code) => process.exit(code ?? 1));
