import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { failureText, knownFailures } from './failures.js';

/** The codes that the API's reference lists. */
function listedCodes(): readonly string[] {
  const document = readFileSync('openapi.json', 'utf8');
  const [, description = ''] =
    /"failure_code":\s*\{[^{}]*"description":\s*"([^"]*wrong_pin[^"]*)"/.exec(document) ?? [];
  const words = [...description.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = '']) => code);
  return words.filter((code) => !['completed', 'rejected', 'failed'].includes(code));
}

it('every code that the reference lists has words, in English and in Swahili', () => {
  const codes = listedCodes();
  expect(codes.length).toBeGreaterThan(25);
  for (const code of codes) {
    expect(knownFailures).toContain(code);
    const [english, swahili] = [failureText(code, 'en').text, failureText(code, 'sw').text];
    expect(english).toMatch(/^[A-Z][^<]+ <small>/);
    expect(swahili).toMatch(/^[A-Z][^<]+ <small>/);
    expect(english).not.toBe(swahili);
  }
});

it('a code of a release to come stands by itself, as do names that every object has', () => {
  expect(failureText('constructor', 'en').text).toBe('<code>constructor</code>');
});
