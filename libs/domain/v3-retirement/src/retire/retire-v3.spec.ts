import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { stateOf } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideIssueFinalNotice } from '../notice/issue-final-notice.command.js';
import { type RetirementEvent, retirementStream } from '../retirement.events.js';
import { type Retirement, retirementDecider, retirementHistory } from '../retirement.js';
import { decideRetireV3, missingToRetire, type RetirementFacts } from './retire-v3.decide.js';

const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'amina' } } as const;
const given = (...events: RetirementEvent[]): Retirement => stateOf(retirementDecider, events);
const notice: RetirementEvent = { type: 'FinalNoticeIssued', data: { text: 'It ends.' } };
const retired: RetirementEvent = { type: 'V3Retired', data: { callsInWindow: 3, threshold: 100 } };
const dayMs = 86_400_000;
const earlier = (instant: Instant, ms: number) => instantFromMs(msFromInstant(instant) - ms);

/** Facts that just suffice to retire V3. */
const now = '2027-11-21T00:00:00.000Z' as Instant;
const enough: RetirementFacts = {
  gaDate: '2026-11-21',
  now,
  threshold: 100,
  usage: { callsInWindow: 99, uncountedDays: [] },
  noticedAt: earlier(now, 30 * dayMs),
};

describe('V3 is retired', () => {
  it('when month 12 is over, the notice 30 days old, the counters whole and the calls below the threshold', () => {
    expect(decideRetireV3(enough, given(notice))).toEqual({
      ok: true,
      value: [{ type: 'V3Retired', data: { callsInWindow: 99, threshold: 100 } }],
    });
  });

  it('only once: a repeat records nothing, even if the facts are worse', () => {
    const worse = { ...enough, threshold: 0, noticedAt: undefined };
    expect(decideRetireV3(worse, given(notice, retired))).toEqual({ ok: true, value: [] });
  });

  it.each<[string, Partial<RetirementFacts>]>([
    ['month_12_not_over', { now: earlier(now, 1), noticedAt: earlier(now, 31 * dayMs) }],
    ['no_final_notice', { noticedAt: undefined }],
    ['final_notice_too_young', { noticedAt: earlier(now, 30 * dayMs - 1) }],
    [
      'counters_do_not_cover_30_days',
      { usage: { callsInWindow: 0, uncountedDays: ['2027-11-01'] } },
    ],
    ['calls_not_below_threshold', { usage: { callsInWindow: 100, uncountedDays: [] } }],
  ])('never while it is so: %s', (missing, facts) => {
    expect(decideRetireV3({ ...enough, ...facts }, given(notice))).toEqual({
      ok: false,
      refusal: [missing],
    });
  });

  it('never at a threshold of 0: no number of calls is below it', () => {
    const usage = { callsInWindow: 0, uncountedDays: [] };
    expect(missingToRetire({ ...enough, threshold: 0, usage })).toEqual([
      'calls_not_below_threshold',
    ]);
  });

  it('only if nothing is missing, and everything that is missing is reported at once', () => {
    const facts = { ...enough, now: '2026-12-01T00:00:00.000Z' as Instant, noticedAt: undefined };
    const usage = { callsInWindow: 5000, uncountedDays: ['2026-11-02'] };
    expect(missingToRetire({ ...facts, usage })).toHaveLength(4);
  });
});

describe('the final notice', () => {
  it('is recorded as it was written, and may be followed by another', () => {
    const said = { ok: true, value: [notice] };
    expect(decideIssueFinalNotice(' It ends.\n', given())).toEqual(said);
    expect(decideIssueFinalNotice('It ends.', given(notice))).toEqual(said);
  });

  it('must have a text, and must precede the retirement', () => {
    expect(decideIssueFinalNotice(' \n', given())).toEqual({ ok: false, refusal: 'no_text' });
    expect(decideIssueFinalNotice('It ends.', given(notice, retired))).toEqual({
      ok: false,
      refusal: 'v3_is_retired',
    });
  });

  it('counts from the first one: a reminder does not postpone the end', () => {
    const recorded = (event: RetirementEvent, revision: bigint, recordedAt: string) =>
      ({
        ...event,
        id: 'id',
        stream: retirementStream,
        revision,
        position: revision + 1n,
        recordedAt,
        metadata,
      }) as RecordedEvent<RetirementEvent>;
    const history = retirementHistory([
      recorded(notice, 0n, '2027-09-01T10:00:00.000Z'),
      recorded(notice, 1n, '2027-11-01T10:00:00.000Z'),
    ]);
    expect(history).toEqual({
      state: { kind: 'noticed' },
      revision: 1n,
      noticedAt: '2027-09-01T10:00:00.000Z',
    });
  });
});

describe('any attempts of operators in any order', () => {
  it('retire V3 at most once, never without a notice, and never bring it back', () => {
    const attempt = fc.constantFrom<'notice' | 'retire' | 'retire too early'>(
      'notice',
      'retire',
      'retire too early',
    );
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 12 }), (attempts) => {
        let state = given();
        const history: RetirementEvent[] = [];
        for (const what of attempts) {
          const isNoticed = history.some(({ type }) => type === 'FinalNoticeIssued');
          const facts = { ...enough, noticedAt: isNoticed ? enough.noticedAt : undefined };
          const decision =
            what === 'notice'
              ? decideIssueFinalNotice('It ends.', state)
              : decideRetireV3(what === 'retire' ? facts : { ...facts, threshold: 0 }, state);
          for (const event of decision.ok ? decision.value : []) {
            history.push(event);
            state = retirementDecider.evolve(state, { ...event, metadata });
          }
        }
        const ends = history.filter(({ type }) => type === 'V3Retired');
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(state.kind === 'retired').toBe(ends.length === 1);
        if (ends.length === 1) expect(history[0]?.type).toBe('FinalNoticeIssued');
      }),
    );
  });
});
