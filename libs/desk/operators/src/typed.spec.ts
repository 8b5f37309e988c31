import { expect, it } from '@jest/globals';
import { ok, refuse } from '#domain/kernel';
import { readForEver, readReceipt } from './typed.js';

it.each([
  'he has 0712345678',
  'M-Pesa names ws_CO_230920262019337712345678: paid',
  'called from 0712 345 678',
  '+254 712-345-678 says so',
])(
  'text for events, which are permanent, is refused if it contains a phone number: %s',
  (words) => {
    expect(readForEver(words)).toEqual(refuse('words_hold_phone'));
  },
);

it.each([
  [' nlj7rt61sv ', 'NLJ7RT61SV'],
  ['MP261129.1430.L06941', 'MP261129.1430.L06941'],
  ['CI261129.1430.l06941', 'CI261129.1430.l06941'],
])('a receipt is read as either rail prints it: %s', (text, receipt) => {
  expect(readReceipt(text)).toEqual(ok(receipt));
});

it.each(['NLJ7R', 'MP261129..L06941', '.NLJ7RT61SV', 'NLJ7RT61SV.', 'A'.repeat(33), 'NLJ7 RT61SV'])(
  'no rail prints such a receipt: %s',
  (text) => {
    expect(readReceipt(text)).toEqual(refuse('receipt_form'));
  },
);
