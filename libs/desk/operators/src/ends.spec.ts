import { ok, refuse } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import { daysLeft, readEnd } from './ends.js';

const now = Date.parse('2026-03-05T09:30:00.000Z');

describe('the end of a credential', () => {
  it.each([
    ['2026-03-06', '2026-03-06T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['1d', '2026-03-06T00:00:00.000Z'],
    ['90d', '2026-06-03T00:00:00.000Z'],
    ['3653d', '2036-03-05T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(readEnd(text, now)).toEqual(ok(instant));
  });

  it.each([
    '',
    'none',
    '0d',
    '-1d',
    '090d',
    '1.5d',
    '90',
    '90 d',
    '90D',
    '123456d',
    '2026-3-6',
    '2027-02-29',
    '2027-13-01',
    '2027-03-01T00:00:00Z',
    '01-03-2027',
    ' 2027-03-01',
  ])('is not read from %j', (text) => {
    expect(readEnd(text, now)).toEqual(refuse('end_form'));
  });

  it.each(['2026-03-05', '2026-03-04', '0001-01-01'])('is not %s, which has begun', (text) => {
    expect(readEnd(text, now)).toEqual(refuse('end_past'));
  });

  it.each(['3654d', '99999d', '2036-03-06', '9999-12-31'])('is not %s, ten years away', (text) => {
    expect(readEnd(text, now)).toEqual(refuse('end_too_far'));
  });

  it.each([
    ['2026-03-05T09:30:00.000Z', 0],
    ['2026-03-04T00:00:00.000Z', 0],
    ['2026-03-05T09:30:00.001Z', 1],
    ['2026-03-06T09:30:00.000Z', 1],
    ['2026-03-12T09:30:00.000Z', 7],
  ])('at %s leaves %i days', (end, days) => {
    expect(daysLeft(Date.parse(end), now)).toBe(days);
  });
});
