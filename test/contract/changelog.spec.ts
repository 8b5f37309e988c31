import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { expect, it } from '@jest/globals';

const text = readFileSync(packageDirectory('CHANGELOG.md'), 'utf8');
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

it('has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(packageDirectory('package.json'), 'utf8')) as {
    readonly version: string;
  };
  expect([...sections.keys()]).toEqual(expect.arrayContaining([version]));
});

it('names each migration that keeps an older release from running', () => {
  const directory = packageDirectory('migrations', 'records');
  const removing = readdirSync(directory).filter((name) =>
    /^-- needs: \d{4}$/m.test(readFileSync(join(directory, name), 'utf8')),
  );
  for (const name of removing) expect(text).toContain(name.slice(0, 4));
});
