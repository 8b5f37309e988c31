import { expect, it } from '@jest/globals';
import { refuse } from '#domain/kernel';
import { readForEver } from './typed.js';

it.each([
  'he has 0712345678',
  'M-Pesa names ws_CO_230920262019337712345678: paid',
  'called from 0712 345 678',
  '+254 712-345-678 says so',
])('words that stand in events for ever hold no number: %s', (words) => {
  expect(readForEver(words)).toEqual(refuse('words_hold_phone'));
});
