import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { describe, expect, it } from '@jest/globals';

const root = packageDirectory();
const left = new Set(['node_modules', 'dist', '.git', '.data', 'coverage']);
const reference = join(root, 'docs/reference');

function files(ending: RegExp, directory = root): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : files(ending, path);
    return ending.test(entry.name) ? [path] : [];
  });
}

const pages = files(/\.md$/);
const code = files(/\.(ts|mts|mjs|js|sql|yml|sh)$|^Dockerfile$/);

/** The anchors of a page: explicit ones, and those of its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const named = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id ?? '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...named, ...headings]);
}

/** True if a link leads nowhere, or out of the repository. */
function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : resolve(dirname(page), path);
  if (relative(root, file).startsWith('..') || !existsSync(file)) return true;
  if (anchor === undefined || !file.endsWith('.md')) return false;
  return !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
}

/** The text of a line for its reader: the comment of code, all of a page. */
function wordsOf(file: string, line: string): string {
  if (file.endsWith('.md')) return line;
  const comment = file.endsWith('.sql')
    ? /(?:^|\s)--\s.*$/
    : /\.(yml|sh)$|Dockerfile$/.test(file)
      ? /(?:^|\s)#\s.*$/
      : /(?:^|\s)(?:\/\*\*?|\*|\/\/)\s.*$/;
  return comment.exec(line)?.[0] ?? '';
}

/** Each line of code and pages in which `faults` finds something, as `file:line fault`. */
function found(faults: (words: string) => readonly string[]): readonly string[] {
  return [...code, ...pages].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        faults(wordsOf(file, line)).map(
          (fault) => `${relative(root, file)}:${String(index + 1)} ${fault}`,
        ),
      ),
  );
}

const ruleLine = /<a id="([^"]+)"><\/a>\*\*([A-Z]+[0-9]*-[0-9]+)\*\*/g;
const rules = files(/\.md$/, reference).flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(ruleLine)].map(([, anchor = '', number = '']) => ({
    anchor,
    number,
  })),
);
const numbers = new Set(rules.map(({ number }) => number));
const prefixes = [...new Set(rules.map(({ number }) => number.replace(/-[0-9]+$/, '')))];
const citation = new RegExp(String.raw`(?<![\w-])(?:${prefixes.join('|')})-[0-9]+(?![\w-])`, 'g');

/** `docs/adr/0015` names the record with that number. */
function isDocument(path: string): boolean {
  if (existsSync(join(root, path))) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const folder = join(root, dirname(path));
  return (
    /^[0-9]{4}$/.test(name) &&
    existsSync(folder) &&
    readdirSync(folder).some((entry) => entry.startsWith(`${name}-`))
  );
}

describe('the documentation', () => {
  it.each(pages.map((page) => [relative(root, page)]))('%s links to files that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    const links = targets.filter((target) => !/^(https?:|mailto:)/.test(target));
    expect(links.filter((target) => isBroken(join(root, page), target))).toEqual([]);
  });

  it('numbers each rule once, under an anchor of that number', () => {
    expect(rules.length).toBeGreaterThan(150);
    expect(rules.map(({ number }) => number)).toHaveLength(numbers.size);
    expect(rules.filter(({ anchor, number }) => anchor !== number.toLowerCase())).toEqual([]);
  });
});

describe('comments and pages', () => {
  it('cite rules that docs/reference has', () => {
    const unknown = (words: string) =>
      [...words.matchAll(citation)].map(([number]) => number).filter((rule) => !numbers.has(rule));
    expect(found(unknown)).toEqual([]);
  });

  it('name documents and decision records that exist', () => {
    const missing = (words: string) => [
      ...[...words.matchAll(/(?<![\w/.-])docs\/[\w/-]+(?:\.md)?/g)]
        .map(([path]) => path)
        .filter((path) => !isDocument(path)),
      ...[...words.matchAll(/\bADR ([0-9]{4})\b/g)]
        .map(([, number = '']) => `docs/adr/${number}`)
        .filter((path) => !isDocument(path)),
    ];
    expect(found(missing)).toEqual([]);
  });

  it('point at nothing outside of the repository', () => {
    const outside = (words: string) => [
      ...[...words.matchAll(/(?<![\w/])(?:contract|design)\/[\w-]+\.md|\bdecisions\.md/g)].map(
        ([pointer]) => pointer,
      ),
      // A section sign belongs to a standard.
      ...(words.includes('§') && !words.includes('RFC ') ? ['§'] : []),
    ];
    expect(found(outside)).toEqual([]);
  });
});
