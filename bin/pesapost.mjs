#!/usr/bin/env node
/** `npx pesapost <command>`: the command line, on Node 24. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refuseOldNode } from '../scripts/node-version.mjs';
import { node, nodeOptions, root } from '../scripts/prepare.mjs';

refuseOldNode();
const main = join(root, 'dist/apps/cli/src/main.js');
if (!existsSync(node) || !existsSync(main)) {
  console.error('not built yet: run npm start once, or npm ci && npm run build');
  process.exit(1);
}

const cli = spawn(node, [...nodeOptions(), main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cli.kill(signal));
cli.on('exit', (code) => process.exit(code ?? 1));
