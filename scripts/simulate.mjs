/** `npm run simulate`: installs and builds what is missing, then runs schedules of the simulation on Node 24. */
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

const program = join(root, 'dist/simulation/main.js');
const simulation = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => simulation.kill(signal));
simulation.on('exit', (code) => process.exit(code ?? 1));
