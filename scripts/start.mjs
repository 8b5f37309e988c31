/** `npm start`: installs and builds what is missing, then hands over to the launcher on Node 24. */
import { refuseOldNode } from './node-version.mjs';

refuseOldNode();
const { spawn } = await import('node:child_process');
const { join } = await import('node:path');
const { node, nodeOptions, prepareOrExit, root } = await import('./prepare.mjs');

prepareOrExit();

// The channel tells the launcher when this process ends, in whatever way.
const launcher = spawn(
  node,
  ['--max-old-space-size=128', ...nodeOptions(), join(root, 'dist/apps/launcher/src/main.js')],
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => launcher.kill(signal));
// An npm process that is killed cannot pass on a signal.
const npm = process.ppid;
if (process.env.npm_lifecycle_event === 'start')
  setInterval(() => {
    if (process.ppid !== npm) launcher.kill('SIGTERM');
  }, 1000).unref();
launcher.on('error', (error) => {
  console.error(`the launcher cannot be run: ${error.message}`);
  process.exit(1);
});
launcher.on('exit', (code) => process.exit(code ?? 1));
