import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import {
  apiErrors,
  customerFailures,
  deliveryStates,
  failures,
  itemTypes,
  modes,
  reviewCauses,
  roles,
  statuses,
  type Term,
} from '#shared/glossary';
import { oldLabels, oldPhrases, pathsOf, textsIn, tooLong } from '#testing';
import { english as checkout } from '../../libs/edges/checkout/src/page/texts.en.js';
import { swahili as checkoutInSwahili } from '../../libs/edges/checkout/src/page/texts.sw.js';

/** Modules whose texts people read, besides the catalogues of the portal. */
const spoken = [
  ...['apps/cli/src', 'apps/identity-provider/src', 'libs/desk/words/src'],
  ...['libs/edges/api-docs/src', 'libs/edges/checkout/src/page', 'libs/edges/notices/src'],
  'libs/shared/glossary/src',
];

/** Every string of a file. A template counts by its parts. */
function stringsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) found.push(node.text);
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

describe('the words of the command line, the documentation, the checkout page and notices', () => {
  it.each(spoken)('are the plain ones, in %s', (folder) => {
    const files = globSync(`${folder}/**/*.ts`).filter((file) => !file.endsWith('.spec.ts'));
    expect(files.length).toBeGreaterThan(0);
    const old = files.flatMap((file) =>
      stringsOf(file)
        .filter((text) => oldPhrases.some((phrase) => text.includes(phrase)))
        .map((text) => `${file}: ${text}`),
    );
    expect(old).toEqual([]);
  });
});

const glossary: Readonly<Record<string, unknown>> = {
  apiErrors,
  customerFailures,
  deliveryStates,
  failures,
  itemTypes,
  modes,
  reviewCauses,
  roles,
  statuses,
};

/** The same tables with the words of one language. */
function inLanguage(of: unknown, language: keyof Term): unknown {
  if (typeof of !== 'object' || of === null) return of;
  if ('en' in of && 'sw' in of) return of[language];
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => [name, inLanguage(value, language)]),
  );
}

describe('the words of the glossary', () => {
  const [english, swahili] = [inLanguage(glossary, 'en'), inLanguage(glossary, 'sw')];

  it('are the plain ones', () => {
    expect(textsIn(english, '').filter(([, text]) => oldLabels.includes(text))).toEqual([]);
  });

  it('fit in Swahili if the English labels fit', () => {
    expect(tooLong(english, swahili)).toEqual([]);
  });
});

describe('the words of the checkout page', () => {
  it('are in Swahili for each English one, and fit', () => {
    expect(pathsOf(checkoutInSwahili)).toEqual(pathsOf(checkout));
    expect(tooLong(checkout, checkoutInSwahili)).toEqual([]);
  });
});
