import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawn } = await import('node:child_process');
const { join } = await import('node:path');
const { compileCache, node, prepareOrExit, root } = await import('./prepare.mjs');

/**
 * Installs and builds whatever is missing, then runs a program of dist on Node 24 with this process's arguments, and
 * ends as it ends.
 * @param {string} program below dist
 */
export function runBuilt(program) {
  prepareOrExit();
  const child = spawn(node, [join(root, 'dist', program), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...compileCache, ...process.env },
  });
  // Ctrl-C reaches the program itself, which stops its servers.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}
