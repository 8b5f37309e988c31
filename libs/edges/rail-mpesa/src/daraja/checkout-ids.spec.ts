import { describe, expect, it } from '@jest/globals';
import { subscribers } from '../../../../../test/rail/fake-daraja.js';
import { CheckoutIds } from './checkout-ids.js';

const ids = new CheckoutIds(subscribers);

describe('a checkout id', () => {
  it.each([
    ['as the sandbox gives it', 'ws_CO_230920262019337708374149', '708374149'],
    ['without the tenth of a second', 'ws_CO_23092026201933708374149', '708374149'],
    ['with a number that begins with 01', 'ws_CO_230920262019337112345678', '112345678'],
    ['with more digits', 'ws_CO_23092026201933123456712345678', '712345678'],
  ])('has a reference without the number in which it ends: %s', (_, id, number) => {
    const reference = ids.referenceOf(id);
    expect(reference).not.toContain(number);
    expect(reference.startsWith(id.slice(0, -9))).toBe(true);
    expect(ids.idOf(reference)).toBe(id);
    expect(ids.referenceOf(reference)).toBe(reference);
  });

  it('has a different reference for another customer or another push', () => {
    const given = ['ws_CO_230920262019337', 'ws_CO_230920262019338'].flatMap((time) =>
      ['708374149', '708374148'].map((number) => ids.referenceOf(time + number)),
    );
    const tails = given.map((reference) => reference.split('~')[1]);
    expect(new Set(tails).size).toBe(4);
  });

  it.each([
    'ws_CO_191220191020363925',
    'ws_CO_230920262019337012345678',
    'ws_CO_1',
    'ws_CO_230920262019337~notOneOfOurs0000000000',
    '',
  ])('is its own reference if it contains no number: %j', (id) => {
    expect(ids.referenceOf(id)).toBe(id);
    expect(ids.idOf(id)).toBe(id);
  });
});
