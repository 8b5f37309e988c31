import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const folder = 'docs/how-to';
/** Commands in guides that run a TypeScript file of the checkout. */
const commands = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => /(?:^|\s)node\s+\S+\.ts\b/.test(line) && !line.includes('`'))
    .map((line) => ({ file, line })),
);

/** The machine's own Node, which may be older than the one that `npm install` brings. */
const machines = ['/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path));

describe('guides that run TypeScript files', () => {
  it('run them on the Node of the checkout', () => {
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter(({ line }) => !/(?:^|\s)npx node\s/.test(line))).toEqual([]);
  });

  it('npx finds that Node, whichever one runs npx', () => {
    for (const path of machines.length > 0 ? machines : [process.execPath]) {
      const env = { ...process.env, PATH: `${join(path, '..')}:/usr/bin:/bin` };
      const script = 'console.log(process.versions.node as string)';
      const args = [
        '--no-install',
        'node',
        '--experimental-strip-types',
        '--input-type=module-typescript',
        '-e',
        script,
      ];
      const version = execFileSync('npx', args, { encoding: 'utf8', env });
      expect(Number.parseInt(version)).toBeGreaterThanOrEqual(24);
    }
  });
});
