import { instantFromMs, msFromInstant } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { v3CredentialRefusal } from './scheduled-admission.js';
import { addMonths, startOf } from './calendar.js';
import { datedWindows, phasesAt, type Rule, ruleBegins, rulesAt, sunsetDate } from './schedule.js';

const gaDate = '2026-11-30';
const at = (day: string) => startOf(day);
const justBefore = (day: string) => instantFromMs(msFromInstant(startOf(day)) - 1);

const encouraging: Rule[] = ['outreach', 'new_merchants_v4_only'];
const restricting: Rule[] = [...encouraging, 'no_new_credentials', 'rate_limit', 'flag_sha1_links'];

describe('the schedule, at each boundary and one millisecond before it', () => {
  it.each([
    { day: '2026-11-30', before: [], rulesBefore: [], phases: ['coexist'], rules: [] },
    {
      day: '2027-02-28',
      before: ['coexist'],
      rulesBefore: [],
      phases: ['coexist', 'encourage'],
      rules: encouraging,
    },
    {
      day: '2027-05-30',
      before: ['coexist', 'encourage'],
      rulesBefore: encouraging,
      phases: ['encourage'],
      rules: encouraging,
    },
    {
      day: '2027-08-30',
      before: ['encourage'],
      rulesBefore: encouraging,
      phases: ['restrict'],
      rules: restricting,
    },
    {
      day: '2027-11-30',
      before: ['restrict'],
      rulesBefore: restricting,
      phases: ['retire'],
      rules: [...restricting, 'retirement_allowed'],
    },
  ])('$day', ({ day, before, rulesBefore, phases, rules }) => {
    expect(phasesAt(gaDate, justBefore(day))).toEqual(before);
    expect(rulesAt(gaDate, justBefore(day))).toEqual(rulesBefore);
    expect(phasesAt(gaDate, at(day))).toEqual(phases);
    expect(rulesAt(gaDate, at(day))).toEqual(rules);
  });

  it('never drops a rule as time passes, for any date on which V4 became available', () => {
    const date = fc
      .date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10));
    const ms = fc.integer({ min: 0, max: 3 * 366 * 86_400_000 });
    fc.assert(
      fc.property(date, ms, ms, (ga, one, two) => {
        const start = msFromInstant(startOf(ga));
        const [early, late] = [Math.min(one, two), Math.max(one, two)];
        const before = rulesAt(ga, instantFromMs(start + early));
        expect(rulesAt(ga, instantFromMs(start + late))).toEqual(
          expect.arrayContaining([...before]),
        );
        expect(phasesAt(ga, instantFromMs(start + late)).length).toBeGreaterThan(0);
      }),
    );
  });

  it('names its days: the windows overlap, and the sunset is the day on which the last one begins', () => {
    expect(datedWindows(gaDate).map(({ phase, from, until }) => [phase, from, until])).toEqual([
      ['coexist', '2026-11-30', '2027-05-30'],
      ['encourage', '2027-02-28', '2027-08-30'],
      ['restrict', '2027-08-30', '2027-11-30'],
      ['retire', '2027-11-30', undefined],
    ]);
    expect(sunsetDate(gaDate)).toBe(addMonths(gaDate, 12));
    expect(ruleBegins(gaDate, 'rate_limit')).toBe('2027-08-30');
  });
});

describe('a V3 credential', () => {
  const asked = { gaDate, now: at('2027-03-15'), registeredAt: at('2026-12-01'), retired: false };

  it('is issued to merchants registered before month 3, to the millisecond, even after month 3', () => {
    const registeredAt = justBefore('2027-02-28');
    expect(v3CredentialRefusal({ ...asked, registeredAt })).toBeUndefined();
    expect(v3CredentialRefusal({ ...asked, registeredAt: at('2027-02-28') })).toBe(
      'new_merchants_v4_only',
    );
  });

  it('is issued to no one from month 9 on, to the millisecond', () => {
    expect(v3CredentialRefusal({ ...asked, now: justBefore('2027-08-30') })).toBeUndefined();
    expect(v3CredentialRefusal({ ...asked, now: at('2027-08-30') })).toBe('v3_takes_nobody_new');
  });

  it('is issued to no one once V3 is retired, even if the date of availability is set to later', () => {
    expect(v3CredentialRefusal({ ...asked, gaDate: '2040-01-01', retired: true })).toBe(
      'v3_is_retired',
    );
  });
});
