import { fold } from '#domain/event-sourcing';
import { describe, expect, it } from '@jest/globals';
import { type Collection, collectionDecider } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { decideConfirmCollection } from '../confirm/confirm-collection.decide.js';
import { decideRecordPushOutcome } from '../record-push-outcome/record-push-outcome.decide.js';
import { decideFlagCollection, type FlagReason } from './flag-collection.decide.js';

const metadata = {
  v: 1,
  correlationId: 'r-1',
  actor: { kind: 'system', id: 'spec' },
  commitment: 'c0ffee',
} as const;
const intent: CollectionEvent = {
  type: 'CollectionIntentRecorded',
  data: {
    merchantId: 'm',
    mode: 'demo',
    accountNo: '1001',
    currency: 'KES',
    amountMinor: 10_000n,
    feeMinor: 150n,
    channel: 'mpesa',
    reference: 'INV-1',
    accountReference: 'ABCDEFGHJKMN',
    phoneHmac: 'h',
    phoneMasked: '2547*****678',
    origin: 'v4',
  },
};
const declined: CollectionEvent = {
  type: 'RailDeclined',
  data: { by: 'query', failureCode: 'cancelled' },
};
const flagged = (why: FlagReason): CollectionEvent => ({ type: 'ReviewFlagged', data: { why } });
const given = (...events: readonly CollectionEvent[]): Collection =>
  fold(
    collectionDecider,
    events.map((event) => ({ ...event, metadata })),
  );
const report = {
  by: 'query',
  railReference: 'ws_CO_1',
  verdict: { kind: 'paid', resultCode: '0' },
} as const;
const told = (state: Collection): readonly CollectionEvent[] => {
  const decided = decideConfirmCollection(report, state, undefined);
  return decided.ok ? decided.value : [];
};
const paid = [intent, ...told(given(intent))];

describe.each<[FlagReason, readonly CollectionEvent[], readonly (readonly CollectionEvent[])[]]>([
  ['no_word_from_rail', [intent], [[intent, declined], paid]],
  ['amount_unreadable', paid, [[intent], [intent, declined]]],
])('a collection is listed for review because of %s', (why, due, others) => {
  it('once', () => {
    expect(decideFlagCollection(why, given(...due))).toEqual({ ok: true, value: [flagged(why)] });
    expect(decideFlagCollection(why, given(...due, flagged(why)))).toEqual({ ok: true, value: [] });
  });

  it('only while that holds', () => {
    for (const other of others)
      expect(decideFlagCollection(why, given(...other))).toEqual({ ok: true, value: [] });
    const refusal = { ok: false, refusal: 'unknown_collection' };
    expect(decideFlagCollection(why, given())).toEqual(refusal);
  });
});

describe('a collection that is under review because nothing was heard of it', () => {
  const silent = given(intent, flagged('no_word_from_rail'));

  it('is still settled by a word that comes later', () => {
    expect(told(silent).map(({ type }) => type)).toEqual(['RailConfirmed', 'WalletPosted']);
  });

  it('still learns its rail reference from the push’s own late answer', () => {
    const answer = { kind: 'accepted', railReference: 'ws_CO_1' } as const;
    expect(decideRecordPushOutcome(answer, silent)).toMatchObject([{ type: 'RailPushAccepted' }]);
  });
});

describe('a collection whose receipt another stream bears', () => {
  const told = (state: Collection) => decideFlagCollection('duplicate_receipt', state);
  const confirmed: CollectionEvent = {
    type: 'RailConfirmed',
    data: { by: 'callback', resultCode: '0', receipt: 'NLJ7RT61SV' },
  };

  it('is listed for that once, also where it is under review for something else', () => {
    const [own, other] = [flagged('duplicate_receipt'), flagged('amount_unreadable')];
    expect(told(given(intent, confirmed))).toEqual({ ok: true, value: [own] });
    expect(told(given(intent, confirmed, other))).toEqual({ ok: true, value: [own] });
    expect(told(given(intent, confirmed, own))).toEqual({ ok: true, value: [] });
    expect(told(given(intent, confirmed, own, other))).toEqual({ ok: true, value: [] });
  });

  it('has a receipt', () => {
    expect(told(given(intent))).toEqual({ ok: true, value: [] });
  });
});
