import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageDirectory } from '#infra/postgres';
import { describe, expect, it } from '@jest/globals';

const root = packageDirectory();
const left = new Set(['node_modules', 'dist', '.git', '.data', 'coverage']);

function pages(directory = root): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : pages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

describe('the documentation', () => {
  it.each(pages().map((page) => [relative(root, page)]))('%s links to files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    const files = targets.filter((target) => !/^(https?:|mailto:|#)/.test(target));
    const broken = files.filter((target) => {
      const [path = ''] = target.split('#');
      return !existsSync(resolve(dirname(join(root, page)), path));
    });
    expect(broken).toEqual([]);
  });
});
