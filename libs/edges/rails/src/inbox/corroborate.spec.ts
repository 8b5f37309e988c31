import { describe, expect, it } from '@jest/globals';
import { type QueryOutcome, type Verdict } from '#domain/rails';
import { type Instant } from '#domain/kernel';
import { corroborate } from './corroborate.js';

const told: Verdict = {
  kind: 'paid',
  resultCode: '0',
  receipt: 'NLJ7RT61SV',
  amountMinor: 100n,
  paidAt: '2026-01-01T00:00:00.000Z' as Instant,
};
const declined: Verdict = { kind: 'declined', failureCode: 'cancelled' };
const paid: QueryOutcome = { kind: 'paid', resultCode: '0' };
const failed: QueryOutcome = { kind: 'declined', failureCode: 'expired' };
const callback = (verdict: Verdict) => ({
  railReference: 'ws_CO_1',
  merchantRequestId: 'm-1',
  verdict,
});

describe('a callback that the rail was asked about', () => {
  it('counts in full if it came from the rail and the rail reports the payment', () => {
    const unverified = { callback: callback(told), fromRail: true, ownReference: undefined };
    expect(corroborate(unverified, paid)).toEqual({
      kind: 'report',
      answer: paid,
      report: { by: 'callback', ...callback(told), fromRail: true, corroborated: true },
    });
  });

  it.each([
    ['an untrusted sender sent it', callback(told), false],
    ['it told of a failure itself', callback(declined), true],
  ])('is replaced by the query’s own report if %s', (_, said, fromRail) => {
    const unverified = { callback: said, fromRail, ownReference: 'ws_CO_1' };
    expect(corroborate(unverified, paid)).toEqual({
      kind: 'report',
      answer: paid,
      report: { by: 'query', railReference: 'ws_CO_1', verdict: paid },
    });
  });

  it('is replaced by the query’s report if its amount is unreadable, but keeps the rail’s receipt', () => {
    const verdict = {
      ...paid,
      receipt: 'NLJ7RT61SV',
      paidAt: '2026-11-20T10:00:00.000Z' as Instant,
    };
    const unreadable = { ...callback(verdict), isAmountUnreadable: true } as const;
    const unverified = { callback: unreadable, fromRail: true, ownReference: 'ws_CO_1' };
    const reported = (of: typeof unverified, said: object) => {
      expect(corroborate(of, paid)).toEqual({
        kind: 'report',
        answer: paid,
        report: { by: 'query', railReference: 'ws_CO_1', verdict: said },
      });
    };
    reported(unverified, verdict);
    reported({ ...unverified, fromRail: false }, paid);
    expect(corroborate(unverified, failed)).toMatchObject({ kind: 'ask_again' });
  });

  it('is not turned from a success into a failure by a query', () => {
    for (const fromRail of [true, false])
      for (const ownReference of ['ws_CO_1', undefined])
        expect(
          corroborate({ callback: callback(told), fromRail, ownReference }, failed),
        ).toMatchObject({
          kind: 'ask_again',
        });
  });

  it.each([
    ['the rail’s, about the push that we know', true, 'ws_CO_1', 'callback'],
    ['the rail’s, where the push’s answer was lost', true, undefined, 'callback'],
    ['an untrusted sender’s, about the push that we know', false, 'ws_CO_1', 'query'],
  ])(
    'ends the collection if it and the query report a failure and it is %s',
    (_, fromRail, ownReference, by) => {
      const unverified = { callback: callback(declined), fromRail, ownReference };
      expect(corroborate(unverified, failed)).toMatchObject({
        kind: 'report',
        report: { by, verdict: failed },
      });
    },
  );

  it.each([
    ['an untrusted sender’s about a push that we do not know', false, undefined],
    ['about another push than the collection’s', true, 'ws_CO_2'],
  ])(
    'is dropped if it and the query report a failure and it is %s',
    (_, fromRail, ownReference) => {
      const unverified = { callback: callback(declined), fromRail, ownReference };
      expect(corroborate(unverified, failed)).toEqual({ kind: 'drop', why: 'other_reference' });
    },
  );

  it('passes the bytes of the answer on as evidence, not as part of the report', () => {
    for (const answer of [paid, failed] as const) {
      const unverified = { callback: callback(declined), fromRail: true, ownReference: 'ws_CO_1' };
      const withBytes = { ...answer, raw: Buffer.from('{}') };
      expect(corroborate(unverified, withBytes)).toMatchObject({
        kind: 'report',
        answer: withBytes,
      });
      const corroborated = corroborate(unverified, withBytes);
      expect(corroborated.kind === 'report' && corroborated.report.verdict).toEqual(answer);
    }
  });

  it('is asked about again while nothing is settled', () => {
    const unverified = { callback: callback(told), fromRail: true, ownReference: undefined };
    expect(corroborate(unverified, { kind: 'unresolved' })).toEqual({
      kind: 'ask_again',
      why: 'unresolved',
    });
  });
});
