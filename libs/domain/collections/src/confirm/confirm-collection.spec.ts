import { type Instant, type Result } from '#domain/kernel';
import { isBalanced, suspenseReturnLegs } from '#domain/ledger';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collectionIntent, stateOf } from '#testing';
import { collectionDecider, type Collection } from '../collection.js';
import { type PushAnswer, type RailReport, type Verdict } from '#domain/rails';
import { type CollectionEvent } from '../collection.events.js';
import { decideRecordPushOutcome } from '../initiate/initiate-collection.decide.js';
import { contradictionOf, decideConfirmCollection } from './confirm-collection.decide.js';

const amountMinor = 10_000n;
const ours = 'ws_CO_1';
const intent = collectionIntent();
const accepted: CollectionEvent = {
  type: 'RailPushAccepted',
  data: { railReference: ours, merchantRequestId: 'mr-1' },
};
/** The event that returns money in suspense. */
const returned: CollectionEvent = {
  type: 'SuspenseResolved',
  data: {
    receipt: 'NLJ7RT61SV',
    amountMinor: 1_000n,
    legs: suspenseReturnLegs({ rail: 'mpesa', amountMinor: 1_000n }),
  },
};

const given = (...events: readonly CollectionEvent[]): Collection =>
  stateOf(collectionDecider, events);

const paidAt = '2026-11-21T08:00:00.000Z' as Instant;
const paid = (over: Partial<PaidVerdict> = {}): Verdict => ({
  kind: 'paid',
  resultCode: '0',
  receipt: 'NLJ7RT61SV',
  amountMinor,
  paidAt,
  ...over,
});
const saysPaid: Verdict = { kind: 'paid', resultCode: '0' };
type PaidVerdict = Extract<Verdict, { kind: 'paid' }>;
const declined: Verdict = { kind: 'declined', failureCode: 'cancelled' };

const callback = (verdict: Verdict, over: Partial<Extract<RailReport, { by: 'callback' }>> = {}) =>
  ({
    by: 'callback',
    railReference: ours,
    merchantRequestId: 'mr-1',
    fromRail: true,
    corroborated: false,
    verdict,
    ...over,
  }) as const satisfies RailReport;
const query = (verdict: Verdict): RailReport => ({ by: 'query', railReference: ours, verdict });

const repeatedQuery = (verdict: Verdict): RailReport => ({
  by: 'query',
  railReference: ours,
  repeated: true,
  verdict,
});

const typesOf = (result: Result<readonly CollectionEvent[], string>): string[] | string =>
  result.ok ? result.value.map(({ type }) => type) : result.refusal;
const decide = (report: RailReport, state: Collection) =>
  decideConfirmCollection(report, state, 'fee1ed');

/** Applies a decision as the pipeline would. */
function after(state: Collection, report: RailReport): Collection {
  const decision = decide(report, state);
  if (!decision.ok) return state;
  return stateOf(collectionDecider, decision.value, { from: state });
}

describe('the rail says paid', () => {
  it('posts once, with balanced legs and both commitments', () => {
    const decision = decide(callback(paid()), given(intent, accepted));
    expect(decision).toMatchObject({
      ok: true,
      value: [
        { type: 'RailConfirmed', data: { by: 'callback', receipt: 'NLJ7RT61SV', amountMinor } },
        {
          type: 'WalletPosted',
          data: {
            amountMinor,
            feeMinor: 150n,
            legs: [
              { account: 'rail-clearing:mpesa', amountMinor: -10_000n },
              { account: 'wallet:1001', amountMinor: 9_850n },
              { account: 'fees', amountMinor: 150n },
            ],
            requestCommitment: 'c0ffee',
            railCommitment: 'fee1ed',
          },
        },
      ],
    });
  });

  it.each([
    ['the same callback', callback(paid())],
    ['a query', query(saysPaid)],
    ['a later decline', callback(declined)],
    ['a query that says declined', query(declined)],
  ])('posts nothing more after %s', (_what, report) => {
    const completed = after(given(intent, accepted), callback(paid()));
    expect(typesOf(decide(report, completed))).toEqual([]);
  });

  it.each([
    ['a callback', callback(paid({ receipt: 'LATE000001' }))],
    ['a query alone', query(saysPaid)],
  ])('posts money that came after several declines, by %s', (_what, report) => {
    const refused = after(given(intent, accepted), callback(declined));
    const again = after(refused, repeatedQuery({ kind: 'declined', failureCode: 'no_answer' }));
    expect(again).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
    expect(contradictionOf(report, again)).toBe('paid_after_decline');
    expect(after(again, report).status).toBe('completed');
  });

  it('posts late money after a decline, once', () => {
    const late = after(
      after(given(intent, accepted), callback(declined)),
      callback(paid({ receipt: 'LATE000001' })),
    );
    expect(late.status).toBe('completed');
    expect(typesOf(decide(callback(paid({ receipt: 'LATE000001' })), late))).toEqual([]);
  });

  it('records the receipt that a query could not report', () => {
    const byQuery = after(given(intent, accepted), query(saysPaid));
    expect(byQuery.status).toBe('completed');
    expect(typesOf(decide(callback(paid()), byQuery))).toEqual(['RailReceiptRecorded']);
    const known = after(byQuery, callback(paid()));
    expect(typesOf(decide(callback(paid()), known))).toEqual([]);
  });

  it('keeps the receipt that came without a readable time', () => {
    const byQuery = after(given(intent, accepted), query(saysPaid));
    const { paidAt: _paidAt, ...undated } = paid() as PaidVerdict;
    const decided = decide(callback(undated), byQuery);
    expect(decided.ok && decided.value).toEqual([
      { type: 'RailReceiptRecorded', data: { receipt: 'NLJ7RT61SV', amountMinor } },
    ]);
  });

  it('flags for review that the receipt after a query names another amount', () => {
    const byQuery = after(given(intent, accepted), query(saysPaid));
    expect(typesOf(decide(callback(paid({ amountMinor: 9_999n })), byQuery))).toEqual([
      'RailReceiptRecorded',
      'ReviewFlagged',
    ]);
  });

  it('flags another amount for review even if the callback lacks its date or its receipt', () => {
    const byQuery = after(given(intent, accepted), query(saysPaid));
    const { paidAt: _paidAt, ...undated } = paid({ amountMinor: 9_999n }) as PaidVerdict;
    const { receipt: _receipt, ...bare } = undated;
    expect(typesOf(decide(callback(undated), byQuery))).toEqual([
      'RailReceiptRecorded',
      'ReviewFlagged',
    ]);
    expect(typesOf(decide(callback(bare), byQuery))).toEqual(['ReviewFlagged']);
  });

  it('flags a second receipt for review, and only once', () => {
    const completed = after(given(intent, accepted), callback(paid()));
    const second = callback(paid({ receipt: 'OTHER00001' }));
    expect(typesOf(decide(second, completed))).toEqual(['ReviewFlagged']);
    expect(typesOf(decide(second, after(completed, second)))).toEqual([]);
  });

  it('puts another amount into suspense, and neither query nor repeat posts it', () => {
    const other = callback(paid({ amountMinor: 10_001n }));
    const decision = decide(other, given(intent, accepted));
    expect(typesOf(decision)).toEqual(['AmountMismatchRecorded', 'SuspensePosted']);
    const held = after(given(intent, accepted), other);
    const { receipt: _receipt, ...withoutReceipt } = paid({ amountMinor: 1n }) as PaidVerdict;
    expect(typesOf(decide(callback(withoutReceipt), given(intent, accepted)))).toContain(
      'SuspensePosted',
    );
    expect(held).toMatchObject({ status: 'in_suspense', underReview: true, payment: { paidAt } });
    const [, posted] = decision.ok ? decision.value : [];
    expect(posted?.data).toMatchObject({ receipt: 'NLJ7RT61SV', paidAt });
    for (const report of [other, query(saysPaid), callback(declined)])
      expect(typesOf(decide(report, held))).toEqual([]);
  });

  it('flags a second receipt to the person who decides on money in suspense, and only once', () => {
    const held = after(given(intent, accepted), callback(paid({ amountMinor: 10_001n })));
    const second = callback(paid({ receipt: 'OTHER00001' }));
    expect(decide(second, held)).toMatchObject({
      value: [{ type: 'ReviewFlagged', data: { why: 'second_receipt' } }],
    });
    const told = after(held, second);
    expect(told).toMatchObject({ status: 'in_suspense', arrivedMinor: 10_001n });
    expect(typesOf(decide(second, told))).toEqual([]);
  });

  it.each([
    ['is held', []],
    ['was sent back', [returned]],
  ] as const)('flags for review that the receipt names another amount than %s, once', (_, more) => {
    const suspense = decide(callback(paid({ amountMinor: 1_000n })), given(intent, accepted));
    const events = suspense.ok ? suspense.value : [];
    const held = given(intent, accepted, ...events, ...more);
    expect(decide(callback(paid()), held)).toMatchObject({
      value: [{ type: 'ReviewFlagged', data: { why: 'receipt_amount_differs' } }],
    });
    expect(typesOf(decide(callback(paid()), after(held, callback(paid()))))).toEqual([]);
    for (const known of [callback(paid({ amountMinor: 1_000n })), query(saysPaid)])
      expect(typesOf(decide(known, held))).toEqual([]);
  });
});

describe('trust in a callback', () => {
  it.each([
    ['from an address that is not the rail’s', callback(paid(), { fromRail: false })],
    ['for a reference that is not ours', callback(paid(), { railReference: 'ws_CO_2' })],
    ['a decline from elsewhere', callback(declined, { fromRail: false })],
  ])('%s settles nothing by itself', (_what, report) => {
    expect(typesOf(decide(report, given(intent, accepted)))).toBe('not_vouched');
  });

  it('waits for a query while the push’s own answer is unknown, then learns the reference', () => {
    expect(typesOf(decide(callback(paid()), given(intent)))).toBe('not_vouched');
    expect(typesOf(decide(callback(paid(), { corroborated: true }), given(intent)))).toEqual([
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is not needed for a code that we do not know, which settles nothing', () => {
    const unknown = callback({ kind: 'unresolved' }, { fromRail: false });
    expect(typesOf(decide(unknown, given(intent)))).toEqual([]);
  });

  it('is not possible for a stream that does not exist', () => {
    expect(typesOf(decide(callback(paid()), collectionDecider.initial))).toBe('unknown_collection');
  });
});

describe('the rail declines', () => {
  it('and the collection fails if the next query repeats the decline, not before', () => {
    const open = given(intent, accepted);
    expect(typesOf(decide(query(declined), open))).toEqual([]);
    expect(typesOf(decide(repeatedQuery(declined), open))).toEqual(['RailDeclined']);
  });

  it('and its reference is recorded if the push’s own answer was lost, since queries continue', () => {
    const corroborated = callback(declined, { corroborated: true });
    const failed = after(given(intent), corroborated);
    expect(typesOf(decide(corroborated, given(intent)))).toEqual([
      'RailPushAccepted',
      'RailDeclined',
    ]);
    expect(failed).toMatchObject({ status: 'failed', push: { railReference: ours } });
    expect(typesOf(decide(corroborated, failed))).toEqual([]);
  });

  it('after a query alone said paid: a person is asked once, unless the decline is old or a receipt exists', () => {
    const open = given(intent, accepted);
    const posted = after(open, query(saysPaid));
    const denied = decide(callback(declined), posted);
    expect(denied).toMatchObject({ value: [{ data: { why: 'declined_after_payment' } }] });
    expect(typesOf(decide(callback(declined), after(posted, callback(declined))))).toEqual([]);
    expect(typesOf(decide(repeatedQuery(declined), posted))).toEqual([]);
    const late = after(after(open, callback(declined)), query(saysPaid));
    expect(typesOf(decide(callback(declined), late))).toEqual([]);
    expect(typesOf(decide(callback(declined), after(open, callback(paid()))))).toEqual([]);
  });

  it('in its first own callback, after queries declined and then said paid: a person is asked', () => {
    const failed = after(given(intent, accepted), repeatedQuery(declined));
    const late = after(failed, query(saysPaid));
    expect(decide(callback(declined), late)).toMatchObject({
      value: [{ data: { why: 'declined_after_payment' } }],
    });
  });

  it('after a payment, and only that counts as a contradiction', () => {
    const completed = after(given(intent, accepted), callback(paid()));
    expect(contradictionOf(repeatedQuery(declined), completed)).toBe('declined_after_payment');
    expect(contradictionOf(query(saysPaid), completed)).toBeUndefined();
    expect(contradictionOf(query(saysPaid), given(intent, accepted))).toBeUndefined();
  });
});

describe('any order of rail reports and push answers', () => {
  const receipts = fc.constantFrom('R1', 'R2');
  const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
    receipts.map((receipt) => paid({ receipt })),
    fc.constant(paid({ amountMinor: 10_001n })),
    fc.constant(saysPaid),
    fc.constant(declined),
    fc.constant<Verdict>({ kind: 'unresolved' }),
  );
  const reports: fc.Arbitrary<RailReport> = fc.oneof(
    verdicts.map(query),
    verdicts.map(repeatedQuery),
    fc
      .record({
        verdict: verdicts,
        fromRail: fc.boolean(),
        corroborated: fc.boolean(),
        railReference: fc.constantFrom(ours, 'ws_CO_other'),
      })
      .map(({ verdict, ...trust }) => callback(verdict, trust)),
  );
  const answers = fc.constantFrom<PushAnswer>(
    { kind: 'accepted', railReference: ours, merchantRequestId: 'mr-1' },
    { kind: 'refused', failureCode: 'rail_rejected' },
  );
  const steps = fc.array(
    fc.oneof(
      reports.map((report) => ({ report })),
      answers.map((answer) => ({ answer })),
    ),
    { maxLength: 12 },
  );

  it('yields at most one posting, balanced, never a failure after money, and folds', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const history: CollectionEvent[] = [intent];
        for (const step of sequence) {
          const state = given(...history);
          const added =
            'report' in step
              ? decide(step.report, state)
              : { ok: true as const, value: decideRecordPushOutcome(step.answer, state) };
          if (added.ok) history.push(...added.value);
        }
        const withLegs = history.filter((event) => 'legs' in event.data);
        const posted = history.findIndex(({ type }) => type === 'WalletPosted');
        const tail = posted < 0 ? [] : history.slice(posted + 1).map(({ type }) => type);
        expect(withLegs.length).toBeLessThanOrEqual(1);
        expect(
          history.every((event) => !('legs' in event.data) || isBalanced(event.data.legs)),
        ).toBe(true);
        expect(tail).not.toContain('RailDeclined');
        expect(tail).not.toContain('RailPushRejected');
        expect(history.filter(({ type }) => type === 'RailPushAccepted').length).toBeLessThan(2);
        expect(given(...history).status === 'completed').toBe(posted >= 0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a question to a person', () => {
  const flagged = (why: 'other_checkout' | 'no_word_from_rail' | 'opened_by_operator') =>
    ({ type: 'ReviewFlagged', data: { why } }) as const;
  const report = (verdict: Verdict): RailReport => ({
    by: 'callback',
    railReference: ours,
    fromRail: true,
    corroborated: false,
    verdict,
  });
  const declined: Verdict = { kind: 'declined', failureCode: 'cancelled' };
  const added = (why: Parameters<typeof flagged>[0], verdict: Verdict) => {
    const decided = decideConfirmCollection(
      report(verdict),
      given(intent, accepted, flagged(why)),
      undefined,
    );
    if (!decided.ok) throw new Error(decided.refusal);
    const after = given(intent, accepted, flagged(why), ...decided.value);
    return { types: decided.value.map(({ type }) => type), state: after };
  };

  it('about another checkout is answered neither by a decline nor by its own payment', () => {
    for (const [verdict, types] of [
      [declined, ['RailDeclined', 'ReviewFlagged']],
      [paid(), ['RailConfirmed', 'WalletPosted', 'ReviewFlagged']],
    ] as const) {
      const told = added('other_checkout', verdict);
      expect(told.types).toEqual(types);
      expect(told.state).toMatchObject({ underReview: true, questions: ['other_checkout'] });
    }
  });

  it('about a statement’s line is answered by the payment, not by a decline', () => {
    expect(added('opened_by_operator', declined).state).toMatchObject({ underReview: true });
    expect(added('opened_by_operator', paid()).state).toMatchObject({ underReview: false });
  });

  it('about a timeout is answered by any report of the rail', () => {
    for (const verdict of [declined, paid()])
      expect(added('no_word_from_rail', verdict).state).toMatchObject({ underReview: false });
  });

  it('is asked even if another is open, and each that is open is asked again after a decline', () => {
    const silent = given(intent, accepted, flagged('no_word_from_rail'));
    const other = { ...report(paid()), railReference: 'ws_CO_other', corroborated: true } as const;
    const told = decideConfirmCollection(other, silent, undefined);
    expect(told).toMatchObject({ value: [{ data: { why: 'other_checkout' } }] });
    const shared = { type: 'ReviewFlagged', data: { why: 'duplicate_receipt' } } as const;
    const both = given(intent, accepted, flagged('other_checkout'), shared);
    const why = decideConfirmCollection(report(declined), both, undefined);
    expect(why).toMatchObject({
      value: [
        { type: 'RailDeclined' },
        { data: { why: 'other_checkout' } },
        { data: { why: 'duplicate_receipt' } },
      ],
    });
  });

  it('about a second receipt is asked even if one about the amount is open', () => {
    const unreadable = { type: 'ReviewFlagged', data: { why: 'amount_unreadable' } } as const;
    const paidOnce = decideConfirmCollection(report(paid()), given(intent, accepted), undefined);
    if (!paidOnce.ok) throw new Error(paidOnce.refusal);
    const state = given(intent, accepted, ...paidOnce.value, unreadable);
    const second = report(paid({ receipt: 'OTHER00001' }));
    expect(decideConfirmCollection(second, state, undefined)).toMatchObject({
      value: [{ type: 'ReviewFlagged', data: { why: 'second_receipt' } }],
    });
  });

  it('is not asked again once an operator has decided', () => {
    const decided = {
      type: 'ReviewDecided',
      data: { decision: 'failed', reason: 'r', proposedBy: 'asha' },
    } as const;
    const state = given(intent, accepted, flagged('other_checkout'), decided);
    expect(state).toMatchObject({ underReview: false, questions: [] });
    expect(decideConfirmCollection(report(declined), state, undefined)).toMatchObject({
      value: [{ type: 'RailDeclined' }],
    });
  });
});
