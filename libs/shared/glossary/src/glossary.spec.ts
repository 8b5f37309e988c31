import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { languages } from '#shared/http';
import { failureCodes, failureTerm } from './failures.js';
import { modeWords, statusWords, typeWords } from './terms.js';

/** The codes that the API's reference lists. */
function listedCodes(): readonly string[] {
  const document = readFileSync('openapi.json', 'utf8');
  const [, description = ''] =
    /"failure_code":\s*\{[^{}]*"description":\s*"([^"]*wrong_pin[^"]*)"/.exec(document) ?? [];
  const words = [...description.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = '']) => code);
  return words.filter((code) => !['completed', 'rejected', 'failed'].includes(code));
}

describe('the glossary', () => {
  it('has exactly the failures that the reference lists', () => {
    expect(failureCodes).toEqual([...new Set(listedCodes())].sort());
  });

  it('has a short meaning and a whole sentence as the next step, in both languages', () => {
    for (const code of failureCodes) {
      const terms = languages.map((language) => failureTerm(code, language));
      for (const term of terms) {
        expect(term?.meaning).toMatch(/^\p{Lu}[^.]{3,60}$/u);
        expect(term?.next).toMatch(/^\p{Lu}.{3,120}\.$/u);
      }
      const [english, swahili] = terms;
      expect(swahili?.meaning).not.toBe(english?.meaning);
      const longest = Math.max(36, (english?.meaning.length ?? 0) * 1.6);
      expect(swahili?.meaning.length).toBeLessThanOrEqual(longest);
    }
  });

  it('knows no term for a name that every object has', () => {
    expect(failureTerm('constructor', 'en')).toBeUndefined();
  });

  it('is the table of the guide', () => {
    // The columns of the file are padded.
    const guide = readFileSync('docs/reference/glossary.md', 'utf8').replaceAll(/ +/g, ' ');
    for (const code of failureCodes) {
      const { meaning, next } = failureTerm(code, 'en') ?? { meaning: '', next: '' };
      expect(guide).toContain(`| \`${code}\` | ${meaning} | ${next} |`);
    }
    for (const words of [statusWords, typeWords, modeWords])
      for (const [value, word] of Object.entries(words.en))
        expect(guide).toContain(`| \`${value}\` | ${word} |`);
  });
});
