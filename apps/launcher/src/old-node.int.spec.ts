import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const apps = [
  'airtel-simulator',
  'api',
  'cli',
  'daraja-simulator',
  'embedded-eventstore',
  'identity-provider',
];
apps.push('launcher', 'projector', 'worker');
const line =
  /^PesaPost needs Node 24 or later, but this is Node 2[0-3]\.\d+\.\d+: run npm start or npx pesapost[^\n]+\n$/;

/** A Node that reports an older version, and the machine's own Node if it is older. */
const pretending = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.5'}})`;
const older = ['/usr/bin/node', '/usr/local/bin/node'].filter(
  (path) =>
    existsSync(path) &&
    Number.parseInt(spawnSync(path, ['-p', 'process.versions.node']).stdout.toString()) < 24,
);
const nodes = [
  [process.execPath, ['--import', pretending]],
  ...older.map((path) => [path, []] as const),
] as const;

it.each(apps)('%s says in one line which Node it needs, and exits 1 (OPS-55)', (app) => {
  const main = join(process.cwd(), 'dist', 'apps', app, 'src', 'main.js');
  for (const [node, options] of nodes) {
    const { status, stdout, stderr } = spawnSync(node, [...options, main], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(line);
  }
});
