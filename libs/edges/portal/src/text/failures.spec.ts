import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { failures } from '#shared/glossary';
import { failureAdvice, failureText } from './failures.js';

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
    expect(Object.keys(failures)).toContain(code);
    const failed = { code, type: 'collection' } as const;
    const [english, swahili] = [failureText(failed, 'en').text, failureText(failed, 'sw').text];
    expect(english).toMatch(/^[A-Z][^<]+ <small>/);
    expect(swahili).toMatch(/^[A-Z][^<]+ <small>/);
    expect(english).not.toBe(swahili);
  }
});

it('a code that means something else for a payout says so', () => {
  const words = (type: 'collection' | 'payout') => failureText({ code: 'cancelled', type }, 'en');
  expect(words('collection').text).toContain('The customer cancelled');
  expect(words('payout').text).toContain('Cancelled before it was paid');
});

it('an unknown code is shown as it is, even if it is a name that every object has', () => {
  const failed = { code: 'constructor', type: 'payout' } as const;
  expect(failureAdvice(failed, 'en')).toBeUndefined();
  expect(failureText(failed, 'en').text).toBe('<code>constructor</code>');
});
